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
  EXPECT_EQ(figure.title,
            "Balanced, the mean load of workers is at least 98.0 % of the highest; published, it "
            "falls to "
            "80.0 % at even W");
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
  EXPECT_EQ(figure.title,
            "At W = 8 workers without a block are 50 % with W1 = 1, 25 % with W1 = W/2");
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
            fmt::format("Balanced, the mean load of workers is at least {:.1f} % of the highest; "
                        "published, it falls to {:.1f} % at even W",
                        100.0 * least.at("balanced"), 100.0 * least.at("published, even W")));
}

TEST(InterestSetFigures, CommittedProductsWithFewerGroupsOfRowsHaveMoreIdleWorkers) {
  const CommittedFigure figure("interest_sets", "cqs_product");
  const auto idle = figure.lines("2");
  std::vector<std::string> said;
  for (const auto& [split, line] : idle)
    said.push_back(fmt::format("{:.0f} % with {}", line.rbegin()->second, split));
  EXPECT_EQ(figure.title(), fmt::format("At W = {} workers without a block are {}",
                                        idle.at("W1 = 1").rbegin()->first, fmt::join(said, ", ")));
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
