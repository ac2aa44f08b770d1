// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb {
namespace {

TEST(InterestSetFigures, OddAndEvenWorkerCountsArePublishedCurvesOfTheirOwn) {
  const Figure figure = distillation_figure(
      CsvTable::parse("workers,published_asymptotic_responsibility_ratio,"
                      "balanced_asymptotic_responsibility_ratio\n4,3.2,3.96\n5,4.9,4.9\n",
                      "table"));
  EXPECT_EQ(
      figure.title,
      "Balanced sets keep 98.0 % of perfect balance or more, published ones of even W as little "
      "as 80.0 %");
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 4u);
  EXPECT_EQ(series[0].name, "published, odd W");
  EXPECT_DOUBLE_EQ(series[0].points.at(0).y, 0.98);
  EXPECT_EQ(series[1].name, "published, even W");
  EXPECT_DOUBLE_EQ(series[1].points.at(0).y, 0.8);
  EXPECT_EQ(series[2].points.size(), 2u);
  EXPECT_DOUBLE_EQ(series[2].points[0].y, 0.99);
  EXPECT_EQ(series[3].name, "least of balanced: 0.9800");
}

TEST(InterestSetFigures, NothingToDrawIsASentence) {
  EXPECT_FALSE(distillation_figure(CsvTable({"workers"})).empty_reason.empty());
}

TEST(InterestSetFigures, ASplitOfAProductShowsItsBoundAndItsIdleWorkers) {
  const Figure figure =
      cqs_product_figure(CsvTable::parse("workers,split,largest_speed_up,workers_without_block\n"
                                         "8,W1 = W/2,4,2\n8,W1 = 1,2,4\n",
                                         "splits"));
  ASSERT_EQ(figure.panels.size(), 2u);
  ASSERT_EQ(figure.panels[0].series.size(), 2u);
  EXPECT_EQ(figure.panels[0].series[1].name, "W1 = W/2");
  EXPECT_DOUBLE_EQ(figure.panels[0].series[1].points[0].y, 0.5);
  EXPECT_DOUBLE_EQ(figure.panels[1].series[0].points[0].y, 50.0);
}

}  // namespace
}  // namespace qb
