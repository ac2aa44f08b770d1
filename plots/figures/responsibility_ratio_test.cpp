#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

PlottedRun ratios() {
  CsvTable table({"workers", "interest_set", "n_tokens", "responsibility_ratio"});
  for (const std::string set : {"0 1 2", "0 1 3"})
    for (int n = 4; n < 14; ++n)
      table.append({"4", set, fmt::format("{}", n), fmt::format("{}", n % 4 + 1)});
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
