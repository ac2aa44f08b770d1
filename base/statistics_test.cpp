#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
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

TEST(RepeatsText, SaysWhatTheRepeatsCover) {
  EXPECT_EQ(repeats_text(NAN, NAN, NAN, ""), "-");
  EXPECT_EQ(repeats_text(1, 0, 0, ""), "1");
  EXPECT_EQ(repeats_text(5, 0.9375, 0, ""), "5 (93 %)");
  EXPECT_EQ(repeats_text(5, 0.9375, NAN, ""), "5 (93 %)");
  EXPECT_EQ(repeats_text(9, 0.9609375, 2, ""), "9 (96 %), 2 disturbed");
  EXPECT_EQ(repeats_text(10, 0.978, 8, "neighbours"), "10 (97 %), 8 disturbed by neighbours");
}

}  // namespace
}  // namespace qb
