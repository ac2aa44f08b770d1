// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Operators, ALineForEachOperatorAndMaskInTimeMemoryAndDistance) {
  const Figure figure = wall_clock_figure(cases_of(sample_operators()));
  EXPECT_THAT(titles(figure), ElementsAre("Time", "Memory", "Distance"));
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "exact").points.at(1).y, 16000.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "ssd, causal").points.at(0).y, 1.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[2], "sliding_window").points.at(0).y, 0.5);
  EXPECT_EQ(series_named(figure.panels[2], "linear").points.size(), 1u) << "of random inputs";
}

// ssd takes 2 % of causal attention's time, linear 1.25 % of that of full attention.
TEST(Operators, TheTitleComparesAtTheLongestExactLengthWithTheSameMask) {
  EXPECT_EQ(wall_clock_figure(cases_of(sample_operators())).title,
            "At N = 4,096 linear takes 1.2 % of the time of exact attention; sliding_window, the "
            "nearest of these, is off by 0.5");
  EXPECT_EQ(wall_clock_figure(cases_of({mixes("linear", "full", 4096, 0.2, "0.8")})).title,
            "Time, memory and distance of operators against N");
}

TEST(Operators, AreLeftOutIfTheyDidNotRunOrShareAScan) {
  Values failed = mixes("linear", "full", 4096, 0.2, "0.8");
  failed["status"] = "error";
  Values scan = mixes("linear", "causal", 4096, 0.2, "0.8");
  scan["workers"] = "8";
  EXPECT_TRUE(operator_rows(cases_of({failed, scan, ok_case(1, 4096, 1.0)})).empty());
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
  EXPECT_EQ(series_named(full, "beaten by none").points.size(), 3u) << "linear beats nystrom";
  EXPECT_EQ(series_named(figure.panels[0], "exact").style, series_named(full, "exact").style);
  EXPECT_EQ(figure.title, "At N = 4,096 no operator beats exact in both distance and time")
      << "linear and ssd are beaten by none in a panel that the other lacks";
}

TEST(Operators, ParetoTakesALengthThatAllInputsHave) {
  EXPECT_THAT(titles(pareto_figure(cases_of(sample_operators()))),
              ElementsAre("no causal mask, peaked inputs", "no causal mask, random inputs"));
}

TEST(Operators, ParetoWithoutExactAttentionIsASentence) {
  EXPECT_THAT(pareto_figure(cases_of({mixes("linear", "full", 4096, 0.2, "0.8")})).empty_reason,
              HasSubstr("exact attention did not run"));
}

Values bounded(const char* device, const char* kind, const char* scan, int workers,
               double seconds) {
  Values values = ok_case(workers, 1024, 1.0);
  const Values own = {{"case_id", fmt::format("{}{}{}{}", device, kind, scan, workers)},
                      {"workload", "sequence_mixer"},
                      {"mixer_operator", kind},
                      {"mixer_scan", scan},
                      {"mask", "causal"},
                      {"algorithm", "dense"},
                      {"ranks", "model"},
                      {"model_device", device},
                      {"predicted_device_peak_bytes", to_text(double{1 << 20} / workers)},
                      {"wall_time_median_s", to_text(seconds)}};
  for (const auto& [column, value] : own) values[column] = value;
  return values;
}

TEST(Operators, ModelledOnesAreLinesOverWorkersOnEachDevice) {
  const Figure figure = wall_clock_figure(cases_of(
      {bounded("a100", "softmax", "chain", 2, 4.0), bounded("a100", "softmax", "chain", 4, 2.0),
       bounded("h100", "softmax", "chain", 4, 1.0), bounded("h100", "ssd", "chain", 4, 0.02),
       bounded("h100", "ssd", "tree", 4, 0.01), bounded("h100", "linear", "tree", 4, 0.005)}));
  EXPECT_THAT(titles(figure), ElementsAre("Time on A100s", "Time on H100s", "Memory"));
  EXPECT_EQ(series_named(figure.panels[0], "exact, causal").points.size(), 2u);
  EXPECT_EQ(figure.panels[0].series.size(), 1u) << "others have no time there";
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "ssd, causal").points.at(0).y, 10.0)
      << "of the faster scan";
  EXPECT_NE(series_named(figure.panels[1], "ssd, causal").style.dash, 0) << "a bound";
  EXPECT_EQ(series_named(figure.panels[1], "exact, causal").style.dash, 0);
  EXPECT_EQ(series_named(figure.panels[2], "exact, causal").points.size(), 1u) << "of one device";
  EXPECT_EQ(
      figure.title,
      "On 4 H100s 1e+03 ms (exact, causal); other operators at least 5 ms (linear, causal) to "
      "10 ms (ssd, causal)");
}

// The committed figure: at the longest N of exact attention no other line is below the share of its
// time that the title gives, nor nearer to it than the title says.
TEST(Operators, CommittedTitleHasTheFastestAndTheNearest) {
  const CommittedFigure figure("landscape", "wall_clock");
  const auto times = figure.lines("1");
  const auto distances = figure.lines("3");
  const double longest = times.at("exact").rbegin()->first;
  double least_percent = 100.0;
  double least_distance = 1e9;
  for (const auto& [name, line] : times) {
    if (name.starts_with("exact")) {
      EXPECT_LT(distances.at(name).at(longest), 1e-5) << name << " is off by rounding";
      continue;
    }
    const char* exact = name.ends_with("causal") ? "exact, causal" : "exact";
    least_percent =
        std::fmin(least_percent, 100.0 * line.at(longest) / times.at(exact).at(longest));
    least_distance = std::fmin(least_distance, distances.at(name).at(longest));
  }
  EXPECT_THAT(figure.title(), HasSubstr("At N = " + grouped(longest)));
  EXPECT_THAT(figure.title(), HasSubstr(fmt::format(" takes {:.2g} % of", least_percent)));
  EXPECT_TRUE(figure.title().ends_with(fmt::format("off by {:.2g}", least_distance)));
}

// The committed figure: the title has, at the most workers of the last device, what exact attention
// takes and the least and the most of the others.
TEST(Operators, CommittedTitleOfModelledOnesHasTheLeastAndTheMost) {
  const CommittedFigure figure("mixers_model", "wall_clock");
  std::map<double, std::string> others;
  for (const auto& [name, line] : figure.lines("2"))
    if (name.starts_with("exact"))
      EXPECT_THAT(figure.title(),
                  HasSubstr(fmt::format("{:.3g} ms ({})", line.rbegin()->second, name)));
    else
      others[line.rbegin()->second] = name;
  EXPECT_TRUE(figure.title().ends_with(
      fmt::format("at least {:.3g} ms ({}) to {:.3g} ms ({})", others.begin()->first,
                  others.begin()->second, others.rbegin()->first, others.rbegin()->second)));
}

}  // namespace
}  // namespace qb
