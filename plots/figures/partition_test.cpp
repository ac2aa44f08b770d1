// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/status.h"
#include "plots/frame/frame.h"
#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using testing_support::series_named;
using ::testing::Contains;
using ::testing::HasSubstr;

CsvTable no_rectangles() {
  return CsvTable({"worker", "q_begin", "q_end", "k_begin", "k_end", "allowed", "offset"});
}

Figure drawn(const CsvTable& table) {
  const auto most = [&](const char* column) {
    return largest(all_rows(table), [=](const Row& row) { return row.number_at(column); });
  };
  const double pairs = most("q_end") * most("k_end");  // none is hidden
  const auto workers = static_cast<std::size_t>(most("worker")) + 1;
  return partition_of(table, {"title", most("q_end"), most("k_end"),
                              std::vector<double>(workers, pairs)});
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
  const Figure figure = drawn(table);
  EXPECT_TRUE(figure.panels.at(0).y.reversed);
  EXPECT_TRUE(figure.square);
  const Point cell = figure.panels[0].series.at(0).points.at(0);
  EXPECT_EQ(cell.low, 0.0);
  EXPECT_EQ(cell.high, 2.0);
  EXPECT_EQ(cell.x_low, 3.0);
  EXPECT_EQ(cell.x_high, 10.0);
}

TEST(Partition, TheSubtitleSaysLengthAndWorkersAndTheTitleTheHeaviestLoad) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "5", "0", "10", "all", "0"});
  table.append({"6", "5", "10", "0", "10", "all", "0"});
  const Figure figure = partition_of(table, {"title", 10, 10, {50, 0, 0, 0, 0, 0, 40}});
  EXPECT_EQ(figure.subtitle, "N = 10, W = 7");
  EXPECT_EQ(figure.title, "title: the most loaded of 7 workers computes 3.89 times the mean");
  EXPECT_EQ(partition_of(table, {"title", 10, 4000, {50, 50}}).subtitle, "N = 10, 4,000 keys, W = 2");
  EXPECT_EQ(partition_of(table, {"title", 10, 10, {50, 50}}).title,
            "title: all workers compute as many pairs");
}

TEST(Partition, EachWorkerHasABarOfItsPairsBesideTheirMean) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "5", "0", "10", "all", "0"});
  const Panel bars = partition_of(table, {"title", 10, 10, {50, 30}}).panels.at(1);
  EXPECT_EQ(series_named(bars, "worker 1").points.at(0).x_high, 30.0);
  EXPECT_EQ(series_named(bars, "worker 1").style.colour, partition_colour(1));
  EXPECT_EQ(series_named(bars, "mean").points.at(0).x, 40.0);
  EXPECT_EQ(bars.y.tics.at(1).label, "1");
}

TEST(Partition, WhatTheMaskHidesIsGreyBehindAndWhatIsLeftOutIsSaid) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "10", "0", "10", "causal", "0"});
  const Figure causal = partition_of(table, {"title", 10, 10, {55}});
  const Series& hidden = series_named(causal.panels.at(0), "hidden by the mask");
  EXPECT_EQ(hidden.points.at(0).x_high, 10.0);
  EXPECT_EQ(&hidden, &causal.panels[0].series.front());
  const Figure full = partition_of(table, {"title", 10, 10, {60, 40}});
  EXPECT_NE(full.panels[0].series.front().name, "hidden by the mask");
  EXPECT_THAT(full.notes, Contains(HasSubstr("first head")));
  EXPECT_THAT(partition_of(table, {"title", 99, 99, {55}}).notes,
              Contains("Drawn: the first 10 tokens."));
}

TEST(Partition, ACausalBlockHasExactlyItsPairs) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "10", "0", "10", "causal", "0"});
  EXPECT_EQ(area(drawn(table)), 55.0);
}

TEST(Partition, AnOffsetShiftsTheDiagonal) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "3", "0", "5", "causal", "1"});
  table.append({"1", "3", "6", "0", "5", "causal", "-2"});
  EXPECT_EQ(area(drawn(table)), 2.0 + 3.0 + 4.0 + 0.0 + 0.0 + 1.0);
}

TEST(Partition, ALongCausalBlockIsDrawnInFewBands) {
  CsvTable table = no_rectangles();
  table.append({"0", "0", "1000000", "0", "1000000", "causal", "0"});
  const Figure figure = drawn(table);
  EXPECT_EQ(figure.panels.at(0).series.at(0).points.size(), 64u);
  EXPECT_NEAR(area(figure), 0.5e12, 0.01e12);
}

TEST(Partition, CellsOfAPatternAreDrawnAndThosePartlyAllowedPale) {
  CsvTable table = no_rectangles();
  table.append({"2", "0", "1", "0", "4", "cells", "0"});
  table.append({"2", "1", "4", "0", "2", "some", "0"});
  const Figure figure = drawn(table);
  EXPECT_EQ(area(figure), 4.0 + 6.0);
  ASSERT_EQ(figure.panels[0].series.size(), 2u);
  const Series& some = figure.panels[0].series[1];
  EXPECT_EQ(some.name, "worker 2, some pairs");
  EXPECT_EQ(some.style.colour, lightened(figure.panels[0].series[0].style.colour));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("Pale")));
}

TEST(Partition, NumbersStandOnlyWhereTheyFit) {
  CsvTable table = no_rectangles();
  table.append({"5", "0", "50", "0", "100", "all", "0"});
  EXPECT_EQ(drawn(table).panels[0].series[0].text, "5");
  table.append({"5", "50", "51", "0", "100", "all", "0"});
  EXPECT_EQ(drawn(table).panels[0].series[0].text, "");
}

TEST(Partition, NoPairsAndTooManyWorkersAreSentences) {
  EXPECT_THROW((void)drawn(no_rectangles()), UsageError);
  CsvTable table = no_rectangles();
  for (int worker = 0; worker < 129; ++worker)
    table.append({fmt::format("{}", worker), "0", "1", "0", "1", "all", "0"});
  EXPECT_THROW((void)drawn(table), UsageError);
}

// The committed figure: each pair has one worker, the bars count them, and the title has what the
// most loaded computes.
TEST(Partition, CommittedPairsHaveOneWorkerEachAndTheBarsCountThem) {
  const testing_support::CommittedFigure figure("interest_sets", "case_study_1_partition");
  std::map<std::string, double> loads;
  std::map<std::string, double> bars;
  std::map<std::pair<double, double>, int> owners;  // by query and key
  for (const testing_support::Mark& mark : figure.marks()) {
    if (mark.series == "mean") continue;
    if (mark.panel == "2") {
      bars[mark.series] = mark.width();
      continue;
    }
    loads[mark.series] += mark.width() * mark.height();
    for (double query = mark.low; query < mark.high; ++query)
      for (double key = mark.x_low; key < mark.x_high; ++key) ++owners[{query, key}];
  }
  EXPECT_EQ(owners.size(), 100u);
  EXPECT_EQ(bars, loads);
  double most = 0.0;
  double all = 0.0;
  for (const auto& [worker, load] : loads) {
    most = std::fmax(most, load);
    all += load;
  }
  EXPECT_EQ(all, 100.0);
  EXPECT_EQ(figure.title(),
            fmt::format("Case study 1: the most loaded of {} workers computes {} times the mean",
                        loads.size(), significant(most * static_cast<double>(loads.size()) / all)));
}

}  // namespace
}  // namespace qb
