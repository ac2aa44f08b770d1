// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The useful work of N tokens is 2048 N² FLOP.
TEST(Scaling, StrongHoldsTheSequenceAndWeakTheTokensOfAWorker) {
  const Figure figure = scaling_figure(
      scheme_table({scheme_case("ring", 2, 1000, 0.5), scheme_case("ring", 4, 1000, 0.5),
                    scheme_case("ring", 4, 2000, 2.0), scheme_case("zigzag", 4, 1000, 0.25)}));
  EXPECT_THAT(titles(figure),
              ElementsAre("strong, N = 1,000, causal mask", "weak, N/W = 500, causal mask"));
  EXPECT_EQ(figure.title, "At W = 4 a worker keeps 50 % (ring) of its speed at W = 2");
  const Series& strong = series_named(figure.panels.at(0), "ring");
  ASSERT_EQ(strong.points.size(), 2u);
  EXPECT_DOUBLE_EQ(strong.points[0].x, 2.0);
  EXPECT_DOUBLE_EQ(strong.points[0].y, 2.048 / 2 / 0.5);
  EXPECT_DOUBLE_EQ(strong.points[0].low, 2.048 / 2 / (0.5 * 1.1));
  EXPECT_DOUBLE_EQ(strong.points[1].y, 2.048 / 4 / 0.5);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[0], "zigzag").points.at(0).y, 2.048 / 4 / 0.25);
  const Series& weak = series_named(figure.panels.at(1), "ring");
  ASSERT_EQ(weak.points.size(), 2u);
  EXPECT_DOUBLE_EQ(weak.points[1].y, 8.192 / 4 / 2.0);
}

TEST(Scaling, MoreWorkersThanCoresAreNotRanked) {
  PlottedRun run(
      scheme_table({scheme_case("ring", 2, 1000, 0.5), scheme_case("ring", 4, 1000, 0.5)}));
  run.provenance.cores = 2;
  EXPECT_EQ(scaling_figure(run).title, "Strong and weak scaling by mask");
}

TEST(Scaling, EachMaskHasPanelsAndTheLengthOfMostWorkerCountsIsDrawn) {
  std::vector<Values> rows;
  for (const char* mask : {"full", "causal"})
    for (const int workers : {2, 4, 8})
      rows.push_back(scheme_case("ring", workers, 1000, 0.5, {{"mask", mask}}));
  rows.push_back(scheme_case("ring", 2, 9000, 0.5));
  rows.push_back(scheme_case("ring", 4, 9000, 0.5));
  EXPECT_THAT(titles(scaling_figure(scheme_table(rows))),
              ElementsAre("strong, N = 1,000, causal mask", "strong, N = 1,000, full mask"));
}

TEST(Scaling, OneWorkerCountIsASentence) {
  EXPECT_THAT(scaling_figure(scheme_table({scheme_case("ring", 2, 1000, 0.5)})).empty_reason,
              HasSubstr("no two worker counts"));
}

}  // namespace
}  // namespace qb
