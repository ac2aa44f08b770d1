// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

CsvTable graded(const std::vector<std::string>& rows) {
  std::string text =
      "algorithm,device,published_over_predicted_time,case,n_tokens,workers,pass,"
      "published,predicted,time_or_rate,table,line\n";
  for (const std::string& row : rows) text += row + ",4096,8,forward,30,20,time,t.csv,7\n";
  return CsvTable::parse(text, "g");
}

TEST(ModelGrade, AnAlgorithmHasItsCasesByDeviceAndTheBestKnownIsOnTop) {
  const Figure figure = model_grade_figure(
      graded({"zigzag,a100,1.5,z1", "ring,a100,1.1,r1", "ring,h800,0.8,r2", "zigzag,a100,0.5,z2"}));
  EXPECT_EQ(figure.name, "model_grade");
  const Panel& panel = figure.panels.at(0);
  EXPECT_TRUE(panel.x.log);
  ASSERT_EQ(panel.y.tics.size(), 2u);
  EXPECT_EQ(panel.y.tics[0].label, "ring");
  EXPECT_EQ(series_named(panel, "zigzag, a100").points.size(), 2u);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, h800").points.at(0).x, 0.8);
  EXPECT_DOUBLE_EQ(series_named(panel, "published = predicted").points.at(0).x, 1.0);
  EXPECT_EQ(figure.title,
            "2 of 4 published measurements took longer than predicted (median 0.95 times, nine of "
            "ten at most 1.5 times)");
  EXPECT_EQ(figure.notes.at(0), "It is off by 2.00 at worst: z2.");
  EXPECT_EQ(figure.more_columns.size(), 8u);
  EXPECT_EQ(series_named(panel, "ring, h800").points.at(0).more,
            (std::vector<std::string>{"4096", "8", "forward", "30", "20", "time", "t.csv", "7"}));
}

TEST(ModelGrade, WithoutARowThereIsNothingToDraw) {
  EXPECT_THAT(model_grade_figure(graded({})).empty_reason, HasSubstr("no published"));
}

// The committed figure: the title has the side, the median and the p90 of its marks; rows ascend in
// their median factor.
TEST(ModelGrade, CommittedTitleHasTheSideOfTheMarksAndRowsAscendInTheirFactor) {
  const CommittedFigure figure("papers", "model_grade");
  std::vector<double> slow;
  std::map<double, std::vector<double>> by_row;
  for (const Mark& mark : figure.marks()) {
    if (mark.fields.at("table").empty()) continue;  // a range, a median or the line at 1
    slow.push_back(mark.x);
    by_row[std::round(mark.y)].push_back(std::fmax(mark.x, 1.0 / mark.x));
  }
  std::ranges::sort(slow);
  EXPECT_EQ(figure.title(),
            fmt::format("{} of {} published measurements took longer than predicted (median "
                        "{:.3g} times, nine of ten at most {:.3g} times)",
                        std::ranges::count_if(slow, [](double x) { return x > 1.0; }), slow.size(),
                        median(slow), slow[(9 * slow.size() - 1) / 10]));
  std::vector<double> medians;
  for (const auto& [row, of_row] : by_row) medians.push_back(median(of_row));
  EXPECT_TRUE(std::ranges::is_sorted(medians)) << "the best known is on top";
}

}  // namespace
}  // namespace qb
