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
}

TEST(Product, IsAnExactCoverForAnySplit) {
  for (int workers = 3; workers <= 40; ++workers)
    for (int row_groups = 1; row_groups < workers; row_groups += 1 + workers / 10)
      for (Distillation distillation : {Distillation::published, Distillation::balanced}) {
        const std::int64_t rows = row_groups + workers % 7;
        const std::int64_t columns = 3 * workers + 1;
        const ProductPlan plan =
            product_plan(default_interest_set(workers), row_groups, rows, columns, distillation);
        std::vector<int> times(static_cast<std::size_t>(rows * columns), 0);
        for (const auto& blocks : plan.workers)
          for (const ProductBlock& block : blocks)
            for (std::int64_t row = block.row_begin; row < block.row_end; ++row)
              for (std::int64_t column = block.column_begin; column < block.column_end; ++column)
                ++times[static_cast<std::size_t>(row * columns + column)];
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ssize(times))
            << workers << " " << row_groups;
      }
}

TEST(Product, RefusesSplitsWithoutGroups) {
  for (int row_groups : {0, 7, 9})
    EXPECT_THROW((void)product_plan({7, {0, 1, 3}}, row_groups, 100, 100), UsageError);
  EXPECT_THROW((void)product_plan({7, {0, 1, 3}}, 3, 2, 100), UsageError);
}

}  // namespace
}  // namespace qb
