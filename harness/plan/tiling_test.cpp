#include "harness/plan/tiling.h"

#include <gtest/gtest.h>

#include <random>

#include "harness/plan/brute_force.h"
#include "harness/plan/strategy.h"

namespace qb {
namespace {

// Local position -> global token, from the groups that a worker holds.
std::vector<std::int64_t> global_tokens(const std::vector<TokenGroup>& groups,
                                        const std::vector<int>& held) {
  std::vector<std::int64_t> tokens;
  for (int group : held)
    for (std::int64_t i = 0; i < groups[static_cast<std::size_t>(group)].count; ++i)
      tokens.push_back(groups[static_cast<std::size_t>(group)].token(i));
  return tokens;
}

// The schedules of all workers together must allow each unmasked pair once, as the plan does.
void expect_schedules_cover(const Plan& plan, std::int64_t query_tile) {
  std::vector<int> counts(testing_support::pair_counts(plan).size(), 0);
  for (const Worker& worker : plan.workers) {
    const auto q_tokens = global_tokens(plan.q_groups, worker.q_groups);
    const auto k_tokens = global_tokens(plan.kv_groups, worker.kv_groups);
    const TileSchedule schedule = step_schedule(plan, worker, worker.steps[0], query_tile);
    schedule.validate();
    EXPECT_EQ(schedule.unmasked_pairs(), worker_pairs(plan, worker));
    for (const QueryTile& tile : schedule.tiles)
      for (std::int64_t i = tile.begin; i < tile.end; ++i)
        for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
          const KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
          for (std::int64_t j = span.begin; j < TileSchedule::live_end(span, i); ++j)
            ++counts[static_cast<std::size_t>(q_tokens[static_cast<std::size_t>(i)] *
                                                  plan.problem.shape.kv_len +
                                              k_tokens[static_cast<std::size_t>(j)])];
        }
  }
  EXPECT_EQ(counts, testing_support::pair_counts(plan));
}

TEST(Tiling, SchedulesOfAllWorkersCoverThePlan) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    const int workers = std::uniform_int_distribution(3, 14)(random);
    std::uniform_int_distribution<std::int64_t> length(workers, 70);
    const auto mask = round % 2 == 0 ? MaskKind::causal : MaskKind::full;
    const Problem problem =
        make_problem({1, 1, 1, length(random), length(random), 4, 4}, mask, DType::f32, 1);
    expect_schedules_cover(make_plan("cqs", problem, {workers, {}}), 1 + round % 9);
    expect_schedules_cover(make_plan("dense", problem, {}), 1 + round % 9);
  }
}

TEST(Tiling, OnlyTheWholeSequenceWorksInPlace) {
  const Problem problem = testing_support::square_problem(20, MaskKind::full);
  EXPECT_TRUE(works_in_place(make_plan("dense", problem, {})));
  EXPECT_FALSE(works_in_place(make_plan("cqs", problem, {7, {}})));
}

}  // namespace
}  // namespace qb
