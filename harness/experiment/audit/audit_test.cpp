// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/audit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/schema/run_tables.h"
#include "base/statistics.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/testing/audited_run.h"
#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/case.h"

namespace qb {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Audited, AnHonestRunPasses) {
  const Audit result = audit();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_EQ(result.rows, 2U);
  EXPECT_EQ(result.timed_rows, 2U);
}

TEST_F(Audited, ARunOfAnotherProgramIsCheckedWithoutPlans) {
  run_.write_manifest(device_fingerprint(), kSchemaVersion, "");
  for (const char* name : {"spec.resolved.yaml", "steps.csv", "memory_timeline.csv"})
    std::filesystem::remove(run_.path() + "/" + name);
  const Audit result = audit();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("another program wrote the run")));
  cases_[0]["critical_path_median_s"] = "0.009";
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("but samples.csv gives '0.013")));
}

TEST_F(Audited, ABetterMedianThanTheSamplesGiveIsFound) {
  cases_[0]["critical_path_median_s"] = "0.009";
  EXPECT_THAT(
      audit().findings,
      ElementsAre(HasSubstr("critical_path_median_s is '0.009', but samples.csv gives '0.013")));
}

TEST_F(Audited, StagesThatTheSamplesDoNotGiveAreFound) {
  for (RunRow& sample : samples_)
    if (sample["case_id"] == cases_[0]["case_id"])
      for (const char* column : {"stage_scores_s", "stage_softmax_s", "stage_product_s"})
        sample[column] = "0.003";
  for (const char* column :
       {"stage_scores_median_s", "stage_softmax_median_s", "stage_product_median_s"})
    cases_[0][column] = "0.003";
  EXPECT_THAT(audit().findings, IsEmpty());
  cases_[0]["stage_product_median_s"] = "0.002";
  cases_[1]["stage_scores_median_s"] = "0.002";
  EXPECT_THAT(
      audit().findings,
      ElementsAre(HasSubstr("stage_product_median_s is '0.002', but samples.csv gives '0.003'"),
                  HasSubstr("stage_scores_median_s is '0.002', but samples.csv gives ''")));
}

TEST_F(Audited, ExposedTimeThatTheSamplesDoNotGiveIsFound) {
  for (RunRow& sample : samples_)
    if (sample["case_id"] == cases_[0]["case_id"]) sample["exposed_communication_s"] = "0.003";
  for (const char* end : {"median_s", "low95_s", "high95_s"})
    cases_[0][std::string("exposed_communication_") + end] = "0.003";
  EXPECT_THAT(audit().findings, IsEmpty());
  cases_[0]["exposed_communication_low95_s"] = "0.002";
  cases_[1]["compute_median_s"] = "0.002";
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("exposed_communication_low95_s is '0.002', but samples.csv "
                                    "gives '0.003'"),
                          HasSubstr("compute_median_s is '0.002', but samples.csv gives ''")));
}

TEST_F(Audited, AWorkerThatWaitsLongerThanTheRepeatTakesIsFound) {
  samples_[0]["exposed_communication_s"] = "0.5";  // the wall clock is 0.01
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("exposed_communication_s is 0.5 s, but wall_time_s is only")));
}

TEST_F(Audited, StagesLongerThanTheWallClockAreFound) {
  for (const char* column : {"stage_scores_s", "stage_softmax_s", "stage_product_s"})
    samples_[0][column] = "0.004";  // the wall clock is 0.01
  const Audit result = audit();
  EXPECT_THAT(result.findings, ElementsAre(HasSubstr("longer than its wall clock")));
}

TEST_F(Audited, ADisturbedRepeatThatCountsIsFound) {
  samples_[6]["disturbed_by"] = "neighbours";
  EXPECT_THAT(audit().findings,
              Contains(HasSubstr("disturbed_samples is '', but samples.csv gives '1'")));
  EXPECT_THAT(audit().findings, Contains(HasSubstr("n_samples is '7', but samples.csv gives '6'")));
}

TEST_F(Audited, ADisturbanceThatNoRepeatHasIsFound) {
  cases_[0]["disturbed_samples"] = "0";
  cases_[0]["disturbed_by"] = "stolen";
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("disturbed by stolen, but none of its repeats is")));
}

TEST_F(Audited, ARowMaySayThatItStayedDisturbed) {
  for (RunRow& sample : samples_)
    if (sample["case_id"] == cases_[0]["case_id"] && sample["warmup"] == "0")
      sample["disturbed_by"] = "stolen";
  cases_[0]["disturbed_samples"] = "7";
  cases_[0]["disturbed_by"] = "stolen";
  EXPECT_THAT(audit().findings, IsEmpty());
}

TEST_F(Audited, ADroppedSlowSampleIsFound) {
  samples_.erase(samples_.begin() + 6);
  EXPECT_THAT(audit().findings, Contains(HasSubstr("n_samples is '7', but samples.csv gives '6'")));
}

TEST_F(Audited, AnUnverifiedOrWrongResultIsFound) {
  cases_[0]["max_error"] = "nan";
  cases_[1]["verified_rows"] = "0";
  const Audit result = audit();
  EXPECT_THAT(result.findings, Contains(HasSubstr("'nan' is not a number")));
  EXPECT_THAT(result.findings, Contains(HasSubstr("no output row was verified")));
}

TEST_F(Audited, AnErrorAboveTheToleranceIsFound) {
  cases_[0]["max_error"] = "3e-7";
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("not within the tolerance")));
}

TEST_F(Audited, ANormWithoutTheErrorThatIsInItIsFound) {
  cases_[1]["relative_l2_error"] = "0";
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("has the error 1e-7, but a relative_l2_error of 0")));
}

TEST_F(Audited, ATimeOfAFailedCaseIsFound) {
  cases_[0]["status"] = "oom";
  const Audit result = audit();
  EXPECT_THAT(result.findings, Contains(HasSubstr("status oom has a time in wall_time_median_s")));
  EXPECT_THAT(result.findings, Contains(HasSubstr("status oom has samples")));
}

TEST_F(Audited, AChangedParameterIsFound) {
  cases_[1]["n_tokens"] = "128";
  EXPECT_THAT(audit().findings,
              Contains(HasSubstr("n_tokens is '128', but the resolved spec gives '64'")));
}

TEST_F(Audited, APredictionThatThePlanDoesNotGiveIsFound) {
  cases_[1]["longest_subsequence_tokens"] = "5";
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("longest_subsequence_tokens is '5', but the plan")));
}

TEST_F(Audited, ACaseOfAnotherSpecIsFound) {
  run_.write("spec.resolved.yaml", "experiment: other\nn_tokens: 8\ndevice: cpu\n");
  EXPECT_THAT(audit().findings, Contains(HasSubstr("no case of spec.resolved.yaml has this id")));
}

TEST_F(Audited, ImpossibleSpeedIsFoundEvenWhereEverythingAgrees) {
  // Times as an unsynchronised device clock would write them.
  for (RunRow& sample : samples_)
    for (const char* column : {"wall_time_s", "critical_path_s", "worker_sum_s",
                               "longest_subsequence_s", "gather_s", "merge_s"})
      sample[column] = "1e-12";
  for (RunRow& row : cases_)
    for (auto& [column, value] : row)
      if (column.ends_with("_s") && column != "duration_s" && column != "achieved_flop_per_s")
        value = "1e-12";
  EXPECT_THAT(audit().findings, Contains(HasSubstr("cannot do more than")));
}

TEST_F(Audited, AClockThatIsShorterThanWhatItContainsIsFound) {
  const auto finding = [&](const std::map<std::string, std::string>& fields) {
    const std::vector<RunRow> honest = samples_;
    for (const auto& [column, value] : fields) samples_[7][column] = value;  // the warm-up
    const Audit result = audit();
    samples_ = honest;
    return result.findings.size() == 1 ? result.findings[0].substr(result.findings[0].find("in"))
                                       : fmt::format("{} findings", result.findings.size());
  };
  EXPECT_EQ(finding({{"longest_subsequence_s", "9.5"}}),
            "in repeat 0 longest_subsequence_s is 9.5 s, but critical_path_s is only 9 s");
  EXPECT_EQ(finding({{"critical_path_s", "9.5"}, {"worker_sum_s", "9.75"}, {"wall_time_s", "9.5"}}),
            "in repeat 0 worker_sum_s is 9.75 s, but wall_time_s is only 9.5 s");
  EXPECT_EQ(finding({{"critical_path_s", "9.5"}, {"wall_time_s", "9.5"}}),
            "in repeat 0 critical_path_s is 9.5 s, but worker_sum_s is only 9 s");
  EXPECT_EQ(finding({{"device_time_s", "9.5"}}),
            "in repeat 0 device_time_s is 9.5 s, but wall_time_s is only 9 s");
  EXPECT_EQ(finding({{"gather_s", "7.5"}}),
            "in repeat 0 gather_s + merge_s is 9.5 s, but worker_sum_s is only 9 s");
  EXPECT_EQ(finding({{"gather_s", "7"}}), "0 findings");
  // Two cores compute for twice 9 s, and a tenth more by the resolution of the kernel's ticks.
  EXPECT_EQ(finding({{"cpu_time_s", "19.8"}}), "0 findings");
  EXPECT_EQ(finding({{"cpu_time_s", "19.9"}}),
            "in repeat 0 the process computed for 19.9 s, but the clock ran for 9 s on 2 cores");
}

TEST_F(Audited, AFirstRepeatThatTookMuchLongerIsNoted) {
  const auto notes_with_first = [&](const char* time_s) {
    for (const char* column : {"wall_time_s", "critical_path_s", "worker_sum_s"})
      samples_[0][column] = time_s;
    return audit().notes;
  };
  // The median of the other repeats is 0.0135 s.
  EXPECT_THAT(notes_with_first("0.067"), IsEmpty());
  EXPECT_THAT(notes_with_first("0.0702"),
              ElementsAre(HasSubstr("its first repeat took 5.2 times as long as the others")));
}

TEST_F(Audited, WhatIsUnfinishedOrUnboundedIsNoted) {
  Manifest manifest = read_manifest(run_.path());
  manifest.finished_at.clear();
  manifest.n_cases = 5;
  manifest.environment = fmt::format(R"({{"device_fingerprint": "{}"}})", device_fingerprint());
  run_.write("manifest.json", manifest_to_json(manifest));
  EXPECT_THAT(audit().notes,
              ElementsAre("the run is not finished: 2 of 5 cases have a row", HasSubstr("record 1"),
                          HasSubstr("the manifest does not name the cores")));
  cases_.pop_back();
  EXPECT_THAT(audit().findings, IsEmpty()) << "the samples may be of the case that was running";
}

TEST_F(Audited, ATimeAboveTheMeasuredPeakIsFound) {
  cases_[0]["peak_fraction"] = "1.1";
  EXPECT_THAT(audit().findings, IsEmpty());
  cases_[0]["peak_fraction"] = "1.25";
  EXPECT_THAT(audit().findings,
              ElementsAre(HasSubstr("its wall clock claims 125 % of the peak that was measured")));
}

TEST_F(Audited, TimesThatAreNotAboveZeroAreFound) {
  for (const char* column : {"wall_time_s", "critical_path_s", "worker_sum_s",
                             "longest_subsequence_s", "gather_s", "merge_s"})
    samples_[0][column] = "0";
  EXPECT_THAT(audit().findings, Contains(HasSubstr("samples.csv has a critical_path_s that is not "
                                                   "above 0")));
}

TEST_F(Audited, RowsThatComeTwiceAreFound) {
  cases_.push_back(cases_[0]);
  samples_.push_back(samples_[0]);
  const Audit result = audit();
  EXPECT_THAT(result.findings, Contains(HasSubstr("the case has a row already")));
  EXPECT_THAT(result.findings, Contains(HasSubstr("the repeat has a row already")));
}

TEST_F(Audited, SamplesWithoutACaseAreFound) {
  cases_.pop_back();
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("which cases.csv does not have")));
}

TEST_F(Audited, MissingFilesAndTornLinesAreFound) {
  run_.write_tables(cases_, samples_);
  const std::string text = read_file(run_.path() + "/cases.csv");
  run_.write("cases.csv", text.substr(0, text.size() - 5));
  std::filesystem::remove(run_.path() + "/steps.csv");
  const Audit result = audit_run(run_.path());
  EXPECT_THAT(result.findings, Contains(HasSubstr("steps.csv is missing")));
  EXPECT_THAT(result.findings, Contains(HasSubstr("the last line is torn")));
}

TEST_F(Audited, AResolvedSpecOfMoreCasesThanItsTextHoldsIsNotExpanded) {
  run_.write("spec.resolved.yaml",
             "experiment: x\nn_tokens: 8\nsweep: {seed: {from: 0, to: 999999, step: 1}, "
             "batch: {from: 1, to: 10000, step: 1}}\n");
  EXPECT_THAT(audit().findings, Contains(HasSubstr("this spec has 10,000,000,000 cases")));
}

TEST_F(Audited, AnotherSchemaIsFoundAndNotGuessedAt) {
  run_.write_manifest(device_fingerprint(), kSchemaVersion + 1);
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("schema_version")));
}

TEST_F(Audited, ASchemaBeforeTheOldestIsNotGuessedAt) {
  run_.write_manifest(device_fingerprint(), kOldestSchema - 1);
  EXPECT_THAT(audit().findings, ElementsAre(HasSubstr("schema_version")));
}

TEST_F(Audited, TileSizesOfAnotherMachineOrBuildAreNotHeldAgainstTheRun) {
  for (RunRow& row : cases_) row["executed_pairs"] = "1";
  EXPECT_THAT(audit().findings, Each(HasSubstr("executed_pairs is '1', but the plan gives")));
  EXPECT_EQ(audit().findings.size(), 2U);
  run_.write_manifest("another machine");
  EXPECT_THAT(audit().findings, IsEmpty());
  run_.write_manifest(device_fingerprint());
  Manifest manifest = read_manifest(run_.path());
  manifest.environment.insert(1, R"("build": {"commit": "0123456789abcdef"}, )");
  run_.write("manifest.json", manifest_to_json(manifest));
  EXPECT_THAT(audit().findings, IsEmpty());
}

TEST(FlopBound, IsAboveWhatCoresDoAndBelowWhatNoneCan) {
  // 286 GFLOP/s a core in float32 and 533 in bf16 were measured on a 4.5 GHz Zen 5.
  EXPECT_GT(flop_per_s_bound(1, "f32"), 286e9);
  EXPECT_GT(flop_per_s_bound(1, "bf16"), 533e9);
  EXPECT_LT(flop_per_s_bound(2, "f32"), 2e12);
  EXPECT_EQ(flop_per_s_bound(3, "f32"), 3.0 * 5e9 * 64.0);
  EXPECT_EQ(flop_per_s_bound(3, "f16"), 6.0 * 5e9 * 64.0);
  EXPECT_EQ(flop_per_s_bound(3, "bf16"), 6.0 * 5e9 * 64.0);
}

}  // namespace
}  // namespace qb
