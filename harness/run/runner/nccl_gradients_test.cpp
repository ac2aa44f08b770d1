// SPDX-License-Identifier: Apache-2.0
// Tests the backward pass of ranks: nccl without a GPU, as nccl_executor_test.cpp tests the forward
// pass.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/runner/worker.h"
#include "harness/run/testing/crew.h"
#include "harness/run/testing/gradient_trial.h"

namespace qb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Plan nccl_backward_plan(const char* algorithm, std::int64_t n, int workers,
                        MaskKind mask = MaskKind::causal, DType gradients = DType::f32) {
  const Problem problem = make_problem({1, 4, 2, n, n, 16, 16}, mask, DType::bf16, 11);
  return make_plan(algorithm, problem,
                   {.workers = workers, .pass = Pass::backward, .gradients = gradients});
}

TEST(NcclGradients, OfEveryStrategyAgreeWithFloat64AndWithTheSerialExecutor) {
  const auto attempt = [](const Plan& drawn, Random& random) {
    const Plan plan = testing_support::in_random_type(drawn, random);
    const Kernel kernel = random() % 3 == 0 ? Kernel::materialized : Kernel::flash;
    SCOPED_TRACE(fmt::format("{} {}", word(plan.problem.dtype), word(kernel)));
    const GradientTrial trial(plan);
    const std::string serial = trial.serial_bytes(kernel);
    Crew crew(static_cast<int>(plan.workers.size()));
    const Execution run = play_all(trial, kernel, crew);
    ASSERT_EQ(crew.links.flaw(), "");
    ASSERT_EQ(run.workers.size(), plan.workers.size());
    trial.expect_exact();
    ASSERT_EQ(trial.gradient_bytes() == serial, true);
  };
  const std::size_t seen =
      testing_support::for_random_plans(200, attempt, std::random_device{}(), Pass::backward);
  EXPECT_GE(seen, 10u);
}

TEST(NcclGradients, UnevenTokensAndBothMasksForEveryStrategyByName) {
  for (const char* algorithm : {"ring", "striped", "zigzag", "burst", "pass_kv", "ulysses",
                                "all_gather_kv", "cqs", "cqs_sharded"})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      SCOPED_TRACE(algorithm);
      const int workers = std::string(algorithm) == "ulysses" ? 2 : 5;
      const GradientTrial trial(nccl_backward_plan(algorithm, 53, workers, mask));
      Crew crew(workers);
      (void)play_all(trial, Kernel::flash, crew);
      trial.expect_exact();
      EXPECT_EQ(crew.links.flaw(), "");
    }
}

// Such sums are converted where they are packed and where they are added.
TEST(NcclGradients, ThatTravelInSixteenBitsAreThoseOfTheSerialExecutor) {
  for (const char* algorithm : {"ring", "burst", "all_gather_kv", "cqs_sharded"}) {
    const GradientTrial trial(nccl_backward_plan(algorithm, 53, 4, MaskKind::causal, DType::bf16));
    const std::string serial = trial.serial_bytes(Kernel::flash);
    Crew crew(4);
    (void)play_all(trial, Kernel::flash, crew);
    EXPECT_EQ(trial.gradient_bytes() == serial, true) << algorithm;
  }
}

TEST(NcclGradients, EveryExecutionAnswersTheSameWithTheSchedulesOfTheFirst) {
  for (const char* algorithm : {"ring", "striped", "burst", "ulysses", "all_gather_kv", "cqs"}) {
    const int workers = std::string(algorithm) == "ulysses" ? 2 : 4;
    const GradientTrial trial(nccl_backward_plan(algorithm, 53, workers));
    const std::string serial = trial.serial_bytes(Kernel::flash);
    Crew thrice(workers);
    thrice.executions = 3;
    (void)play_all(trial, Kernel::flash, thrice);
    EXPECT_EQ(trial.gradient_bytes() == serial, true) << algorithm;
  }
}

// Returns what the worker of a rank holds at most in its first execution, which keeps its lists.
std::int64_t rehearsed_bytes(const GradientTrial& trial, int rank) {
  const ProbeCosts costs;
  const std::unique_ptr<AttentionDevice> device = rehearsal_device(costs);
  MemoryLedger memory(over_addresses());
  ExecutionArguments arguments = trial.with_tensors({});
  arguments.delta = trial.call.delta.view();
  arguments.kernel = Kernel::flash;
  arguments.allocator = &memory;
  Stopwatch watch(*device);
  NoTransport transport;
  KeptCalls kept;
  WorkerTime time;
  WorkerRunner player(trial.plan, rank, arguments,
                      {.device = *device, .watch = watch, .transport = &transport, .kept = &kept},
                      time);
  run_steps(player);
  return static_cast<std::int64_t>(memory.active_peak_bytes());
}

TEST(NcclGradients, EveryRankHoldsTheBytesThatItsRehearsalTells) {
  for (const char* algorithm :
       {"ring", "zigzag", "burst", "ulysses", "all_gather_kv", "cqs", "cqs_sharded"}) {
    const int workers = std::string(algorithm) == "ulysses" ? 2 : 4;
    const GradientTrial trial(nccl_backward_plan(algorithm, 53, workers));
    Crew crew(workers);
    (void)play_all(trial, Kernel::flash, crew);
    for (int rank = 0; rank < workers; ++rank)
      EXPECT_EQ(crew.peak_bytes[static_cast<std::size_t>(rank)], rehearsed_bytes(trial, rank))
          << algorithm << " rank " << rank;
  }
}

TEST(NcclGradients, OfOneRankMoveNothing) {
  for (const char* algorithm : {"dense", "ring", "burst"}) {
    const GradientTrial trial(nccl_backward_plan(algorithm, 40, 1));
    Crew crew(1);
    (void)play_all(trial, Kernel::flash, crew);
    trial.expect_exact();
    EXPECT_EQ(crew.links.groups(), 0) << algorithm;
  }
}

// Inputs leave when a step begins, and gradients when it ends: two groups a step.
TEST(NcclGradients, HaveAGroupOfTheirOwnBesideThatOfTheInputs) {
  const GradientTrial trial(nccl_backward_plan("ring", 53, 4));
  Crew crew(4);
  const Execution run = play_all(trial, Kernel::flash, crew);
  // Rank 0 first sends what the forward pass left, and is sent the gradients last.
  EXPECT_EQ(crew.links.groups(), 4 * (1 + 3 + 4 + 1));
  for (const WorkerTime& worker : run.workers) {
    ASSERT_EQ(worker.steps.size(), 5u);
    // The fake's groups take 1, 2, 3 s: the first is of no step, and each step has two.
    EXPECT_EQ(worker.steps[0].communication_s, 0.0);
    for (const std::size_t step : {1u, 2u, 3u})
      EXPECT_EQ(worker.steps[step].communication_s, 4.0 * static_cast<double>(step) + 1.0);
    EXPECT_EQ(worker.steps[4].communication_s, 8.0) << "it only takes the gradients home";
  }
}

TEST(NcclGradients, EndOnAllRanksWhereverMemoryRunsOut) {
  for (const char* algorithm : {"ring", "cqs", "all_gather_kv"}) {
    const GradientTrial trial(nccl_backward_plan(algorithm, 24, 3));
    const std::string serial = trial.serial_bytes(Kernel::flash);
    for (const int victim : {0, 2}) {
      EXPECT_GT(run_out_on_rank(trial, 3, victim), 6) << algorithm;
      EXPECT_EQ(trial.gradient_bytes() == serial, true) << algorithm;
    }
  }
}

TEST(NcclGradients, EndOnAllRanksWhereverAGpuIsLost) {
  const GradientTrial trial(nccl_backward_plan("ring", 24, 3));
  EXPECT_GE(lose_rank_1(trial, 3), 15);
}

// The first groups bring what the forward pass left, the others inputs and gradients.
TEST(NcclGradients, OverALinkThatFailsEndWithItsRank) {
  for (const int group : {1, 2, 12, 20}) {
    const GradientTrial trial(nccl_backward_plan("ring", 53, 4));
    Crew crew(4);
    crew.links.fail_at(2, group);
    EXPECT_THAT(failure_of(trial, crew),
                AllOf(StartsWith("crashed: rank 2: "), HasSubstr("unhandled system error")));
  }
}

}  // namespace
}  // namespace qb
