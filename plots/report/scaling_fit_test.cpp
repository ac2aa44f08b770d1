#include "plots/report/run_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace qb {
namespace {

TEST(ScalingFit, FindsThePowerOfAPower) {
  const std::vector<double> n = {1e3, 2e3, 4e3, 8e3, 16e3};
  std::vector<double> time;
  for (const double one : n) time.push_back(3e-9 * std::pow(one, 1.7));
  const ScalingFit fit = fit_scaling(n, time);
  EXPECT_EQ(fit.points, 5u);
  EXPECT_NEAR(fit.power.slope, 1.7, 1e-9);
  EXPECT_NEAR(fit.power.r_squared, 1.0, 1e-12);
  EXPECT_GT(fit.largest_deviation, 1.0) << "by no means proportional to N";
  EXPECT_LT(fit.line.r_squared, 0.999);
}

TEST(ScalingFit, AnOffsetIsInTheLineAndBendsThePower) {
  const std::vector<double> n = {1e3, 2e3, 4e3, 8e3};
  std::vector<double> time;
  for (const double one : n) time.push_back(1e-3 + 2e-6 * one);
  const ScalingFit fit = fit_scaling(n, time);
  EXPECT_NEAR(fit.line.slope, 2e-6, 1e-15);
  EXPECT_NEAR(fit.line.intercept, 1e-3, 1e-12);
  EXPECT_NEAR(fit.line.r_squared, 1.0, 1e-12);
  EXPECT_LT(fit.power.slope, 1.0);
}

TEST(ScalingFit, TheDeviationIsThatOfTheWorstLength) {
  const std::vector<double> n = {1.0, 10.0};
  const std::vector<double> time = {4.0, 10.0};  // 4 and 1 per token: the mean is 2
  const ScalingFit fit = fit_scaling(n, time);
  EXPECT_NEAR(fit.per_token_s, 2.0, 1e-12);
  EXPECT_NEAR(fit.largest_deviation, 1.0, 1e-12);
}

TEST(ScalingFit, NothingToFitIsNotANumber) {
  EXPECT_TRUE(std::isnan(fit_scaling({5.0}, {1.0}).power.slope));
  EXPECT_TRUE(std::isnan(fit_scaling({1.0, 2.0}, {0.0, 1.0}).power.slope));
}

}  // namespace
}  // namespace qb
