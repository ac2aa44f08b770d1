// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>

#include "plots/frame/frame.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Efficiency, StrongKeepsTheSequenceAndWeakTheTokensOfAWorker) {
  const Figure figure = efficiency_figure(
      scheme_table({scheme_case("dense", 1, 1000, 0.5), scheme_case("ring", 2, 1000, 0.5),
                    scheme_case("ring", 4, 1000, 0.25), scheme_case("ring", 4, 2000, 1.0),
                    scheme_case("zigzag", 4, 1000, 0.125), scheme_case("zigzag", 2, 1000, 0.25)}));
  EXPECT_THAT(titles(figure), ElementsAre("strong, N = 1,000, causal mask",
                                          "weak, N/W = 500, causal mask, work per worker grows"));
  const Series& strong = series_named(figure.panels.at(0), "ring");
  ASSERT_EQ(strong.points.size(), 2u);
  EXPECT_DOUBLE_EQ(strong.points[0].y, 50.0) << "two devices are as fast as one alone";
  EXPECT_DOUBLE_EQ(strong.points[1].y, 50.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "zigzag").points.at(1).y, 100.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "zigzag").points.at(1).low, 100.0 * 0.9 / 1.1)
      << "the intervals of both times";
  const Series& weak = series_named(figure.panels.at(1), "ring");
  ASSERT_EQ(weak.points.size(), 2u);
  EXPECT_DOUBLE_EQ(weak.points[1].y, 50.0) << "of zigzag at W = 2, as no device ran alone";
  EXPECT_EQ(figure.panels[0].y.label, "speed of a worker (% of one device's speed)");
  EXPECT_EQ(figure.panels[1].y.label, "speed of a worker (% of zigzag's speed at W = 2)");
  EXPECT_EQ(figure.title,
            "Strong scaling to W = 4 leaves a worker 50 to 100 % of one device's speed");
}

TEST(Efficiency, TheBaseOfAllLinesIsTheFastestCountedRowOfTheFewestWorkers) {
  Values slow = scheme_case("grid", 4, 1000, 0.4, {{"grid_heads", "4"}});
  slow["case_id"] += " of another shape";
  const auto figure = [&](const char* disturbed_by) {
    return efficiency_figure(
        scheme_table({scheme_case("ring", 2, 1000, 0.5), scheme_case("ring", 4, 1000, 0.5),
                      scheme_case("zigzag", 2, 1000, 0.25, {{"disturbed_by", disturbed_by}}),
                      scheme_case("grid", 4, 1000, 0.2, {{"grid_heads", "2"}}), slow}));
  };
  const Panel quiet = figure("").panels.at(0);
  EXPECT_DOUBLE_EQ(series_named(quiet, "zigzag").points.at(0).y, 100.0);
  EXPECT_DOUBLE_EQ(series_named(quiet, "ring").points.at(0).y, 50.0);
  ASSERT_EQ(series_named(quiet, "grid").points.size(), 1u) << "its faster shape alone";
  EXPECT_DOUBLE_EQ(series_named(quiet, "grid").points[0].y, 62.5);
  const Figure loud = figure("neighbours");
  EXPECT_DOUBLE_EQ(series_named(loud.panels.at(0), "ring").points.at(0).y, 100.0);
  EXPECT_DOUBLE_EQ(series_named(loud.panels[0], "zigzag").points.at(0).y, 200.0);
  EXPECT_TRUE(series_named(loud.panels[0], "zigzag").points[0].disturbed) << "hollow";
  EXPECT_EQ(loud.title,
            "Strong scaling to W = 4 leaves a worker 50 to 125 % of ring's speed at W = 2");
}

TEST(Efficiency, MoreWorkersThanCoresAreHollowAndInNoTitle) {
  PlottedRun run(scheme_table({scheme_case("ring", 2, 1000, 0.5), scheme_case("ring", 4, 1000, 0.5),
                               scheme_case("zigzag", 4, 1000, 0.5)}));
  on_two_cores(run);
  const Figure figure = efficiency_figure(run);
  EXPECT_EQ(figure.title, "Parallel efficiency, strong and weak");
  const Series& ring = series_named(figure.panels.at(0), "ring");
  EXPECT_FALSE(ring.points.at(0).disturbed);
  EXPECT_TRUE(ring.points.at(1).disturbed);
}

TEST(Mfu, IsTheFlopOverTheTimeAndThePeakOfAllDevices) {
  const auto with = [](const char* ranks, const char* peak) {
    std::vector<Values> rows;
    for (const int workers : {2, 4}) {
      rows.push_back(scheme_case("ring", workers, 1000, 0.5,
                                 {{"ranks", ranks},
                                  {"peak_flop_per_s", peak},
                                  {"unmasked_flop", "2e9"},
                                  {"critical_path_median_s", "0.5"}}));
    }
    return PlottedRun(scheme_table(rows));
  };
  const auto percent = [](const PlottedRun& run) {
    return series_named(mfu_figure(run).panels.at(0), "ring").points.at(1).y;
  };
  EXPECT_DOUBLE_EQ(percent(with("threads", "1e10")), 40.0) << "the peak is of all its cores";
  EXPECT_DOUBLE_EQ(percent(with("serial", "1e10")), 10.0) << "one device plays four";
  PlottedRun model = with("model", "");
  EXPECT_THAT(mfu_figure(model).empty_reason, HasSubstr("a known peak"));
  model.modelled_peak = [](const Row& row) { return 1e10 * row.number("workers"); };
  EXPECT_DOUBLE_EQ(percent(model), 10.0);
  EXPECT_EQ(mfu_figure(model).title,
            "Modelled: Strong scaling to W = 4 leaves a worker 10 % of its device's peak");
}

TEST(Efficiency, EachMaskHasPanelsAndTheLengthOfMostWorkerCountsIsDrawn) {
  std::vector<Values> rows;
  for (const char* mask : {"full", "causal"})
    for (const int workers : {2, 4, 8})
      rows.push_back(scheme_case("ring", workers, 1000, 0.5, {{"mask", mask}}));
  rows.push_back(scheme_case("ring", 2, 9000, 0.5));
  rows.push_back(scheme_case("ring", 4, 9000, 0.5));
  EXPECT_THAT(titles(efficiency_figure(scheme_table(rows))),
              ElementsAre("strong, N = 1,000, causal mask", "strong, N = 1,000, full mask"));
}

TEST(Efficiency, OneWorkerCountIsASentence) {
  EXPECT_THAT(efficiency_figure(scheme_table({scheme_case("ring", 2, 1000, 0.5)})).empty_reason,
              HasSubstr("no two worker counts"));
}

// The committed figures: the base is 100 %, no modelled scheme of scaling_model is faster than its
// share of one device and each loses as W grows, and the title has the range at the most workers.
std::string strong_title(const CommittedFigure& figure, double workers, const std::string& base) {
  std::vector<double> kept;
  for (const auto& [name, line] : figure.lines("1"))
    if (line.contains(workers)) kept.push_back(line.at(workers));
  const auto [least, most] = std::ranges::minmax(kept);
  return fmt::format("Modelled: Strong scaling to W = {} leaves a worker {:.3g} to {:.3g} % of {}",
                     grouped(workers), least, most, base);
}

TEST(Efficiency, CommittedEfficiencyIsABoundedShareThatFallsToWhatTheTitleSays) {
  const CommittedFigure figure("scaling_model", "efficiency");
  for (const auto& [name, line] : figure.lines("1")) {
    ASSERT_GE(line.size(), 3u) << name;
    for (const auto& [workers, percent] : line) {
      EXPECT_GT(percent, 0.0) << name;
      EXPECT_LE(percent, 101.0) << name << " at W = " << workers;
    }
    EXPECT_LT(line.rbegin()->second, line.begin()->second) << name;
  }
  EXPECT_THAT(figure.marks().front().panel_title, HasSubstr("strong"));
  EXPECT_EQ(figure.title(), strong_title(figure, 128.0, "one device's speed"));
}

TEST(Efficiency, CommittedGridsHaveOneBaseWhichIsTheFastestAtFourWorkers) {
  const CommittedFigure figure("grids_model", "efficiency");
  double fastest = 0.0;
  for (const auto& [name, line] : figure.lines("1")) {
    if (line.contains(4.0)) fastest = std::fmax(fastest, line.at(4.0));
    for (const auto& [workers, percent] : line) EXPECT_LE(percent, 101.0) << name << workers;
  }
  EXPECT_DOUBLE_EQ(fastest, 100.0);
  const std::string title = figure.title();
  EXPECT_EQ(title, strong_title(figure, 4096.0, title.substr(title.find("% of ") + 5)));
}

TEST(Mfu, CommittedSharesAreBelowThePeakAndInTheTitle) {
  const CommittedFigure figure("grids_model", "mfu");
  for (const Mark& mark : figure.marks()) {
    EXPECT_GT(mark.y, 0.0);
    EXPECT_LT(mark.y, 100.0);
  }
  EXPECT_EQ(figure.title(), strong_title(figure, 4096.0, "its device's peak"));
}

}  // namespace
}  // namespace qb
