// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/bars.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using testing_support::series_named;

BarFigure::Bar bar(double x, double computing, double waiting) {
  return {.x = x,
          .parts = {{"compute", kComputeColour, computing}, {"idle", kIdleColour, waiting}}};
}

BarFigure declared() {
  return {.title = "Parts",
          .nothing = "no bar",
          .x = {.label = "N", .column = "n_tokens_index"},
          .y = percent_axis("share (%)"),
          .panels = {{"one", {bar(128, 3.0, 1.0), bar(64, 1.0, 0.0)}}},
          .least_texted = 0.5};
}

TEST(BarFigure, PartsAreStackedAsSharesOfTheirSumAtPlacesThatAscend) {
  const Figure figure = bar_figure(declared());
  const Panel& panel = figure.panels.at(0);
  ASSERT_EQ(panel.x.tics.size(), 2u);
  EXPECT_EQ(panel.x.tics[0].label, "64");
  const std::vector<Point>& compute = series_named(panel, "compute").points;
  ASSERT_EQ(compute.size(), 2u);
  EXPECT_EQ(compute[0].x, 1.0);
  EXPECT_EQ(compute[0].high, 75.0);
  const std::vector<Point>& idle = series_named(panel, "idle").points;
  ASSERT_EQ(idle.size(), 1u) << "a part of 0 is not drawn";
  EXPECT_EQ(idle[0].low, 75.0);
  EXPECT_EQ(idle[0].high, 100.0);
  EXPECT_EQ(idle[0].y, 25.0) << "y is the value, not the middle";
}

TEST(BarFigure, OnlyPartsWithRoomHaveTheirShareAsText) {
  const Panel panel = bar_figure(declared()).panels.at(0);
  EXPECT_EQ(series_named(panel, "compute").points.at(0).text, "75");
  EXPECT_EQ(series_named(panel, "idle").points.at(0).text, "");
}

TEST(BarFigure, PublishedBarsAreLighterAndDoNotMakeAFigure) {
  BarFigure figure = declared();
  BarFigure::Bar theirs = bar(64, 1.0, 1.0);
  theirs.published = true;
  figure.panels.push_back({"theirs", {theirs}});
  const Panel panel = bar_figure(figure).panels.at(1);
  EXPECT_EQ(series_named(panel, "compute").style.colour, lightened(kComputeColour));
  EXPECT_TRUE(series_named(panel, "compute").in_legend);
  figure.panels.erase(figure.panels.begin());
  EXPECT_EQ(bar_figure(figure).empty_reason, "no bar");
}

}  // namespace
}  // namespace qb
