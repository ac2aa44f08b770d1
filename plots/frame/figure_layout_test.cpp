// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure_layout.h"

#include <gmock/gmock.h>

namespace qb {
namespace {

Figure two_panels() {
  Figure figure{.name = "two", .title = "Two", .columns = 2, .published_legend = "published"};
  for (const double high : {10.0, 1000.0}) {
    Panel panel{.title = "panel",
                .x = {.label = "N", .column = "n_tokens"},
                .y = {.label = "time (ms)", .column = "time_ms", .log = true}};
    panel.series = {{.name = "W = 7", .points = {{.x = 1.0, .y = 1.0}, {.x = 2.0, .y = high}}},
                    {.name = "W = 7", .published = true, .points = {{.x = 1.0, .y = 2.0}}},
                    {.name = "W = 7", .draw = Draw::out_of_memory, .points = {{.x = 3.0}}},
                    {.name = "budget", .draw = Draw::limit, .points = {{.y = 5.0}}}};
    figure.panels.push_back(panel);
  }
  return figure;
}

TEST(FigureLayout, TheLegendNamesEachThingOnce) {
  std::vector<std::string> texts;
  for (const Series& entry : legend_entries(two_panels())) texts.push_back(entry.name);
  EXPECT_THAT(texts, ::testing::ElementsAre("W = 7", "published", "out of memory", "budget"));
}

TEST(FigureLayout, WithoutAWordForAllPublishedEachHasItsOwn) {
  Figure figure = two_panels();
  figure.published_legend.clear();
  for (Panel& panel : figure.panels) panel.series[1].name = "W = 7, published";
  std::vector<std::string> texts;
  for (const Series& entry : legend_entries(figure)) texts.push_back(entry.name);
  EXPECT_THAT(texts,
              ::testing::ElementsAre("W = 7", "W = 7, published", "out of memory", "budget"));
}

TEST(FigureLayout, TheLegendStandsRightOfAllPanelsAndOnTheCanvas) {
  const Layout layout = lay_out(two_panels());
  for (const Layout::Box& plot : layout.plots) EXPECT_LT(plot.right, layout.legend_left);
  EXPECT_LT(layout.legend_left, layout.width);
}

TEST(FigureLayout, LongTicLabelsGetMoreRoom) {
  Figure figure = two_panels();
  const double left = lay_out(figure).plots[0].left;
  figure.panels[1].series[0].points[1].y = 5e5;  // 100,000
  EXPECT_GT(lay_out(figure).plots[0].left, left + 5.0);
}

TEST(FigureLayout, PanelsDoNotOverlap) {
  Figure figure = two_panels();
  figure.panels.push_back(figure.panels.front());
  const Layout layout = lay_out(figure);
  ASSERT_EQ(layout.plots.size(), 3u);
  EXPECT_LT(layout.plots[0].right, layout.plots[1].left);
  EXPECT_LT(layout.plots[0].bottom, layout.plots[2].top);
  EXPECT_LT(layout.plots[2].bottom, layout.notes_top);
}

TEST(FigureLayout, NotesMakeTheCanvasHigher) {
  Figure figure = two_panels();
  const int before = lay_out(figure).height;
  figure.notes = {std::string(400, 'x') + " and more"};
  EXPECT_GT(lay_out(figure).height, before);
}

TEST(FigureLayout, SharedAxesHaveOneRange) {
  Figure figure = two_panels();
  EXPECT_NE(y_scale(figure, 0).max, y_scale(figure, 1).max);
  figure.shared_axes = true;
  EXPECT_EQ(y_scale(figure, 0).max, y_scale(figure, 1).max);
}

TEST(FigureLayout, APanelWithAxesOfItsOwnNeitherGivesNorTakesARange) {
  Figure figure = two_panels();
  figure.panels.push_back(figure.panels[0]);
  figure.shared_axes = true;
  figure.panels[1].own_axes = true;
  EXPECT_EQ(y_scale(figure, 0).max, y_scale(figure, 2).max);
  EXPECT_LT(y_scale(figure, 0).max, 20.0);
  EXPECT_GT(y_scale(figure, 1).max, 1000.0);
}

TEST(FigureLayout, NamesOfCoincidentLinesHaveRoomAboveTheirPanel) {
  Figure figure = two_panels();
  const double top = lay_out(figure).plots[0].top;
  for (Panel& panel : figure.panels)
    for (const char* name : {"W = 8", "W = 9"})
      panel.series.push_back(
          {.name = name, .points = {{.x = 1.0, .y = 3.0}, {.x = 2.0, .y = 4.0}}});
  figure.panels[1].series.back().points.back().y = 400.0;
  const Layout layout = lay_out(figure);
  ASSERT_EQ(layout.labels.at(0).size(), 1u);
  EXPECT_EQ(layout.labels[0][0].text, "W = 8 and W = 9");
  EXPECT_EQ(layout.plots[0].top, top + kLabelLine);
  EXPECT_EQ(layout.plots[1].top, layout.plots[0].top) << "panels of a row stay level";
}

TEST(FigureLayout, ASharedXLeavesEachPanelItsOwnY) {
  Figure figure = two_panels();
  figure.panels[1].series[0].points.push_back({.x = 1e6, .y = 1.0});
  figure.shared_x = true;
  EXPECT_EQ(x_scale(figure, 0).max, x_scale(figure, 1).max);
  EXPECT_NE(y_scale(figure, 0).max, y_scale(figure, 1).max);
}

TEST(FigureLayout, ANarrowFrameLabelsEverySecondPowerOfTwo) {
  Figure figure = two_panels();
  figure.panels.resize(1);
  figure.panels[0].series = {
      {.name = "ring", .points = {{.x = 512.0, .y = 1.0}, {.x = 8192.0, .y = 1.0}}}};
  figure.panels[0].x = tokens_axis(std::vector<double>{512.0, 8192.0});
  EXPECT_EQ(x_scale(figure, 0).tics.size(), 5u);
  EXPECT_EQ(x_scale(figure, 0, 110.0).tics.size(), 3u);
}

TEST(FigureLayout, ColumnsAreNamedByTheAxesWhereAllPanelsAgree) {
  Figure figure = two_panels();
  EXPECT_EQ(csv_columns(figure)[kCsvY], "time_ms");
  figure.panels[1].y.column = "speed_up_ratio";
  EXPECT_EQ(csv_columns(figure)[kCsvX], "n_tokens");
  EXPECT_EQ(csv_columns(figure)[kCsvY], "y");
}

TEST(FigureLayout, OnPaperTextIsSevenPointsTheLegendIsBelowAndTheCaptionApart) {
  Figure figure = two_panels();
  figure.title = "A title";
  figure.subtitle = "a machine";
  figure.notes = {"A note."};
  figure.panels.resize(4, figure.panels[0]);
  for (const double width_in : {3.5, 7.16}) {
    SCOPED_TRACE(width_in);
    figure.paper_width_in = width_in;
    const Sheet sheet = sheet_of(figure);
    const double points = 72.0 / kPixelsPerInch;
    for (const double size : {sheet.text, sheet.panel_title, sheet.small})
      EXPECT_GE(size * points, 7.0);
    const Layout layout = lay_out(figure);
    EXPECT_EQ(layout.width, std::lround(width_in * kPixelsPerInch));
    EXPECT_TRUE(layout.subtitle.empty());
    EXPECT_TRUE(layout.notes.empty());
    for (const Layout::Box& box : layout.plots) {
      EXPECT_GT(box.right - box.left, 100.0);
      EXPECT_LT(box.right, layout.width);
      EXPECT_LT(box.bottom, layout.legend_top);
    }
    // One panel a row in a column, three across a page.
    EXPECT_EQ(layout.plots[0].top == layout.plots[1].top, width_in > 7.0);
    EXPECT_EQ(layout.plots[0].top == layout.plots[3].top, false);
    EXPECT_GT(layout.legend_rows, 0);
    EXPECT_GE(layout.height, layout.legend_top + 12.0 * layout.legend_rows);
  }
}

}  // namespace
}  // namespace qb
