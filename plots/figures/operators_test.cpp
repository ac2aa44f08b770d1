// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "plots/figures/figures.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kWindow = "{sliding_window: {left: 8, right: 7}}";

Values mixes(const char* kind, const char* mask, std::int64_t n, double seconds,
             const char* distance, const char* inputs = "random") {
  Values values = ok_case(1, n, 1.0);
  const Values own = {{"case_id", fmt::format("{}{}{}{}", kind, mask, n, inputs)},
                      {"workload", "sequence_mixer"},
                      {"mixer_operator", kind},
                      {"mask", mask},
                      {"inputs", inputs},
                      {"algorithm", "dense"},
                      {"device_peak_bytes", "1048576"},
                      {"critical_path_median_s", to_text(seconds)},
                      {"distance_to_exact", distance}};
  for (const auto& [column, value] : own) values[column] = value;
  return values;
}

std::vector<Values> sample_operators() {
  return {mixes("softmax", "full", 1024, 1.0, "1e-7"),
          mixes("softmax", "full", 4096, 16.0, "1e-7"),
          mixes("softmax", "causal", 4096, 8.0, "1e-7"),
          mixes("softmax", kWindow, 4096, 0.4, "0.5"),
          mixes("linear", "full", 4096, 0.2, "0.8"),
          mixes("nystrom", "full", 4096, 0.3, "0.9"),
          mixes("ssd", "causal", 4096, 0.16, "0.7"),
          mixes("ssd", "causal", 16384, 0.64, "0.7"),
          mixes("softmax", "full", 1024, 1.0, "2e-7", "peaked"),
          mixes("linear", "full", 1024, 0.1, "2.0", "peaked")};
}

TEST(Operators, ModelledBoundsOrFailuresAreNoFigureOfTime) {
  Values failed = mixes("linear", "full", 4096, 0.2, "0.8");
  failed["status"] = "oom";
  Values scan = mixes("linear", "causal", 4096, 0.2, "0.8");
  scan["workers"] = "8";
  Values bound = mixes("ssd", "causal", 4096, 0.2, "0.8");
  bound["ranks"] = "model";
  const CsvTable cases = cases_of({failed, scan, bound});
  EXPECT_FALSE(pareto_figure(cases).empty_reason.empty());
}

TEST(Operators, ParetoHasAPanelForEachMaskAtTheLongestExactLength) {
  std::vector<Values> rows = sample_operators();
  rows.resize(8);  // of random inputs
  const Figure figure = pareto_figure(cases_of(rows));
  EXPECT_THAT(titles(figure),
              ElementsAre("causal mask, random inputs", "no causal mask, random inputs"));
  const Panel& full = figure.panels.at(1);
  EXPECT_DOUBLE_EQ(series_named(full, "linear").points.at(0).x, 0.8);
  EXPECT_DOUBLE_EQ(series_named(full, "linear").points.at(0).y, 200.0);
  EXPECT_EQ(series_named(full, "beaten by none").points.size(), 5u)
      << "steps over exact, sliding_window and linear, which beats nystrom";
  EXPECT_EQ(series_named(figure.panels[0], "exact").style, series_named(full, "exact").style);
  EXPECT_EQ(figure.title,
            "At N = 4,096 none beats exact in both distance and time; inexact operators come no "
            "nearer than 0.5")
      << "linear and ssd are beaten by none in a panel that the other lacks";
}

TEST(Operators, ParetoTakesALengthThatAllInputsHave) {
  EXPECT_THAT(titles(pareto_figure(cases_of(sample_operators()))),
              ElementsAre("no causal mask, peaked inputs", "no causal mask, random inputs"));
}

TEST(Operators, ParetoShadesWhatIsNoNearerThanZerosAndCountsNoTieAsBeaten) {
  std::vector<Values> rows = {
      mixes("softmax", "full", 1024, 1.0, "1e-7"), mixes("linear", "full", 1024, 0.1, "0.8"),
      mixes("nystrom", "full", 1024, 0.101, "0.801"), mixes("linformer", "full", 1024, 0.2, "3")};
  for (Values& values : rows)
    for (const auto& [end, factor] : {std::pair{"low95", 0.9}, {"high95", 1.1}})
      values[fmt::format("critical_path_{}_s", end)] =
          to_text(factor * std::stod(values["critical_path_median_s"]));
  const Figure figure = pareto_figure(cases_of(rows));
  const Point& shade =
      series_named(figure.panels.at(0), "no nearer than an answer of zeros").points.at(0);
  EXPECT_EQ(shade.x_low, 1.0);
  EXPECT_GT(shade.x_high, 3.0);
  EXPECT_EQ(figure.title,
            "At N = 1,024 none beats exact in both distance and time; inexact operators come no "
            "nearer than 0.8")
      << "linear and nystrom are not told apart in time";
}

TEST(Operators, ParetoWithoutExactAttentionIsASentence) {
  EXPECT_THAT(pareto_figure(cases_of({mixes("linear", "full", 4096, 0.2, "0.8")})).empty_reason,
              HasSubstr("exact attention did not run"));
}

}  // namespace
}  // namespace qb
