// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/status.h"
#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

CsvTable no_rectangles() {
  return CsvTable({"worker", "q_begin", "q_end", "k_begin", "k_end", "allowed", "offset"});
}

double area(const Figure& figure) {
  double sum = 0.0;
  for (const Series& series : figure.panels.at(0).series)
    for (const Point& cell : series.points)
      sum += (cell.high - cell.low) * (cell.x_high - cell.x_low);
  return sum;
}

TEST(Partition, QueriesRunDownAndKeysAcross) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "2", "3", "10", "all", "0"});
  const Figure figure = partition_of(table, "title");
  EXPECT_TRUE(figure.panels.at(0).y.reversed);
  EXPECT_TRUE(figure.square);
  const Point cell = figure.panels[0].series.at(0).points.at(0);
  EXPECT_EQ(cell.low, 0.0);
  EXPECT_EQ(cell.high, 2.0);
  EXPECT_EQ(cell.x_low, 3.0);
  EXPECT_EQ(cell.x_high, 10.0);
}

TEST(Partition, TheSubtitleSaysLengthAndWorkers) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "5", "0", "10", "all", "0"});
  table.append({"6", "5", "10", "0", "10", "all", "0"});
  EXPECT_EQ(partition_of(table, "title").subtitle, "N = 10, W = 7");
  EXPECT_EQ(partition_of(table, "title").title,
            "title: the most loaded of 2 workers computes 1.00 times the mean");
  table.append({"6", "5", "10", "10", "4000", "all", "0"});
  EXPECT_EQ(partition_of(table, "title").subtitle, "N = 10, 4,000 keys, W = 7");
}

TEST(Partition, ACausalBlockHasExactlyItsPairs) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "10", "0", "10", "causal", "0"});
  EXPECT_EQ(area(partition_of(table, "title")), 55.0);
}

TEST(Partition, AnOffsetShiftsTheDiagonal) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "3", "0", "5", "causal", "1"});
  table.append({"1", "3", "6", "0", "5", "causal", "-2"});
  EXPECT_EQ(area(partition_of(table, "title")), 2.0 + 3.0 + 4.0 + 0.0 + 0.0 + 1.0);
}

TEST(Partition, ALongCausalBlockIsDrawnInFewBands) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "1000000", "0", "1000000", "causal", "0"});
  const Figure figure = partition_of(table, "title");
  EXPECT_EQ(figure.panels.at(0).series.at(0).points.size(), 64u);
  EXPECT_NEAR(area(figure), 0.5e12, 0.01e12);
}

TEST(Partition, CellsOfAPatternAreDrawnAndThosePartlyAllowedPale) {
  CsvTable table = no_rectangles();
  table.append({"2", "0", "1", "0", "4", "cells", "0"});
  table.append({"2", "1", "4", "0", "2", "some", "0"});
  const Figure figure = partition_of(table, "title");
  EXPECT_EQ(area(figure), 4.0 + 6.0);
  ASSERT_EQ(figure.panels[0].series.size(), 2u);
  const Series& some = figure.panels[0].series[1];
  EXPECT_EQ(some.name, "worker 2, some pairs");
  EXPECT_EQ(some.style.colour, lightened(figure.panels[0].series[0].style.colour));
  EXPECT_THAT(figure.notes.back(), ::testing::HasSubstr("Pale"));
}

TEST(Partition, NumbersStandOnlyWhereTheyFit) {
  CsvTable table = no_rectangles();
  table.append({"5", "0", "50", "0", "100", "all", "0"});
  EXPECT_EQ(partition_of(table, "title").panels[0].series[0].text, "5");
  table.append({"5", "50", "51", "0", "100", "all", "0"});
  EXPECT_EQ(partition_of(table, "title").panels[0].series[0].text, "");
}

TEST(Partition, TheLegendNamesEachOfAFewWorkersOnce) {
  const auto legend_of = [](int workers, const std::vector<std::string>& kinds) {
    CsvTable table = no_rectangles();
    for (int worker = 0; worker < workers; ++worker)
      for (const std::string& allowed : kinds)
        table.append({fmt::format("{}", worker), "0", "8", "0", "8", allowed, "0"});
    std::vector<std::string> names;
    const Figure figure = partition_of(table, "title");
    for (const Series& series : figure.panels.at(0).series)
      if (series.in_legend) names.push_back(series.name);
    return names;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(legend_of(2, {"all", "causal", "some"}), ElementsAre("worker 0", "worker 1"));
  EXPECT_THAT(legend_of(2, {"causal"}), ElementsAre("worker 0", "worker 1"));
  EXPECT_THAT(legend_of(1, {"causal", "some"}), ElementsAre("worker 0", "worker 0, some pairs"));
  for (const char* allowed : {"all", "causal"}) {
    EXPECT_EQ(legend_of(20, {allowed}).size(), 20u);
    EXPECT_EQ(legend_of(21, {allowed}).size(), 0u);
  }
}

TEST(Partition, NoPairsAndTooManyWorkersAreSentences) {
  EXPECT_THROW((void)partition_of(no_rectangles(), "title"), UsageError);
  CsvTable table = no_rectangles();
  for (int worker = 0; worker < 129; ++worker)
    table.append({fmt::format("{}", worker), "0", "1", "0", "1", "all", "0"});
  EXPECT_THROW((void)partition_of(table, "title"), UsageError);
}

// The committed figure: each pair has one worker, and the title has what the most loaded computes.
TEST(Partition, CommittedPairsHaveOneWorkerEachAndTheTitleHasTheHeaviestLoad) {
  const testing_support::CommittedFigure figure("interest_sets", "case_study_1_partition");
  std::map<std::string, double> loads;
  std::map<std::pair<double, double>, int> owners;  // by query and key
  double all = 0.0;
  for (const testing_support::Mark& mark : figure.marks()) {
    loads[mark.series] += mark.width() * mark.height();
    all += mark.width() * mark.height();
    for (double query = mark.low; query < mark.high; ++query)
      for (double key = mark.x_low; key < mark.x_high; ++key) ++owners[{query, key}];
  }
  EXPECT_EQ(owners.size(), 100u);
  EXPECT_EQ(all, 100.0);
  double most = 0.0;
  for (const auto& [worker, load] : loads) most = std::fmax(most, load);
  EXPECT_EQ(figure.title(),
            fmt::format("Case study 1: the most loaded of {} workers computes {} times the mean",
                        loads.size(), significant(most * static_cast<double>(loads.size()) / all)));
}

}  // namespace
}  // namespace qb
