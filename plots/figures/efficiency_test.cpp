// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <map>

#include "plots/frame/table.h"
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
  EXPECT_THAT(titles(figure),
              ElementsAre("strong, N = 1,000, causal mask", "weak, N/W = 500, causal mask"));
  const Series& strong = series_named(figure.panels.at(0), "ring");
  ASSERT_EQ(strong.points.size(), 2u);
  EXPECT_DOUBLE_EQ(strong.points[0].y, 50.0) << "two devices are as fast as one alone";
  EXPECT_DOUBLE_EQ(strong.points[1].y, 50.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "zigzag").points.at(1).y, 100.0);
  const Series& weak = series_named(figure.panels.at(1), "ring");
  ASSERT_EQ(weak.points.size(), 2u);
  EXPECT_DOUBLE_EQ(weak.points[1].y, 100.0) << "four times the work of a worker's device in 2 x";
  EXPECT_EQ(
      figure.title,
      "Strong scaling to W = 4 leaves a worker 50.0 % (ring) to 100 % (zigzag) of the speed of "
      "one device alone");
}

TEST(Efficiency, MoreWorkersThanCoresAreNotRanked) {
  PlottedRun run(scheme_table({scheme_case("ring", 2, 1000, 0.5), scheme_case("ring", 4, 1000, 0.5),
                               scheme_case("zigzag", 4, 1000, 0.5)}));
  run.provenance.cores = 2;
  EXPECT_EQ(efficiency_figure(run).title, "Parallel efficiency, strong and weak");
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

// The committed figure: no modelled scheme is faster than its share of one device, each loses as W
// grows, and the title names the least and the most that are left of strong scaling.
TEST(Efficiency, CommittedEfficiencyIsABoundedShareThatFallsToWhatTheTitleSays) {
  const CommittedFigure figure("scaling_model", "efficiency");
  const auto lines = figure.lines("1");
  std::map<double, std::string> kept;
  for (const auto& [name, line] : lines) {
    ASSERT_GE(line.size(), 3u) << name;
    for (const auto& [workers, percent] : line) {
      EXPECT_GT(percent, 0.0) << name;
      EXPECT_LE(percent, 101.0) << name << " at W = " << workers;
    }
    EXPECT_LT(line.rbegin()->second, line.begin()->second) << name;
    if (line.contains(128.0)) kept[line.at(128.0)] = name;
  }
  EXPECT_THAT(figure.marks().front().panel_title, HasSubstr("strong"));
  EXPECT_EQ(figure.title(),
            fmt::format("Strong scaling to W = 128 leaves a worker {} % ({}) to {} % ({}) of the "
                        "speed of one device alone",
                        significant(kept.begin()->first), kept.begin()->second,
                        significant(kept.rbegin()->first), kept.rbegin()->second));
}

TEST(Efficiency, CommittedGridsScaleFurthestAndARingLeast) {
  const CommittedFigure figure("grids_model", "efficiency");
  const auto lines = figure.lines("1");
  for (const auto& [name, line] : lines)
    if (line.contains(4096.0)) {
      EXPECT_LE(line.at(4096.0), lines.at("grid").at(4096.0)) << name;
      EXPECT_GE(line.at(4096.0), lines.at("zigzag").at(4096.0)) << name;
    }
  EXPECT_EQ(
      figure.title(),
      fmt::format("Strong scaling to W = 4096 leaves a worker {} % (zigzag) to {} % (grid) of "
                  "the speed at W = 4",
                  significant(lines.at("zigzag").at(4096.0)),
                  significant(lines.at("grid").at(4096.0))));
}

}  // namespace
}  // namespace qb
