// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/work/work.h"

#include <gtest/gtest.h>

#include "harness/plan/blocks.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/tiling.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

using testing_support::square_problem;

TEST(Work, DenseCountsAreTheTextbooks) {
  const Work full =
      model_work(make_plan("dense", square_problem(100, MaskKind::full), {}), Kernel::flash);
  EXPECT_EQ(full.unmasked_pairs, 10000);
  EXPECT_EQ(full.executed_pairs, 10000);
  EXPECT_EQ(full.critical_path_pairs, 10000);
  EXPECT_EQ(full.bytes_total, 0);
  EXPECT_DOUBLE_EQ(full.flops, 4.0 * 10000 * 2 * 8);
  const Work causal =
      model_work(make_plan("dense", square_problem(100, MaskKind::causal), {}), Kernel::flash);
  EXPECT_EQ(causal.unmasked_pairs, 5050);
}

TEST(Work, CqsCriticalPathIsTheLargestResponsibility) {
  const auto set = *published_interest_set(8);
  const Work work =
      model_work(make_plan("cqs", square_problem(101, MaskKind::full), {8, set}), Kernel::flash);
  EXPECT_DOUBLE_EQ(work.responsibility_ratio, responsibility_ratio(set, 101));
  EXPECT_GE(work.longest_subsequence, work.shortest_subsequence);
}

// Returns the pairs that the schedules of a worker's calls execute, per head.
std::int64_t scheduled_pairs(const Plan& plan, const Worker& worker, const KernelTiles& tiles) {
  std::int64_t pairs = 0;
  BlockTracker blocks(plan, worker);
  for (std::size_t s = 0; s < worker.steps.size(); ++s) {
    blocks.enter_step();
    for (const KernelCall& call : blocks.take_calls())
      pairs += call_schedule(plan, blocks, call, tiles.query_tile).executed_pairs(tiles.key_block);
    (void)blocks.leave_step();
  }
  return pairs;
}

TEST(Work, FlashExecutesWhatItsScheduleExecutes) {
  for (const char* algorithm : {"dense", "cqs", "ring", "striped", "pass_q"}) {
    for (MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      const int workers = algorithm[0] == 'd' ? 1 : 7;
      const Plan plan = make_plan(algorithm, square_problem(1500, mask), {workers, {}});
      const KernelTiles tiles = kernel_tiles(Kernel::flash, plan.problem.shape.head_dim);
      const Work work = model_work(plan, Kernel::flash);
      for (std::size_t w = 0; w < plan.workers.size(); ++w)
        EXPECT_EQ(work.workers[w].executed_pairs, scheduled_pairs(plan, plan.workers[w], tiles))
            << algorithm << " worker " << w;
    }
  }
}

TEST(Work, MaterializedComputesItsBanListToo) {
  const Plan plan = make_plan("cqs", square_problem(70, MaskKind::full), {7, {}});
  const Work work = model_work(plan, Kernel::materialized);
  EXPECT_EQ(work.workers[0].executed_pairs, 30 * 30);
  EXPECT_EQ(work.workers[0].unmasked_pairs, 7 * 100);
}

TEST(Work, RoundsAddTheSlowestWorkerOfEachStep) {
  Plan plan = make_plan("cqs", square_problem(70, MaskKind::full), {7, {}});
  plan.synchronisation = Synchronisation::rounds;
  for (Worker& worker : plan.workers) {
    Step second;
    second.tasks = {worker.steps[0].tasks.back()};
    worker.steps[0].tasks.pop_back();
    worker.steps.push_back(second);
  }
  EXPECT_EQ(model_work(plan, Kernel::flash).critical_path_pairs, 700);
  plan.workers[3].steps[1].tasks.push_back(plan.workers[3].steps[1].tasks[0]);
  EXPECT_EQ(model_work(plan, Kernel::flash).critical_path_pairs, 800);
}

TEST(Work, ABillionTokensOverAThousandWorkersIsModelled) {
  const Plan plan = make_plan("cqs", square_problem(1'000'000'000, MaskKind::causal), {1057, {}});
  const Work work = model_work(plan, Kernel::flash);
  EXPECT_EQ(work.unmasked_pairs, 500'000'000LL * 1'000'000'001LL);
  EXPECT_GT(work.responsibility_ratio, 1000.0);
}

}  // namespace
}  // namespace qb
