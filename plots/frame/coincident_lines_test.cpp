// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/coincident_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plots/draw/gnuplot.h"
#include "plots/frame/figure_layout.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Series line(const std::string& name, const std::vector<double>& values) {
  Series series{.name = name, .style = algorithm_style(name.substr(0, name.find(',')))};
  for (std::size_t i = 0; i < values.size(); ++i)
    series.points.push_back({.x = static_cast<double>(i + 1), .y = values[i]});
  return series;
}

Figure figure_of(std::vector<std::vector<Series>> panels) {
  Figure figure{.name = "lines", .title = "Lines"};
  for (std::vector<Series>& series : panels)
    figure.panels.push_back({.x = {.label = "W", .column = "workers"},
                             .y = {.label = "ratio", .column = "ratio"},
                             .series = std::move(series)});
  return figure;
}

std::vector<std::string> names(const Figure& figure, std::size_t p = 0) {
  std::vector<std::string> out;
  for (const Coincidence& found : coincident_lines(figure, p)) out.push_back(found.name);
  return out;
}

std::vector<std::string> legend_of(const Figure& figure) {
  std::vector<std::string> out;
  for (const Series& entry : legend_entries(figure)) out.push_back(entry.name);
  return out;
}

TEST(CoincidentLines, ThoseThatAgreeAtEveryPointAreNamedTogether) {
  const Figure figure = figure_of({{line("ring", {1, 2, 4}), line("striped", {1, 2, 4}),
                                    line("zigzag", {1, 2, 4.001}), line("cqs", {1, 2, 3})}});
  EXPECT_THAT(names(figure), ElementsAre("ring = striped = zigzag"));
  EXPECT_EQ(coincident_lines(figure, 0).at(0).drawn, 0u);
  EXPECT_THAT(coincident_lines(figure, 0).at(0).hidden, ElementsAre(1u, 2u));
}

TEST(CoincidentLines, MoreThanAStrokeApartTheyAreTwo) {
  EXPECT_THAT(names(figure_of({{line("ring", {1, 2, 4}), line("striped", {1, 2, 4.1})}})),
              IsEmpty());
  Series bars = line("striped", {1, 2, 4});
  for (Point& point : bars.points) {
    point.low = point.y - 0.5;
    point.high = point.y + 0.5;
  }
  EXPECT_THAT(names(figure_of({{line("ring", {1, 2, 4}), bars}})), IsEmpty())
      << "the interval would be lost";
}

TEST(CoincidentLines, AShorterLineIsNamedWithItsRange) {
  Series sharded = line("cqs", {1, 2, 4});
  sharded.points.erase(sharded.points.begin());
  EXPECT_THAT(names(figure_of({{sharded, line("ring", {1, 2, 4})}})),
              ElementsAre("ring = cqs (2 to 3)"));
  sharded.points.erase(sharded.points.begin());
  EXPECT_THAT(names(figure_of({{sharded, line("ring", {1, 2, 4})}})),
              ElementsAre("ring = cqs (at 3)"));
  sharded.points.push_back({.x = 9, .y = 9});
  EXPECT_THAT(names(figure_of({{sharded, line("ring", {1, 2, 4})}})), IsEmpty())
      << "neither is all of the other";
}

TEST(CoincidentLines, WhatIsMeasuredIsNeverJoinedWithWhatIsNot) {
  Series published = line("ring", {1, 2, 4});
  published.published = true;
  Series thin = line("cqs", {1, 2, 4});
  thin.thin = true;
  EXPECT_THAT(names(figure_of({{line("striped", {1, 2, 4}), published, thin}})), IsEmpty());
}

TEST(CoincidentLines, WhatAllNamesEndWithIsSaidOnce) {
  EXPECT_THAT(names(figure_of({{line("ring, model", {1, 2}), line("zigzag, model", {1, 2})}})),
              ElementsAre("ring = zigzag, model"));
}

TEST(CoincidentLines, TogetherInEveryPanelTheyAreOneEntryOfTheLegend) {
  const std::vector<Series> both = {line("striped", {1, 2, 4}), line("ring", {1, 2, 4})};
  const Figure figure = figure_of({both, both, {line("cqs", {1, 2})}});
  EXPECT_THAT(legend_of(figure), ElementsAre("cqs", "ring = striped"))
      << "in the order of the registry";
  EXPECT_THAT(lay_out(figure).labels.at(0), IsEmpty());
}

TEST(CoincidentLines, ALongNameStandsAboveThePanelAndNotInTheLegend) {
  const Figure figure = figure_of({{line("striped", {1, 2, 4}), line("flash_decoding", {1, 2, 4}),
                                    line("all_gather_kv", {1, 2, 4})}});
  EXPECT_THAT(legend_of(figure), ElementsAre("striped", "all_gather_kv", "flash_decoding"));
  EXPECT_EQ(lay_out(figure).labels.at(0).size(), 1u);
}

TEST(CoincidentLines, BackgroundCurvesHaveNoLabelAndManyLabelsAreCutShort) {
  std::vector<Series> curves = {line("a", {1, 2}), line("b", {1, 2})};
  for (Series& curve : curves) {
    curve.draw = Draw::line;
    curve.in_legend = false;
  }
  EXPECT_THAT(names(figure_of({curves})), ElementsAre("a = b"));
  EXPECT_THAT(lay_out(figure_of({curves})).labels.at(0), IsEmpty());
  std::vector<Series> pairs;
  for (int i = 0; i < 7; ++i)
    for (const char* half : {"left", "right"}) {
      pairs.push_back(line(fmt::format("{} {}", half, i), {1.0 + i, 3.0 + i}));
      pairs.back().in_legend = false;
    }
  const auto labels = lay_out(figure_of({pairs})).labels.at(0);
  ASSERT_EQ(labels.size(), 6u);
  EXPECT_EQ(labels[0].text, "left 0 = right 0");
  EXPECT_EQ(labels[5].text, "and 2 more on one another");
}

TEST(CoincidentLines, ApartInAnyPanelThePanelSaysWhoIsTogether) {
  const Figure figure = figure_of({{line("ring", {1, 2, 4}), line("zigzag", {1, 2, 4})},
                                   {line("ring", {1, 2, 4}), line("zigzag", {4, 2, 1})}});
  EXPECT_THAT(legend_of(figure), ElementsAre("ring", "zigzag"));
  const Layout layout = lay_out(figure);
  ASSERT_EQ(layout.labels.at(0).size(), 1u);
  EXPECT_EQ(layout.labels[0][0].text, "ring = zigzag");
  EXPECT_EQ(layout.labels[0][0].colour, algorithm_style("ring").colour);
  EXPECT_THAT(layout.labels.at(1), IsEmpty());
}

TEST(CoincidentLines, TheScriptDrawsThemOnceAndTheCsvHasThemAll) {
  const Figure figure = figure_of({{line("ring", {1, 2, 4}), line("zigzag", {1, 2, 4})},
                                   {line("ring", {1, 2, 4}), line("zigzag", {4, 2, 1})}});
  EXPECT_EQ(figure_csv(figure).size(), 12u);
  EXPECT_THAT(
      gnuplot_script(figure),
      AllOf(HasSubstr("every ::0::2"), Not(HasSubstr("every ::3::5")), HasSubstr("every ::6::8"),
            HasSubstr("every ::9::11"), HasSubstr("'ring = zigzag' at screen")));
}

}  // namespace
}  // namespace qb
