// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/partition_view.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::series_named;

Plan plan_for(const std::string& algorithm, int workers, std::int64_t tokens,
              const MaskSpec& mask = MaskKind::full, std::int64_t heads = 1) {
  return make_plan(algorithm,
                   make_problem({1, heads, heads, tokens, tokens, 4, 4}, mask, DType::f32, 0),
                   {.workers = workers});
}

Figure drawn(const Plan& plan) {
  return partition_figure(plan, model_work(plan, Kernel::flash), "title");
}

double area(const Figure& figure) {
  double sum = 0.0;
  for (const Series& series : figure.panels.at(0).series)
    for (const Point& cell : series.points)
      if (series.name != "hidden by the mask")
        sum += (cell.high - cell.low) * (cell.x_high - cell.x_low);
  return sum;
}

TEST(Partition, QueriesRunDownKeysAcrossAndEachWorkerHasABarOfItsPairs) {
  const Figure figure = drawn(plan_for("ring", 3, 10));
  EXPECT_TRUE(figure.panels.at(0).y.reversed);
  EXPECT_TRUE(figure.square);
  const Point cell = series_named(figure.panels[0], "worker 2").points.at(0);
  EXPECT_EQ(cell.low, 6.0);
  EXPECT_EQ(cell.high, 10.0);
  EXPECT_EQ(area(figure), 100.0);
  const Series& bar = series_named(figure.panels.at(1), "worker 2");
  EXPECT_EQ(bar.points.at(0).x_high, 40.0);
  EXPECT_EQ(bar.style.colour, partition_colour(2));
  EXPECT_NEAR(series_named(figure.panels[1], "mean").points.at(0).x, 100.0 / 3.0, 1e-9);
  EXPECT_EQ(figure.panels[1].y.tics.at(2).label, "2");
  EXPECT_EQ(figure.subtitle, "N = 10, W = 3");
  EXPECT_EQ(figure.title, "title: the most loaded of 3 workers computes 1.20 times the mean");
  EXPECT_EQ(drawn(plan_for("ring", 5, 10)).title, "title: all workers compute as many pairs");
}

TEST(Partition, WhatTheMaskHidesIsGreyBehindAndASquareOfWhichItHidesAPartIsPale) {
  const Figure causal = drawn(plan_for("dense", 1, 10, MaskKind::causal));
  EXPECT_EQ(area(causal), 55.0);
  const Series& hidden = causal.panels.at(0).series.front();
  EXPECT_EQ(hidden.name, "hidden by the mask");
  EXPECT_EQ(hidden.points.at(0).x_high, 10.0);
  EXPECT_NE(drawn(plan_for("dense", 1, 10)).panels.at(0).series.front().name, hidden.name);
  const Figure longer = drawn(plan_for("dense", 1, 2560, MaskKind::causal));
  const Series& some = series_named(longer.panels.at(0), "worker 0, some pairs");
  EXPECT_EQ(some.points.size(), 256u) << "the diagonal";
  EXPECT_EQ(some.style.colour, lightened(partition_colour(0)));
  EXPECT_THAT(longer.notes, Contains(HasSubstr("Pale")));
}

TEST(Partition, OfStridedGroupsTheFirstTokensAndOfHeadsTheFirstIsDrawnAndSaid) {
  EXPECT_EQ(area(drawn(plan_for("striped", 4, 24, MaskKind::causal))), 300.0);
  EXPECT_THAT(drawn(plan_for("striped", 4, 512)).notes, Contains("Drawn: the first 256 tokens."));
  const Figure heads = drawn(plan_for("ulysses", 2, 8, MaskKind::full, 2));
  EXPECT_EQ(area(heads), 64.0);
  EXPECT_THAT(heads.notes, Contains(HasSubstr("first head")));
}

TEST(Partition, NumbersStandOnlyWhereTheyFit) {
  EXPECT_EQ(series_named(drawn(plan_for("ring", 2, 100)).panels[0], "worker 1").text, "1");
  EXPECT_EQ(series_named(drawn(plan_for("ring", 50, 100)).panels[0], "worker 1").text, "");
}

TEST(Partition, TooManyWorkersAreASentence) {
  EXPECT_THROW((void)drawn(plan_for("ring", 129, 256)), UsageError);
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
