// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "plots/report/report.h"
#include "plots/testing/sample_sparse.h"

namespace qb {
namespace {

using namespace testing_support;

// The row of the growth table for a window whose time is a function of N.
std::vector<std::string> growth_of(const std::function<double(double)>& time_s) {
  CsvTable cases = no_cases();
  for (const double n : {1e3, 2e3, 4e3, 8e3, 16e3})
    add_case(cases, sparse_case("{sliding_window: {left: 8, right: 7}}",
                                static_cast<std::int64_t>(n), 16.0 / n, time_s(n)));
  return sparse_growth_table(SparseCases(cases)).rows.at(0);
}

TEST(ScalingFit, FindsThePowerOfAPower) {
  const auto row = growth_of([](double n) { return 3e-9 * std::pow(n, 1.7); });
  EXPECT_EQ(row[3], "5");
  EXPECT_EQ(row[4], "1.700");
  EXPECT_EQ(row[5], "1.00000");
  EXPECT_LT(std::stod(row[8]), 0.999) << "it is not a line";
  EXPECT_GT(std::stod(row[10]), 100.0) << "by no means proportional to N";
}

TEST(ScalingFit, AnOffsetIsInTheLineAndBendsThePower) {
  const auto row = growth_of([](double n) { return 1e-3 + 2e-6 * n; });
  EXPECT_EQ(row[6], "2");
  EXPECT_EQ(row[7], "1");
  EXPECT_EQ(row[8], "1.00000");
  EXPECT_LT(std::stod(row[4]), 1.0);
}

TEST(ScalingFit, TheDeviationIsThatOfTheWorstLength) {
  // 1 us a token, except for the shortest: the mean is 2 us, which is 16 times less than the worst.
  const auto row = growth_of([](double n) { return 1e-6 * n * (n < 1500.0 ? 32.0 : 1.0); });
  EXPECT_EQ(row[9], "2");
  EXPECT_EQ(row[10], "1500.0");
}

TEST(ScalingFit, NothingToFitIsADash) {
  const auto row = growth_of([](double n) { return n < 1500.0 ? 0.0 : 1e-6 * n; });
  for (const std::size_t column : {4u, 6u, 9u, 10u}) EXPECT_EQ(row[column], "-");
}

}  // namespace
}  // namespace qb
