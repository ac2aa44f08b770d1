// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace qb {
namespace {

void expect_equal(const Interval& got, const Interval& expected) {
  EXPECT_DOUBLE_EQ(got.low, expected.low);
  EXPECT_DOUBLE_EQ(got.value, expected.value);
  EXPECT_DOUBLE_EQ(got.high, expected.high);
}

TEST(Interval, EndsAreThoseOfTheOperands) {
  const Interval positive{1.0, 2.0, 3.0};
  const Interval mixed{-2.0, 1.0, 4.0};
  expect_equal(positive * positive, {1.0, 4.0, 9.0});
  expect_equal(positive * mixed, {-6.0, 2.0, 12.0});
  expect_equal(mixed / positive, {-2.0, 0.5, 4.0});
  expect_equal(positive - mixed, {-3.0, 1.0, 5.0});
  expect_equal(monotone(positive, [](double x) { return -x; }), {-3.0, -2.0, -1.0});
}

TEST(Interval, AQuotientByWhatMayBeZeroHasNoValue) {
  EXPECT_FALSE((Interval{1.0, 2.0, 3.0} / Interval{-1.0, 0.5, 1.0}).known());
}

TEST(Interval, HoldsWhateverFollowsFromItsMembers) {
  constexpr unsigned kSeed = 5;
  std::mt19937_64 engine(kSeed);
  std::uniform_real_distribution<double> number(-4.0, 4.0);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  const auto drawn = [&] {
    const double value = number(engine);
    return Interval{value - share(engine), value, value + share(engine)};
  };
  const auto member = [&](const Interval& of) {
    return of.low + share(engine) * (of.high - of.low);
  };
  for (int i = 0; i < 2000; ++i) {
    const Interval a = drawn();
    const Interval b = drawn();
    const double x = member(a);
    const double y = member(b);
    const auto holds = [](const Interval& result, double value) {
      return result.low <= value + 1e-12 && value <= result.high + 1e-12 &&
             result.low <= result.value && result.value <= result.high;
    };
    ASSERT_TRUE(holds(a + b, x + y)) << "seed " << kSeed << ", draw " << i;
    ASSERT_TRUE(holds(a - b, x - y)) << "seed " << kSeed << ", draw " << i;
    ASSERT_TRUE(holds(a * b, x * y)) << "seed " << kSeed << ", draw " << i;
    ASSERT_TRUE(std::abs(y) < 1e-3 || holds(a / Interval{y, y, y}, x / y))
        << "seed " << kSeed << ", draw " << i;
  }
}

}  // namespace
}  // namespace qb
