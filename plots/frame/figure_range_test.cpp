// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure.h"

#include <gmock/gmock.h>

#include "base/status.h"

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Series line(const std::string& name, std::initializer_list<double> x) {
  Series series{.name = name};
  for (const double at : x) series.points.push_back({.x = at, .y = 2.0 * at});
  return series;
}

// Two panels: ring and zigzag at 1, 2 and 4, and ring alone at 8.
Figure two_panels() {
  Figure figure{.name = "speed", .columns = 2};
  figure.panels = {{.title = "left",
                    .x = {.column = "x", .tics = {{1.0, "1"}, {4.0, "4"}}},
                    .series = {line("ring", {1.0, 2.0, 4.0}), line("zigzag", {1.0, 2.0, 4.0}),
                               limit_line("ideal", 1.0)}},
                   {.title = "right", .series = {line("ring", {8.0})}}};
  return figure;
}

std::vector<std::string> names(const Panel& panel) {
  std::vector<std::string> found;
  for (const Series& series : panel.series) found.push_back(series.name);
  return found;
}

TEST(FigureRange, KeepsItsEndsAndLimitsAndTheTicsInIt) {
  const Figure figure = within(two_panels(), 2.0, 4.0);
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(names(figure.panels[0]), ElementsAre("ring", "zigzag", "ideal"));
  const std::vector<Point>& points = figure.panels[0].series[0].points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].x, 2.0);
  EXPECT_EQ(points[1].x, 4.0);
  ASSERT_EQ(figure.panels[0].x.tics.size(), 1u);
  EXPECT_EQ(figure.panels[0].x.tics[0].value, 4.0);
  EXPECT_THAT([] { (void)within(two_panels(), 5.0, 7.0); },
              ThrowsMessage<UsageError>(HasSubstr("has no point from 5 to 7")));
}

TEST(FigureRange, AnEmptyFigureStaysOneWithItsReason) {
  EXPECT_EQ(within(empty_figure("speed", "no case ran"), 1.0, 2.0).empty_reason, "no case ran");
}

}  // namespace
}  // namespace qb
