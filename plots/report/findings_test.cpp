#include "plots/report/findings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_support::fresh_folder;

using Points = std::vector<Point>;

Series line(const std::string& name, Points points) {
  return {.name = name, .points = std::move(points)};
}

// Time against N, in one panel.
Figure times(std::vector<Series> series) {
  Panel panel{.x = {.label = "sequence length N (tokens)", .column = "n_tokens"},
              .y = {.label = "time (ms)", .column = "time_ms"},
              .series = std::move(series)};
  return {.name = "times", .panels = {panel}};
}

TEST(Findings, TheLargestRatioHasItsPlaceAndItsInterval) {
  const Figure figure = times({line("ring", {{1024, 10, 9, 11}, {2048, 40, 38, 42}}),
                               line("cqs", {{1024, 8, 7, 8.5}, {2048, 10, 9.5, 10.5}})});
  EXPECT_THAT(findings(figure),
              ElementsAre("The largest ratio of time is 4.00 (3.62 to 4.42), ring over cqs at N = "
                          "2,048."));
}

TEST(Findings, WhatTheFigureSaysItselfIsFirst) {
  Figure figure = times({line("ring", {{1024, 3}}), line("cqs", {{1024, 2}})});
  figure.findings = {"All cells are white.", ""};
  EXPECT_THAT(findings(figure), ElementsAre("All cells are white.", HasSubstr("largest ratio")));
}

TEST(Findings, OverlappingIntervalsAreSaidToBe) {
  const Figure figure =
      times({line("ring", {{1024, 10, 8, 12}}), line("cqs", {{1024, 9, 8.5, 10}})});
  EXPECT_THAT(findings(figure),
              ElementsAre("The largest ratio of time is 1.11 (0.800 to 1.41), ring over cqs at N = "
                          "1,024; the two intervals overlap, so that their order is not certain."));
}

TEST(Findings, AMissingIntervalAndADisturbanceAreSaid) {
  Figure figure = times({line("ring", {{512, 1, 0.9, 1.1}, {1024, 10}}),
                         line("cqs", {{512, 1, 0.9, 1.1}, {1024, 5, 4, 6}})});
  figure.panels[0].series[0].points[1].disturbed = true;
  EXPECT_THAT(findings(figure),
              ElementsAre("The largest ratio of time is 2.00, ring over cqs at N = 1,024; without "
                          "an interval; measured while disturbed."));
}

TEST(Findings, ExactNumbersNeedNoInterval) {
  EXPECT_THAT(findings(times({line("ring", {{1024, 3}}), line("cqs", {{1024, 2}})})),
              ElementsAre("The largest ratio of time is 1.50, ring over cqs at N = 1,024."));
}

TEST(Findings, ValuesOfBothSignsHaveADifference) {
  EXPECT_THAT(
      findings(times({line("ring", {{1024, 3}}), line("cqs", {{1024, -2}})})),
      ElementsAre("The largest difference of time is 5.00 ms, ring minus cqs at N = 1,024."));
}

TEST(Findings, LinesThatCoincideOrShareNoPlaceHaveNone) {
  EXPECT_THAT(findings(times({line("ring", {{1024, 3}}), line("cqs", {{1024, 3}})})), IsEmpty());
  EXPECT_THAT(findings(times({line("ring", {{1024, 3}}), line("cqs", {{2048, 2}})})), IsEmpty());
}

TEST(Findings, LinesCrossWhereTheirIntervalsAreApartOnBothSides) {
  const Figure figure =
      times({line("ring", {{1024, 1, 0.9, 1.1}, {2048, 4, 3.5, 4.5}, {4096, 16, 15, 17}}),
             line("cqs", {{1024, 3, 2.8, 3.2}, {2048, 4.2, 4, 5}, {4096, 6, 5, 7}})});
  EXPECT_THAT(findings(figure), Contains("ring and cqs cross between N = 1,024 and N = 4,096, "
                                         "where ring becomes the larger one."));
}

TEST(Findings, MediansThatCrossWithinTheirIntervalsDecideNothing) {
  const Figure figure =
      times({line("ring", {{1024, 1, 0.9, 1.1}, {2048, 4, 3, 5}, {4096, 7, 5, 9}}),
             line("cqs", {{1024, 3, 2.8, 3.2}, {2048, 4.2, 4, 5}, {4096, 6, 5, 7}})});
  EXPECT_THAT(findings(figure),
              Contains("The medians of ring and cqs cross between N = 2,048 and N = 4,096, "
                       "but their intervals overlap there."));
  EXPECT_THAT(findings(figure), Not(Contains(HasSubstr("becomes the larger"))));
}

TEST(Findings, ManyCrossingsAreCounted) {
  std::vector<Series> fans;
  for (int i = 0; i < 5; ++i)
    fans.push_back(line(fmt::format("line {}", i), {{1.0, 1.0 + i}, {2.0, 10.0 - i}}));
  EXPECT_THAT(findings(times(fans)), Contains("In time, 10 pairs of lines cross once each."));
  const auto there_and_back = [](const char* name, double y) {
    return line(name, {{1.0, 5.0 + y}, {2.0, 5.0 - y}, {3.0, 5.0 + y}, {4.0, 5.0 - y}});
  };
  std::vector<Series> waves = {there_and_back("ring", 2.0), there_and_back("cqs", 1.0)};
  EXPECT_THAT(findings(times(waves)), Contains("In time, ring and cqs cross in 3 places."));
  waves.push_back(line("dense", {{1.0, 6.5}, {2.0, 6.5}, {3.0, 6.5}, {4.0, 6.5}}));
  EXPECT_THAT(findings(times(waves)),
              Contains("In time, lines cross in 6 places, most often ring and cqs (3)."));
}

// Points of a curve at powers of two of x.
Points curve(const std::function<double(double)>& y, double last = 16384.0) {
  Points points;
  for (double x = 1024.0; x <= last; x *= 2.0) points.push_back({x, y(x)});
  return points;
}

TEST(Findings, APowerHasItsExponent) {
  const Figure figure = times({line("dense", curve([](double x) { return 3e-9 * x * x; }))});
  EXPECT_THAT(findings(figure),
              ElementsAre("The time of dense goes as N^2.00 over 5 points (fit on logarithms with "
                          "its 95 % interval)."));
}

TEST(Findings, TheIntervalOfAnExponentIsThatOfStudentsDistribution) {
  // y = x, but for a factor e^±0.1 in turns; worked by hand: the slope's deviation is
  // sqrt(sum of squares / 3 / spread).
  int i = 0;
  const Figure figure = times(
      {line("cqs", curve([&](double x) { return x * std::exp(i++ % 2 == 0 ? 0.1 : -0.1); }))});
  EXPECT_THAT(findings(figure), ElementsAre(HasSubstr("N^1.00 (0.82 to 1.18)")));
}

TEST(Findings, WhatIsShortOrNoPowerHasNoExponent) {
  EXPECT_THAT(findings(times({line("short", curve([](double x) { return x; }, 4096.0))})),
              IsEmpty());
  EXPECT_THAT(findings(times({line("flat", curve([](double x) { return 2.0 + std::sin(x); }))})),
              IsEmpty());
}

TEST(Findings, OfManyLinesTheExtremeOnesAreNamed) {
  std::vector<Series> lines;
  for (const double power : {2.0, 1.0, 1.5})
    lines.push_back(
        line(fmt::format("p{}", power), curve([&](double x) { return std::pow(x, power); })));
  EXPECT_THAT(findings(times(lines)),
              Contains("Of 3 lines of 5 points, p1 has the least exponent of time, N^1.00, and p2 "
                       "the largest, N^2.00 (fit on logarithms with its 95 % interval)."));
}

TEST(Findings, ExponentsWhoseIntervalsOverlapAreSaidTo) {
  std::vector<Series> lines;
  for (const double power : {1.0, 1.02, 1.04})
    lines.push_back(line(fmt::format("p{}", power), curve([&, i = 0](double x) mutable {
                           return std::pow(x, power) * (i++ % 2 == 0 ? 1.1 : 0.9);
                         })));
  EXPECT_THAT(findings(times(lines)), Contains(HasSubstr(", but their intervals overlap (fit")));
}

TEST(Findings, PublishedAndBackgroundLinesLimitsAndBarsGiveNoSentence) {
  Series published = line("paper", {{1024, 100}});
  published.published = true;
  Series background = line("background", {{1024, 9}});
  background.thin = true;
  Series bars = line("bars", {box(0, 1, 0, 50)});
  bars.draw = Draw::rectangles;
  EXPECT_THAT(findings(times({line("ours", {{1024, 3}}), published, background, bars,
                              limit_line("peak", 7.0)})),
              IsEmpty());
}

TEST(Findings, OfRowsWithNamesThereIsNoDifference) {
  Figure rows = times({line("ring", {{1024, 3}}), line("zigzag", {{1024, 1}})});
  EXPECT_THAT(findings(rows), Not(IsEmpty()));
  rows.panels[0].y.label.clear();
  EXPECT_THAT(findings(rows), IsEmpty());
}

// Bars of two parts; each box is a slice.
Figure bars(Points compute, Points idle) {
  Figure figure = times({line("compute", std::move(compute)), line("idle", std::move(idle))});
  figure.panels[0].series[1].style.colour = kGrey;
  for (Series& series : figure.panels[0].series) series.draw = Draw::rectangles;
  return figure;
}

TEST(Findings, StandingBarsSayOfWhatTheyAreMade) {
  const Figure figure = bars({box(-0.4, 0.4, 0, 40), box(0.6, 1.4, 0, 80)},
                             {box(-0.4, 0.4, 40, 100), box(0.6, 1.4, 80, 100)});
  EXPECT_THAT(findings(figure),
              ElementsAre("The bars are 40 to 80 % compute and 20 to 60 % idle."));
}

TEST(Findings, LyingBarsSayOfWhatTheyAreMade) {
  Figure figure = bars({box(0, 3, -0.4, 0.4), box(0, 1, 0.6, 1.4)},
                       {box(3, 4, -0.4, 0.4), box(1, 4, 0.6, 1.4)});
  figure.panels[0].x.from_zero = true;
  EXPECT_THAT(findings(figure),
              ElementsAre("The bars are 25 to 75 % compute and 25 to 75 % idle."));
}

TEST(Findings, SlicesWithATextOfTheirOwnBelongToThePartOfTheirColour) {
  Figure figure = bars({box(-0.4, 0.4, 0, 40)}, {box(-0.4, 0.4, 40, 100)});
  Series step = figure.panels[0].series[0];
  step.name = "compute, step 1";
  step.in_legend = false;
  step.points = {box(-0.4, 0.4, 100, 200)};
  figure.panels[0].series.push_back(step);
  EXPECT_THAT(findings(figure), ElementsAre("The bar is 70 % compute and 30 % idle."));
}

TEST(Findings, KeysAtTheFootAndBarsOfOnePartAreLeftOut) {
  Figure figure = bars({box(-0.4, 0.4, 0, 40), box(0.6, 1.4, 0, 80)},
                       {box(-0.4, 0.4, 40, 100), box(0.6, 1.4, 80, 100)});
  Series fused = figure.panels[0].series[0];
  fused.name = "fused";
  fused.style.colour = 0x654321;
  fused.points = {box(1.6, 2.4, 0, 30)};
  Series foot = figure.panels[0].series[1];
  foot.name = "pass_kv";
  foot.style.colour = 0x123456;
  foot.points = {box(-0.4, 0.4, -19, -2)};
  figure.panels[0].series.insert(figure.panels[0].series.end(), {fused, foot});
  EXPECT_THAT(findings(figure),
              ElementsAre("The bars are 40 to 80 % compute and 20 to 60 % idle."));
}

TEST(Findings, AreasThatAreNoBarsGiveNoShares) {
  EXPECT_THAT(findings(bars({box(0, 1, 0, 1)}, {box(1, 2, 0, 1)})), IsEmpty()) << "a map";
  EXPECT_THAT(findings(bars({box(0, 1, 0, 1)}, {box(1, 3, 0, 4)})), IsEmpty()) << "a partition";
  EXPECT_THAT(findings(bars({box(0, 1, 1, 2)}, {box(0, 1, 2, 4)})), IsEmpty())
      << "a map whose cells differ in height";
}

TEST(Findings, SayInWhichPanel) {
  Figure figure = times({line("ring", {{1024, 3}}), line("cqs", {{1024, 2}})});
  figure.panels.push_back(figure.panels[0]);
  figure.panels[1].title = "causal mask";
  figure.panels[1].series[0].points[0].y = 6;
  EXPECT_THAT(findings(figure),
              ElementsAre("In panel 2 (causal mask), the largest ratio of time is "
                          "3.00, ring over cqs at N = 1,024."));
}

TEST(Findings, PanelsOfOtherQuantitiesHaveTheirOwn) {
  Figure figure = times({line("ring", {{1024, 3}}), line("cqs", {{1024, 2}})});
  figure.panels.push_back(figure.panels[0]);
  figure.panels[1].y = {.label = "sent (GB)", .column = "sent_gb"};
  EXPECT_EQ(findings(figure).size(), 2u);
}

TEST(Findings, MarksWithoutALineDoNotCross) {
  Figure figure = times({line("ring", {{1, 3}, {2, 1}}), line("cqs", {{1, 2}, {2, 2}})});
  for (Series& series : figure.panels[0].series) series.draw = Draw::points;
  EXPECT_THAT(findings(figure), ElementsAre(HasSubstr("The largest ratio of time is 2.00")));
}

TEST(Findings, APlaceHasItsUnit) {
  Figure figure = times({line("ring", {{0.006, 3}}), line("cqs", {{0.006, 2}})});
  figure.panels[0].x = {.label = "bandwidth (GB/s)", .column = "bandwidth_gb_per_s"};
  EXPECT_THAT(findings(figure), ElementsAre(HasSubstr("at bandwidth = 0.006 GB/s.")));
}

TEST(Findings, ACurveWithoutMarksIsAReferenceWhereOthersHaveMarks) {
  Figure figure = times({line("ring", {{1024, 3}}), line("bound", {{1024, 2}})});
  figure.panels[0].series[1].draw = Draw::line;
  EXPECT_THAT(findings(figure), IsEmpty());
  figure.panels[0].series[0].draw = Draw::line;
  EXPECT_EQ(findings(figure).size(), 1u);
}

TEST(Findings, WhatIsFlatHasNoExponent) {
  EXPECT_THAT(findings(times({line("flat", curve([](double x) { return std::pow(x, 1e-3); }))})),
              IsEmpty());
}

TEST(Findings, OfManyQuantitiesTheFirstHasItsGrowth) {
  Figure figure = times({line("dense", curve([](double x) { return x; }))});
  for (const char* label : {"sent (GB)", "memory (GiB)"}) {
    figure.panels.push_back(figure.panels[0]);
    figure.panels.back().y = {.label = label, .column = "other"};
  }
  EXPECT_THAT(findings(figure), ElementsAre(HasSubstr("In panel 1, the time of dense goes as")));
}

TEST(Findings, AGroupThatIsDividedByIsNoUnit) {
  Figure figure = times({line("ring", {{3, 3}}), line("cqs", {{3, 2}})});
  figure.panels[0].x = {.label = "miss rate T / (P + T) (%)", .column = "miss_rate_percent"};
  figure.panels[0].y = {.label = "time / (ideal time)", .column = "time_over_ideal"};
  EXPECT_THAT(findings(figure),
              ElementsAre("The largest ratio of time / (ideal time) is 1.50, ring over cqs at miss "
                          "rate T / (P + T) = 3 %."));
}

TEST(Findings, WordsOnAnAxisNameThePlace) {
  Figure figure = times({line("ring", {{1, 3}}), line("cqs", {{1, 2}})});
  figure.panels[0].x.tics = {{1, "full mask"}};
  EXPECT_THAT(findings(figure),
              ElementsAre("The largest ratio of time is 1.50, ring over cqs at full mask."));
}

TEST(Findings, AreWrittenBesideThoseOfOtherFigures) {
  const std::string folder = fresh_folder("findings");
  Figure figure = times({line("ring", {{1024, 3}}), line("cqs", {{1024, 2}})});
  figure.title = "Times";
  Figure other = times({line("ring", {{1024, 3}})});
  other.name = "none";
  other.title = "One, alone";
  const std::string path = write_findings({figure, other}, folder);
  figure.panels[0].series[0].points[0].y = 4;
  write_findings({figure}, folder);
  EXPECT_EQ(
      read_file(path),
      "figure,title,finding\nnone,\"One, alone\",\ntimes,Times,\"The largest ratio of time is "
      "2.00, ring over cqs at N = 1,024.\"\n");
}

}  // namespace
}  // namespace qb
