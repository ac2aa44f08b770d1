// SPDX-License-Identifier: Apache-2.0
// Audits rows with a backward pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/schema/column_fields.h"
#include "harness/experiment/testing/audited_run.h"

namespace qb {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The second case is said to have both passes, which are 3.5 times the work of one, and to be of
// another program, which has no plan.
class AuditedPasses : public Audited {
 protected:
  void SetUp() override {
    Audited::SetUp();
    run_.write_manifest(device_fingerprint(), kSchemaVersion, "");
    RunRow& row = cases_[1];
    row["pass"] = "both";
    for (const char* work : {"unmasked_flop", "achieved_flop_per_s"})
      row[work] = to_text(3.5 * parse_real(row[work]).value());
    row["verified_keys"] = "64";
    for (const std::string_view gradient : kGradientColumns) {
      row[std::string(gradient) + "_max_error"] = "1e-6";
      row[std::string(gradient) + "_tolerance"] = "2e-4";
    }
    std::vector<double> forward;
    std::vector<double> backward;
    for (RunRow& sample : samples_) {
      if (sample["case_id"] != row["case_id"]) continue;
      const double wall_s = parse_real(sample["wall_time_s"]).value();
      sample["forward_time_s"] = to_text(0.25 * wall_s);
      sample["backward_time_s"] = to_text(0.75 * wall_s);
      if (sample["warmup"] != "0") continue;
      forward.push_back(0.25 * wall_s);
      backward.push_back(0.75 * wall_s);
    }
    write_median(row, "forward_time", summarise(forward));
    write_median(row, "backward_time", summarise(backward));
  }
  static void write_median(RunRow& row, const std::string& clock, const Summary& summary) {
    row[clock + "_median_s"] = to_text(summary.median);
    row[clock + "_low95_s"] = to_text(summary.low95);
    row[clock + "_high95_s"] = to_text(summary.high95);
  }
};

TEST_F(AuditedPasses, AnHonestRowPasses) { EXPECT_THAT(audit().findings, IsEmpty()); }

TEST_F(AuditedPasses, AGradientBeyondItsToleranceOrUnverifiedIsFound) {
  cases_[1]["d_k_max_error"] = "3e-4";
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("d_k_max_error '3e-4' is not within the tolerance '2e-4'")));
  cases_[1]["d_k_max_error"] = "";
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("d_k_max_error ''")));
  cases_[1]["d_k_max_error"] = "1e-6";
  cases_[1]["verified_keys"] = "0";
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("the gradient of no key was verified")));
}

TEST_F(AuditedPasses, ALayerHasGradientsOfItsOwnAndNoneOfAttention) {
  RunRow& row = cases_[1];
  row["workload"] = "transformer_layer";
  const auto said = [&](const std::string& text) {
    return std::ranges::count_if(audit().findings, [&](const std::string& finding) {
      return finding.find(text) != std::string::npos;
    });
  };
  EXPECT_EQ(said("_max_error is '1e-6', but the case computes no such gradient"), 3);
  EXPECT_EQ(said("_max_error '' is not within the tolerance ''"), 2);
  row["verified_keys"] = "";
  for (const std::string_view gradient : kGradientColumns)
    row[std::string(gradient) + "_max_error"] = row[std::string(gradient) + "_tolerance"] = "";
  for (const std::string_view gradient : kLayerGradientColumns) {
    row[std::string(gradient) + "_max_error"] = "1e-6";
    row[std::string(gradient) + "_tolerance"] = "2e-4";
  }
  EXPECT_EQ(said("gradient"), 0);
  row["d_weights_max_error"] = "3e-4";
  EXPECT_EQ(said("d_weights_max_error '3e-4' is not within the tolerance '2e-4'"), 1);
}

TEST_F(AuditedPasses, PassesThatDoNotAddUpToTheWallClockAreFound) {
  for (RunRow& sample : samples_)
    if (sample["case_id"] == cases_[1]["case_id"] && sample["warmup"] == "1")
      sample["backward_time_s"] = "1";
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("in repeat 0 the passes take 2.25 s and 1 s, "
                                                      "and wall_time_s is 9 s")));
}

TEST_F(AuditedPasses, AMedianThatTheSamplesDoNotGiveIsFound) {
  cases_[1]["backward_time_median_s"] = "0.001";
  cases_[0]["forward_time_median_s"] = "0.001";
  EXPECT_THAT(
      audit().findings,
      ElementsAre(HasSubstr("forward_time_median_s is '0.001', but samples.csv gives ''"),
                  HasSubstr("backward_time_median_s is '0.001', but samples.csv gives '0.0097")));
}

TEST_F(Audited, AGradientOfAForwardPassIsFound) {
  cases_[0]["d_v_max_error"] = "1e-6";
  EXPECT_THAT(
      audit().findings,
      ElementsAre(HasSubstr("d_v_max_error is '1e-6', but the case computes no such gradient")));
}

}  // namespace
}  // namespace qb
