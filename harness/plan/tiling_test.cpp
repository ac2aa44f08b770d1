// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/tiling.h"

#include <gtest/gtest.h>

#include <random>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/random_plans.h"

namespace qb {
namespace {

// Maps a row of a block to its global token.
std::vector<std::int64_t> tokens_of_rows(const std::vector<TokenGroup>& groups,
                                         const Block& block) {
  std::vector<std::int64_t> tokens;
  for (int group : block.groups)
    for (std::int64_t i = 0; i < groups[static_cast<std::size_t>(group)].count; ++i)
      tokens.push_back(groups[static_cast<std::size_t>(group)].token(i));
  return tokens;
}

void count_pairs(const TileSchedule& schedule, const KernelCall& call,
                 const std::vector<std::int64_t>& q_tokens,
                 const std::vector<std::int64_t>& k_tokens, std::int64_t kv_len,
                 std::vector<int>& counts) {
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t i = tile.begin; i < tile.end; ++i)
      for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
        const KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
        for (std::int64_t j = span.begin; j < span.end; ++j)
          if (schedule.sees(span, i, j))
            ++counts[static_cast<std::size_t>(
                q_tokens[static_cast<std::size_t>(call.q_begin + i)] * kv_len +
                k_tokens[static_cast<std::size_t>(call.k_begin + j)])];
      }
}

// All workers' schedules together must allow each unmasked pair of head 0 once, as the plan does.
void expect_schedules_cover(const Plan& plan, std::int64_t query_tile) {
  std::vector<int> counts(testing_support::pair_counts(plan).size(), 0);
  for (const Worker& worker : plan.workers.all()) {
    BlockTracker blocks(plan, worker);
    for (std::size_t s = 0; s < worker.steps.size(); ++s) {
      blocks.enter_step();
      for (const KernelCall& call : blocks.take_calls()) {
        if (call.heads.begin > 0) continue;
        const TileSchedule schedule = call_schedule(plan, blocks, call, query_tile);
        schedule.validate();
        count_pairs(schedule, call, tokens_of_rows(plan.q_groups, blocks.block(call.q_block)),
                    tokens_of_rows(plan.kv_groups, blocks.block(call.kv_block)),
                    plan.problem.shape.kv_len, counts);
      }
      (void)blocks.leave_step();
    }
  }
  EXPECT_EQ(counts, testing_support::pair_counts(plan)) << plan.algorithm;
}

TEST(Tiling, SchedulesOfAllWorkersCoverThePlan) {
  (void)testing_support::for_random_plans(120, [](const Plan& plan, std::mt19937_64& random) {
    expect_schedules_cover(plan, 1 + static_cast<int>(random() % 9));
  });
}

TEST(Tiling, OnlyTheWholeSequenceWorksInPlace) {
  const Problem problem = testing_support::square_problem(20, MaskKind::full);
  EXPECT_TRUE(works_in_place(make_plan("dense", problem, {})));
  EXPECT_FALSE(works_in_place(make_plan("cqs", problem, {7, {}})));
  const Problem packed = make_packed_problem({1, 2, 1, 0, 0, 8, 8}, MaskKind::causal, DType::f32, 1,
                                             {{0, 12}, {5, 8}});
  EXPECT_TRUE(works_in_place(make_plan("dense", packed, {})));
  EXPECT_FALSE(works_in_place(make_plan("ring", packed, {.workers = 2})));
  EXPECT_FALSE(works_in_place(make_plan("zigzag", packed, {.workers = 1}))) << "two chunks each";
}

TEST(Tiling, TaskOnItsOwnHasTheRowsAndThePairsOfItsGroups) {
  testing_support::for_random_plans(50, [](const Plan& plan, std::mt19937_64&) {
    const Shape& shape = plan.problem.shape;
    const TensorView q = contiguous_view(nullptr, DType::f32, shape.q());
    const TensorView k = contiguous_view(nullptr, DType::f32, shape.k());
    for (const Worker& worker : plan.workers.all())
      for (const Step& step : worker.steps)
        for (const PairTask& task : step.tasks) {
          const TileSchedule schedule = task_schedule(plan, task, 16);
          ASSERT_EQ(schedule.unmasked_pairs(), task_pairs(plan, task));
          const TensorView rows = q_rows(plan, task, q);
          const TensorView keys = kv_rows(plan, task, k);
          ASSERT_EQ(rows.extent.length, schedule.n_queries);
          ASSERT_EQ(keys.extent.length, schedule.n_keys);
          ASSERT_EQ(rows.extent.heads, task.heads.end - task.heads.begin);
          ASSERT_EQ(keys.bytes(),
                    tensor_bytes(plan.problem, TensorRole::k, schedule.n_keys, task.heads));
          const TokenGroup& group = plan.q_groups[static_cast<std::size_t>(task.q_group)];
          ASSERT_EQ(rows.row(0, 0, 0), q.row(0, task.heads.begin, group.first));
          ASSERT_EQ(rows.token_stride, q.token_stride * group.stride);
        }
  });
}

}  // namespace
}  // namespace qb
