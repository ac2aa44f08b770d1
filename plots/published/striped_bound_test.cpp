// SPDX-License-Identifier: Apache-2.0
#include "plots/published/published.h"

#include <gtest/gtest.h>

#include <cmath>

namespace qb {
namespace {

TEST(StripedBound, TheBoundIsTheQuotientOfTheCriticalPaths) {
  // c = 100, W = 4: (5050 + 3 * 10000) / (4 * 5050).
  EXPECT_DOUBLE_EQ(speed_up_bound(100, 4), 35050.0 / 20200.0);
  EXPECT_DOUBLE_EQ(speed_up_bound(1, 8), 1.0) << "one tile a side gains nothing";
  EXPECT_DOUBLE_EQ(speed_up_bound(0.25, 8), 1.0);
  EXPECT_NEAR(speed_up_bound(1e12, 8), 2.0 - 1.0 / 8, 1e-9);
}

TEST(StripedBound, TheTileFollowsFromTheExecutedPairs) {
  // W = 2 blocks of 400 in tiles of 100: 10 of 16 tiles on each diagonal, one whole block off it.
  CsvTable cases({"workers", "n_tokens", "executed_pairs"});
  cases.append({"2", "800", "360000"});
  cases.append({"2", "8", "36"});
  cases.append({"2", "80", ""});
  EXPECT_DOUBLE_EQ(executed_tile({&cases, 0}), 100.0);
  EXPECT_DOUBLE_EQ(executed_tile({&cases, 1}), 1.0) << "unmasked pairs alone";
  EXPECT_TRUE(std::isnan(executed_tile({&cases, 2})));
}

}  // namespace
}  // namespace qb
