// SPDX-License-Identifier: Apache-2.0
#include "interest_sets/split/product.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"

namespace qb {
namespace {

// In the supplement's example, worker 3 has nothing to do and the others have two blocks each.
TEST(Product, SevenWorkersOverThreeAndFourGroupsLeaveOneIdle) {
  const ProductPlan plan = product_plan({7, {0, 1, 3}}, 3, 300, 400);
  EXPECT_EQ(plan.idle_workers(), 1);
  for (std::size_t worker = 0; worker < 7; ++worker)
    EXPECT_EQ(plan.workers[worker].size(), worker == 3 ? 0u : 2u) << worker;
  EXPECT_DOUBLE_EQ(plan.ratio(), 6.0);
  EXPECT_TRUE(covers_exactly_once(plan));
}

TEST(Product, IsAnExactCoverForAnySplit) {
  for (int workers = 3; workers <= 40; ++workers)
    for (int row_groups = 1; row_groups < workers; row_groups += 1 + workers / 10)
      for (Distillation distillation : {Distillation::published, Distillation::balanced}) {
        const std::int64_t rows = row_groups + workers % 7;
        const std::int64_t columns = 3 * workers + 1;
        const ProductPlan plan =
            product_plan(default_interest_set(workers), row_groups, rows, columns, distillation);
        EXPECT_TRUE(covers_exactly_once(plan)) << workers << " " << row_groups;
        // This counts in the obvious way, independently of the checker.
        std::vector<int> times(static_cast<std::size_t>(rows * columns), 0);
        for (const auto& blocks : plan.workers)
          for (const ProductBlock& block : blocks)
            for (std::int64_t row = block.row_begin; row < block.row_end; ++row)
              for (std::int64_t column = block.column_begin; column < block.column_end; ++column)
                ++times[static_cast<std::size_t>(row * columns + column)];
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ssize(times));
      }
}

TEST(Product, TheCheckerSeesAGapAndAnOverlap) {
  ProductPlan plan = product_plan({7, {0, 1, 3}}, 3, 30, 40);
  ProductPlan gap = plan;
  --gap.workers[0][0].row_end;
  EXPECT_FALSE(covers_exactly_once(gap));
  ProductPlan twice = plan;
  twice.workers[3].push_back(plan.workers[0][0]);
  EXPECT_FALSE(covers_exactly_once(twice));
  ProductPlan moved = plan;
  ++moved.workers[0][0].column_begin;
  ++moved.workers[0][0].column_end;
  EXPECT_FALSE(covers_exactly_once(moved));
}

TEST(Product, RefusesSplitsWithoutGroups) {
  for (int row_groups : {0, 7, 9})
    EXPECT_THROW((void)product_plan({7, {0, 1, 3}}, row_groups, 100, 100), UsageError);
  EXPECT_THROW((void)product_plan({7, {0, 1, 3}}, 3, 2, 100), UsageError);
}

}  // namespace
}  // namespace qb
