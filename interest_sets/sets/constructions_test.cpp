// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/sets/constructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/status.h"
#include "interest_sets/search/minimum_sets.h"

namespace qb {
namespace {

TEST(FiniteField, IsAFieldForEveryPrimePower) {
  for (int q : {2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 32, 49, 64, 81, 101, 121, 125}) {
    const FiniteField field(q);
    for (int a = 0; a < q; ++a) {
      EXPECT_EQ(field.multiply(a, 1), a);
      std::set<int> sums;
      std::set<int> products;
      for (int b = 0; b < q; ++b) {
        sums.insert(field.add(a, b));
        products.insert(field.multiply(a, b));
        EXPECT_EQ(field.multiply(a, b), field.multiply(b, a));
        const int c = (a * 7 + b * 3) % q;
        EXPECT_EQ(field.multiply(c, field.add(a, b)),
                  field.add(field.multiply(c, a), field.multiply(c, b)));
      }
      EXPECT_EQ(static_cast<int>(sums.size()), q);  // so that every element has a negative
      EXPECT_EQ(static_cast<int>(products.size()), a == 0 ? 1 : q);  // no divisors of zero
    }
  }
  for (int q : {0, 1, 6, 12, 100}) EXPECT_THROW(FiniteField{q}, std::invalid_argument) << q;
}

TEST(SingerSet, IsAPerfectDifferenceSetForEveryPrimePowerToOneHundredAndOne) {
  int orders = 0;
  for (int q = 2; q <= 101; ++q) {
    if (!prime_of_power(q)) continue;
    ++orders;
    const int workers = q * q + q + 1;
    ASSERT_EQ(singer_order(workers), q);
    const InterestSet set = singer_set(workers);
    EXPECT_EQ(std::ssize(set.residues), q + 1);
    EXPECT_NO_THROW(verify(set)) << q;
  }
  EXPECT_EQ(orders, 36);  // 26 primes and 10 higher powers
}

TEST(SingerSet, ExistsForPlaneOrdersOnly) {
  for (int workers : {3, 8, 43, 111, 112, 134, 157}) {
    EXPECT_EQ(singer_order(workers), std::nullopt) << workers;
    EXPECT_THROW((void)singer_set(workers), UsageError);
  }
}

TEST(RulerSet, CoversAnyWWithAboutTheSquareRootOfThreeHalves) {
  for (int workers = 3; workers <= 3000; workers += workers < 300 ? 1 : 17) {
    const InterestSet set = ruler_set(workers);
    EXPECT_EQ(set.modulus, workers);
    EXPECT_NO_THROW(verify(set)) << workers;
    EXPECT_LE(static_cast<double>(set.residues.size()), std::sqrt(1.5 * workers) + 2.0) << workers;
  }
  EXPECT_NO_THROW(verify(ruler_set(20'000)));
  EXPECT_THROW((void)ruler_set(2), UsageError);
}

}  // namespace
}  // namespace qb
