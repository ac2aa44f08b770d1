// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace qb {
namespace {

// Summarises 1, 2, … n, so that an end of the interval is its own rank.
Summary of_ranks(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return summarise(values);
}

TEST(Statistics, TheIntervalOfTheMedianMatchesTheBinomialTables) {
  EXPECT_EQ(of_ranks(6).low95, 1.0);
  EXPECT_EQ(of_ranks(6).high95, 6.0);
  EXPECT_NEAR(of_ranks(6).coverage, 0.96875, 1e-12);
  EXPECT_EQ(of_ranks(10).low95, 2.0);
  EXPECT_EQ(of_ranks(20).low95, 6.0);
  EXPECT_EQ(of_ranks(100).low95, 40.0);
  EXPECT_EQ(of_ranks(100).high95, 61.0);
  EXPECT_NEAR(of_ranks(10).coverage, 0.978515625, 1e-12);
}

TEST(Statistics, FewSamplesSayWhatTheirRangeCovers) {
  EXPECT_NEAR(of_ranks(5).coverage, 1.0 - 2.0 / 32.0, 1e-12);
  EXPECT_EQ(of_ranks(5).high95, 5.0);
  EXPECT_EQ(of_ranks(1).coverage, 0.0);
  EXPECT_EQ(of_ranks(1).median, 1.0);
  EXPECT_EQ(of_ranks(2).coverage, 0.5);
  EXPECT_EQ(of_ranks(2).low95, 1.0);
}

TEST(Statistics, SummaryOfKnownValues) {
  const std::vector<double> values = {4.0, 1.0, 3.0, 2.0};
  const Summary s = summarise(values);
  EXPECT_EQ(s.n, 4u);
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  const Summary nothing = summarise({});
  EXPECT_EQ(nothing.n, 0u);
  for (const double field : {nothing.median, nothing.low95, nothing.high95, nothing.coverage})
    EXPECT_TRUE(std::isnan(field));
}

TEST(RepeatsText, SaysWhatTheRepeatsCover) {
  EXPECT_EQ(repeats_text(NAN, NAN, NAN, ""), "-");
  EXPECT_EQ(repeats_text(1, 0, 0, ""), "1");
  EXPECT_EQ(repeats_text(5, 0.9375, 0, ""), "5 (93 %)");
  EXPECT_EQ(repeats_text(5, 0.9375, NAN, ""), "5 (93 %)");
  EXPECT_EQ(repeats_text(9, 0.9609375, 2, ""), "9 (96 %), 2 disturbed");
  EXPECT_EQ(repeats_text(10, 0.978, 8, "neighbours"), "10 (97 %), 8 disturbed by other programs");
}

TEST(Statistics, APowerIsFitted) {
  const std::vector<double> x = {1, 2, 4, 8};
  EXPECT_NEAR(fit_power(x, std::vector<double>{3, 12, 48, 192}), 2.0, 1e-12);
  EXPECT_NEAR(fit_power(x, std::vector<double>{7, 7, 7, 7}), 0.0, 1e-12);
  // The logarithms 0, 1, 2 and 0, 2, 1 have the slope 1/2.
  EXPECT_NEAR(fit_power(std::vector<double>{1, 2, 4}, std::vector<double>{1, 4, 2}), 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(fit_power(x, std::vector<double>{3, 0, 48, 192})));
  EXPECT_TRUE(std::isnan(fit_power(std::vector<double>{2, 2}, std::vector<double>{1, 2})));
  EXPECT_TRUE(std::isnan(fit_power({}, {})));
}

TEST(Statistics, ACurveCrossesALevelBetweenPointsAndOnThem) {
  using testing::DoubleEq;
  using testing::ElementsAre;
  const auto at = [](const std::vector<double>& x, const std::vector<double>& y) {
    return crossings(x, y, 0.0);
  };
  EXPECT_THAT(at({1, 4}, {-2.0, 2.0}), ElementsAre(DoubleEq(2.0)));
  EXPECT_THAT(at({1, 4, 8}, {-1.0, 0.0, 1.0}), ElementsAre(DoubleEq(4.0)));
  EXPECT_THAT(at({1, 4, 8}, {1.0, 0.0, -1.0}), ElementsAre(DoubleEq(4.0)));
  EXPECT_THAT(at({1, 4}, {2.0, 1.0}), testing::IsEmpty());
}

}  // namespace
}  // namespace qb
