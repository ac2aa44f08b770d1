// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/gnuplot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <regex>
#include <stdexcept>

#include "base/files.h"
#include "base/source_root.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

// Has one of everything; golden/small.csv and golden/small.gp are the expected output.
Figure small_figure() {
  Panel panel{.title = "panel's title",
              .x = {.label = "N (tokens)", .column = "n_tokens"},
              .y = {.label = "time (ms)", .column = "time_ms", .log = true}};
  panel.series = {
      {.name = "W = 1",
       .style = worker_style(1),
       .points = {{1000, 2.5, 2.25, 3}, {2000, kNaN}, {3000, 20, 18.5, 22}}},
      {.name = "W = 1",
       .style = worker_style(1),
       .published = true,
       .points = {{1000, 3.4310221672058105}, {2000, 8.166}}},
      {.name = "W = 1", .draw = Draw::out_of_memory, .style = worker_style(1), .points = {{4000}}},
      {.name = "budget", .draw = Draw::limit, .style = {kGrey, 0}, .points = {{.y = 50}}}};
  return {.name = "small",
          .title = "It's a {small} title",
          .subtitle = "machine · commit",
          .panels = {panel},
          .published_legend = "published",
          .notes = {"A note."}};
}

std::string golden(const std::string& name) {
  return read_file(source_path("plots/draw/golden/" + name));
}

TEST(GnuplotScript, CsvHoldsEveryPlottedNumber) {
  EXPECT_EQ(figure_csv(small_figure()).to_string(), golden("small.csv"));
}

TEST(GnuplotScript, ScriptIsAsItWas) {
  EXPECT_EQ(gnuplot_script(small_figure()), golden("small.gp"));
}

TEST(GnuplotScript, ScriptNamesNoNumberOfTheCsv) {
  EXPECT_THAT(gnuplot_script(small_figure()), ::testing::Not(HasSubstr("3.4310221672058105")));
}

TEST(GnuplotScript, RectanglesHaveEdgesInTheCsv) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "bars", .draw = Draw::rectangles, .text = "7", .points = {{1.5, 2, 1, 3, 1, 2}}}};
  EXPECT_EQ(figure_csv(figure).to_string(),
            "panel,series,kind,n_tokens,time_ms,time_ms_low,time_ms_high,n_tokens_low,"
            "n_tokens_high\n1,bars,data,1.5,2,1,3,1,2\n");
  EXPECT_THAT(gnuplot_script(figure),
              HasSubstr("('7') with labels font ',11' textcolor rgb '#ffffff' notitle"))
      << "white on black";
  figure.panels[0].series[0].style.colour = kComputeColour;
  EXPECT_THAT(gnuplot_script(figure), HasSubstr("('7') with labels font ',11' notitle"));
  figure.panels[0].series[0].style.colour = kBlack;
  figure.panels[0].series[0].points[0].y = 3.5;
  EXPECT_THAT(gnuplot_script(figure), HasSubstr("('7') with labels font ',11' notitle"))
      << "above the rectangle";
}

TEST(GnuplotScript, CrossesOfSeveralLinesAtOneHeightStandBelowOneAnother) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "W = 1", .points = {{1, 1}, {2, 10}}},
      {.name = "W = 1", .draw = Draw::out_of_memory, .points = {{3}}},
      {.name = "W = 1", .draw = Draw::not_tried, .points = {{4}}},
      {.name = "W = 4", .draw = Draw::out_of_memory, .points = {{4}}},
      {.name = "W = 7", .draw = Draw::out_of_memory, .points = {{.x = 4, .y = 5}}}};
  const std::string script = gnuplot_script(figure);
  const auto height = [&](const char* rows) {
    const std::size_t at = script.find(rows);
    const std::size_t begin = script.find("):(", at);
    return script.substr(begin, script.find(" with points", begin) - begin);
  };
  EXPECT_EQ(height("every ::2::2"), height("every ::3::3")) << "of one line";
  EXPECT_NE(height("every ::2::2"), height("every ::4::4")) << "of another";
  EXPECT_EQ(height("every ::2::2"), height("every ::5::5")) << "at another height";
  EXPECT_THAT(script, HasSubstr("with points pt 1 ps")) << "not tried is not a cross";
}

TEST(GnuplotScript, OnPaperEveryTextIsSevenPointsOrMoreAndTheWidthIsAsAsked) {
  Figure figure = small_figure();
  figure.panels[0].series.push_back({.name = "bars",
                                     .draw = Draw::rectangles,
                                     .text = "7",
                                     .points = {{1500, 2, 1, 3, 1000, 2000}}});
  figure.panels.push_back(figure.panels[0]);
  for (const double width_in : {3.5, 7.16}) {
    figure.paper_width_in = width_in;
    const std::string script = gnuplot_script(figure);
    EXPECT_THAT(script,
                HasSubstr(fmt::format("size {:.3f}in,", std::round(width_in * 96.0) / 96.0)));
    const std::regex font("font '[^']*,([0-9.]+)'");
    int fonts = 0;
    for (std::sregex_iterator at(script.begin(), script.end(), font), end; at != end; ++at) {
      EXPECT_GE(std::stod((*at)[1].str()) * 72.0 / 96.0, 7.0) << at->str();
      ++fonts;
    }
    EXPECT_GT(fonts, 4);
    EXPECT_THAT(script, ::testing::Not(HasSubstr("{small} title"))) << "no title is baked in";
    EXPECT_THAT(script, ::testing::Not(HasSubstr("A note.")));
  }
}

TEST(GnuplotScript, DisturbedPointsAreHollowAndMarkedInTheCsv) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "quiet", .points = {{1, 2}}},
      {.name = "noisy", .points = {{1, 3}, {.x = 2, .y = 4, .disturbed = true}}}};
  EXPECT_EQ(figure_csv(figure).to_string(),
            "panel,series,kind,n_tokens,time_ms,time_ms_low,time_ms_high,disturbed\n"
            "1,quiet,data,1,2,,,0\n1,noisy,data,1,3,,,0\n1,noisy,data,2,4,,,1\n");
  EXPECT_THAT(gnuplot_script(figure),
              HasSubstr("(column('disturbed') > 0 ? (num('time_ms')) : NaN) with points"));
  EXPECT_THAT(gnuplot_script(small_figure()), ::testing::Not(HasSubstr("disturbed")));
}

TEST(GnuplotScript, LinesOfARectanglesTextStandAroundItsMiddle) {
  Figure figure = small_figure();
  figure.panels[0].series = {{.name = "bars",
                              .draw = Draw::rectangles,
                              .text = "zigzag\n1.3×",
                              .points = {{1.5, 2, 1, 3, 1, 2}}}};
  const std::string script = gnuplot_script(figure);
  EXPECT_THAT(script,
              ::testing::ContainsRegex("\\('zigzag'\\) with labels font ',11'.* offset 0,0.53"));
  EXPECT_THAT(script,
              ::testing::ContainsRegex("\\('1.3×'\\) with labels font ',11'.* offset 0,-0.53"));
}

TEST(GnuplotScript, ThinSeriesHaveHollowMarksAndDashesAreLengths) {
  Figure figure = small_figure();
  figure.panels[0].series = {
      {.name = "thin", .style = {kBlack, 1}, .thin = true, .points = {{1, 2}}},
      {.name = "dashed", .style = {kBlack, 1, 1}, .points = {{1, 2}}}};
  EXPECT_THAT(gnuplot_script(figure),
              ::testing::AllOf(HasSubstr("linespoints lw 0.8 pt 4"),
                               HasSubstr("linespoints dt (7,3) lw 1.8 pt 5")));
}

TEST(GnuplotScript, PointsHaveNoLineBetweenThem) {
  Figure figure = small_figure();
  figure.panels[0].series = {{.name = "marks", .draw = Draw::points, .points = {{1, 2}}},
                             {.name = "curve", .draw = Draw::line, .style = {kBlack, 0, 1}}};
  figure.panels[0].series[1].points = {{1, 2}, {2, 3}};
  EXPECT_THAT(gnuplot_script(figure), ::testing::AllOf(HasSubstr("with points pt 7"),
                                                       HasSubstr("with lines dt (7,3) lw 1.8")));
}

TEST(GnuplotScript, SeriesThatCannotBeToldApartAreAMistake) {
  Figure figure = small_figure();
  figure.panels[0].series.push_back(figure.panels[0].series[0]);
  EXPECT_THROW((void)figure_csv(figure), std::logic_error);
}

TEST(GnuplotScript, ALegendInsideNamesEachSeriesOnceThoughItIsDrawnInSeveralParts) {
  Figure figure = small_figure();
  figure.legend = Figure::Legend::inside;
  figure.panels[0].series = {{.name = "line and intervals", .points = {{1, 2, 1, 3}, {2, 3, 2, 4}}},
                             {.name = "unnamed", .in_legend = false, .points = {{1, 2}}}};
  const auto count = [](const std::string& text, std::string_view part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++n;
    return n;
  };
  const std::string script = gnuplot_script(figure);
  EXPECT_EQ(count(script, " title 'line and intervals'"), 1);
  EXPECT_EQ(count(script, " title 'unnamed'"), 0);
  EXPECT_THAT(script, HasSubstr("set key inside"));
}

TEST(GnuplotScript, QuotesAreDoubledAndLinesJoined) {
  EXPECT_EQ(gnuplot_quote("it's\n`rm -rf`"), "'it''s `rm -rf`'");
}

}  // namespace
}  // namespace qb
