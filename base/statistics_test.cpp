#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace qb {
namespace {

TEST(Statistics, MedianIntervalMatchesTheBinomialTables) {
  // Known ranks (1-based, low): n = 6 -> 1, n = 10 -> 2, n = 20 -> 6, n = 100 -> 40.
  EXPECT_EQ(median_interval(6).low_index, 0u);
  EXPECT_EQ(median_interval(10).low_index, 1u);
  EXPECT_EQ(median_interval(20).low_index, 5u);
  EXPECT_EQ(median_interval(100).low_index, 39u);
  EXPECT_EQ(median_interval(100).high_index, 60u);
  EXPECT_NEAR(median_interval(10).coverage, 0.978515625, 1e-12);
}

TEST(Statistics, FewSamplesSayWhatTheirRangeCovers) {
  EXPECT_NEAR(median_interval(5).coverage, 1.0 - 2.0 / 32.0, 1e-12);
  EXPECT_EQ(median_interval(5).high_index, 4u);
  EXPECT_EQ(median_interval(1).coverage, 0.0);
}

TEST(Statistics, SummaryOfKnownValues) {
  const std::vector<double> values = {4.0, 1.0, 3.0, 2.0};
  const Summary s = summarise(values);
  EXPECT_EQ(s.n, 4u);
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_TRUE(std::isnan(summarise({}).median));
}

TEST(Statistics, LineFitRecoversALine) {
  const std::vector<double> x = {1, 2, 3, 4};
  const std::vector<double> y = {3, 5, 7, 9};
  const LinearFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.slope, 2.0, 1e-12);
  EXPECT_NEAR(fit.intercept, 1.0, 1e-12);
  EXPECT_NEAR(fit.r_squared, 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(fit_line(std::vector<double>{1, 1}, std::vector<double>{1, 2}).slope));
}

}  // namespace
}  // namespace qb
