// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

// The second of `sets` and those after it have larger ratios, each a tenth more than the one
// before.
PlottedRun ratios(const std::vector<std::string>& sets = {"0 1 2", "0 1 3"}, double more = 0.1) {
  CsvTable table({"workers", "interest_set", "n_tokens", "responsibility_ratio"});
  for (std::size_t set = 0; set < sets.size(); ++set)
    for (int n = 4; n < 14; ++n)
      table.append({"4", sets[set], fmt::format("{}", n),
                    fmt::format("{}", n % 4 + 1 + more * static_cast<double>(set))});
  PlottedRun run;
  run.responsibility = table;
  return run;
}

TEST(ResponsibilityRatio, AThinCurveAndItsMeansForEachSet) {
  const Figure figure = responsibility_ratio_figure(ratios());
  ASSERT_EQ(figure.panels.size(), 1u);
  ASSERT_EQ(figure.panels[0].series.size(), 5u) << "and the published value";
  EXPECT_TRUE(figure.panels[0].series[0].thin);
  EXPECT_EQ(figure.panels[0].series[0].points.size(), 10u);
}

TEST(ResponsibilityRatio, MeansAreOfWholeIntervalsAtTheirMiddle) {
  const Figure figure = responsibility_ratio_figure(ratios());
  const auto& means = figure.panels[0].series[2].points;
  ASSERT_EQ(means.size(), 2u) << "[12, 16) is not whole";
  EXPECT_EQ(means[0].x, 6.0);
  EXPECT_EQ(means[0].y, 2.5);
}

TEST(ResponsibilityRatio, SetsOfTheSameRatiosAreOneCurveNamedByBoth) {
  const Figure figure = responsibility_ratio_figure(ratios({"0 1 2", "0 1 3"}, 0.0));
  ASSERT_EQ(figure.panels.at(0).series.size(), 3u);
  EXPECT_EQ(figure.panels[0].series[1].name, "{0 1 2} = {0 1 3}");
  EXPECT_EQ(figure.panels[0].title, "W = 4: 2 interest sets of the least size");
}

TEST(ResponsibilityRatio, OfManySetsTheBestAndTheWorstHaveColours) {
  const Figure figure = responsibility_ratio_figure(
      ratios({"0 1 2", "0 1 3", "0 1 4", "0 1 5", "0 1 6", "0 1 7", "0 1 8"}));
  std::vector<std::string> named;
  for (const Series& series : figure.panels.at(0).series)
    if (series.in_legend && series.draw != Draw::limit) named.push_back(series.name);
  EXPECT_THAT(named, ::testing::ElementsAre("{0 1 2}", "{0 1 8}"));
}

TEST(ResponsibilityRatio, ThePublishedValueIsALine) {
  const Figure figure = responsibility_ratio_figure(ratios());
  const Series& line = figure.panels[0].series.back();
  EXPECT_EQ(line.draw, Draw::limit);
  EXPECT_DOUBLE_EQ(line.points.at(0).y, 3.1963);
  EXPECT_EQ(line.name, "published asym-RR 3.1963");
}

TEST(ResponsibilityRatio, NoRatiosGiveASentence) {
  PlottedRun none = ratios();
  none.responsibility = CsvTable(none.responsibility->header());
  EXPECT_EQ(responsibility_ratio_figure(none).empty_reason, "there are no ratios");
}

}  // namespace
}  // namespace qb
