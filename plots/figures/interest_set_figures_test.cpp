// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plots/testing/committed_figure.h"

namespace qb {
namespace {

using testing_support::CommittedFigure;

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

TEST(InterestSetFigures, CommittedBalancedSetsAreNeverLessEvenAndTheTitleHasTheLeast) {
  const CommittedFigure figure("interest_sets", "distillation");
  const auto lines = figure.lines("1");
  std::map<std::string, double> least;
  for (const auto& [name, line] : lines) {
    least[name] =
        std::ranges::min_element(line, {}, [](const auto& one) { return one.second; })->second;
    for (const auto& [workers, ratio] : line)
      EXPECT_LE(ratio, lines.at("balanced").at(workers) + 1e-9) << name << ", W = " << workers;
  }
  EXPECT_EQ(figure.title(),
            fmt::format("Balanced sets keep {:.1f} % of perfect balance or more, published ones of "
                        "even W as little as {:.1f} %",
                        100.0 * least.at("balanced"), 100.0 * least.at("published, even W")));
}

TEST(InterestSetFigures, CommittedProductsWithFewerGroupsOfRowsHaveMoreIdleWorkers) {
  const CommittedFigure figure("interest_sets", "cqs_product");
  EXPECT_EQ(figure.title(), "The fewer groups the rows of A have, the more workers have no block");
  const auto idle = figure.lines("2");
  ASSERT_GT(idle.at("W1 = 1").size(), 50u);
  for (const auto& [workers, one_group] : idle.at("W1 = 1")) {
    const double quarter = idle.at("W1 = W/4").at(workers);
    const double half = idle.at("W1 = W/2").at(workers);
    EXPECT_GE(one_group, quarter) << "W = " << workers;
    EXPECT_GE(quarter, half) << "W = " << workers;
    EXPECT_GT(one_group, half) << "W = " << workers;
  }
}

}  // namespace
}  // namespace qb
