// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/executor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/plan/layout.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/worker.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/failing_allocator.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

constexpr Kernel kKernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash};

Problem executor_problem(std::int64_t n, MaskKind mask = MaskKind::full) {
  Shape shape;
  shape.q_heads = 2;
  shape.q_len = n;
  shape.kv_len = n;
  shape.head_dim = 8;
  shape.value_dim = 8;
  return make_problem(shape, mask, DType::f32, 1);
}

void expect_correct(Trial& trial, Ranks ranks, Kernel kernel) {
  (void)trial.run(ranks, kernel, 2, heap_allocator());
  const Verification verification = trial.verify();
  EXPECT_TRUE(verification.correct) << describe(trial.plan) << " " << word(kernel) << " "
                                    << word(ranks) << ": " << verification.message;
}

TEST(Execute, RandomProblemsAgreeWithFloat64InEveryKernel) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Trial trial(random_plan(random), heap_allocator());
    expect_correct(trial, Ranks::serial, kKernels[seed % 3]);
  }
}

TEST(Execute, AWorkerForEachTokenIsCorrect) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
    for (const Kernel kernel : kKernels) {
      Trial trial(cqs_plan(executor_problem(13, mask), 13), heap_allocator());
      expect_correct(trial, Ranks::serial, kernel);
    }
  }
}

TEST(Execute, ReportsATimeForEachWorkerAndComposesThem) {
  Trial trial(cqs_plan(executor_problem(70), 7), heap_allocator());
  const Execution run = trial.run(Ranks::serial, Kernel::reference, 1, heap_allocator());
  ASSERT_EQ(run.workers.size(), 7u);
  double slowest = 0.0;
  double merges = 0.0;
  double sum = 0.0;
  std::vector<double> compute;
  for (const WorkerTime& worker : run.workers) {
    EXPECT_GT(worker.compute_s, 0.0);
    EXPECT_EQ(worker.compute_s, worker.steps.at(0).compute_s);
    slowest = std::max(slowest, worker.gather_s + worker.compute_s);
    merges += worker.merge_s;
    sum += worker.total_s();
    compute.push_back(worker.compute_s);
  }
  EXPECT_DOUBLE_EQ(run.critical_path_s, slowest + merges);
  EXPECT_DOUBLE_EQ(run.worker_sum_s, sum);
  EXPECT_LE(run.worker_sum_s, run.wall_s);
  EXPECT_THAT(compute, ::testing::Contains(run.longest_subsequence_s));
}

TEST(Execute, RoundsAddUpTheSlowestWorkerOfEachStep) {
  Plan plan = cqs_plan(executor_problem(70), 7);
  for (Worker& worker : plan.workers) worker.steps.push_back(worker.steps[0]);
  for (Worker& worker : plan.workers) {  // two steps with half of the tasks each
    std::vector<PairTask>& first = worker.steps[0].tasks;
    std::vector<PairTask>& second = worker.steps[1].tasks;
    const auto half = static_cast<std::ptrdiff_t>(first.size() / 2);
    first.erase(first.begin() + half, first.end());
    second.erase(second.begin(), second.begin() + half);
  }
  plan.synchronisation = Synchronisation::rounds;
  Trial trial(plan, heap_allocator());
  const Execution run = trial.run(Ranks::serial, Kernel::reference, 1, heap_allocator());
  double gather = 0.0;
  double merges = 0.0;
  double steps[2] = {0.0, 0.0};
  for (const WorkerTime& worker : run.workers) {
    ASSERT_EQ(worker.steps.size(), 2u);
    gather = std::max(gather, worker.gather_s);
    merges += worker.merge_s;
    for (std::size_t i = 0; i < 2; ++i) steps[i] = std::max(steps[i], worker.steps[i].compute_s);
  }
  EXPECT_DOUBLE_EQ(run.critical_path_s, gather + (steps[0] + steps[1]) + merges);
  EXPECT_TRUE(trial.verify().correct) << trial.verify().message;
}

// Each task has its own step: workers accumulate their partials.
TEST(Execute, WorkersOfManyStepsAreCorrect) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Plan plan = random_plan(random);
    for (Worker& worker : plan.workers) {
      std::vector<Step> steps(1);  // the first has no tasks
      for (const PairTask& task : worker.steps[0].tasks) steps.push_back({{}, {task}, {}});
      worker.steps = std::move(steps);
    }
    for (const Ranks ranks : {Ranks::serial, Ranks::threads}) {
      Trial trial(plan, heap_allocator());
      expect_correct(trial, ranks, Kernel::flash);
    }
  }
}

// Four queries, two keys, causal: the first two queries see nothing, and no worker holds them.
TEST(Execute, QueriesThatNobodyHoldsGetZeroAndMinusInfinity) {
  Problem problem = executor_problem(4, MaskKind::causal);
  problem.shape.kv_len = 2;
  problem.mask = Mask::causal(4, 2);
  Plan plan;
  plan.problem = problem;
  plan.algorithm = "by hand";
  plan.q_groups = {{0, 2, 1}, {2, 2, 1}};
  plan.kv_groups = {{0, 2, 1}};
  Worker busy{{1}, {0}, {Step{}}};
  busy.steps[0].tasks.push_back(*pair_task(problem, plan.q_groups, plan.kv_groups, 1, 0));
  plan.workers = {busy, Worker{}};  // and one worker without tokens or steps
  for (const Ranks ranks : {Ranks::serial, Ranks::threads}) {
    Trial trial(plan, heap_allocator());
    expect_correct(trial, ranks, Kernel::flash);
  }
}

TEST(Execute, TheTimeOfTheLongestSubsequenceIsThatOfItsSlowestWorker) {
  Plan plan = dense_plan(executor_problem(15));
  plan.q_groups = {{0, 5, 1}, {5, 2, 1}, {7, 3, 1}, {10, 5, 1}};
  plan.workers = {};
  Execution execution;
  const double seconds[] = {1.0, 9.0, 7.0, 0.5};
  for (int w = 0; w < 4; ++w) {
    plan.workers.push_back({{w}, {}, {}, {}});
    execution.workers.emplace_back().compute_s = seconds[w];
  }
  add_sums(plan, execution);
  EXPECT_EQ(execution.longest_subsequence_s, 1.0);
  EXPECT_EQ(execution.worker_sum_s, 17.5);
  execution.workers[3].compute_s = 2.0;
  add_sums(plan, execution);
  EXPECT_EQ(execution.longest_subsequence_s, 2.0);
}

TEST(Execute, RefusesTensorsOfAnotherShapeThanThePlans) {
  Trial trial(dense_plan(executor_problem(9)), heap_allocator());
  const Trial other(dense_plan(executor_problem(10)), heap_allocator());
  trial.plan = other.plan;
  try {
    (void)trial.run(Ranks::serial, Kernel::flash, 1, heap_allocator());
    FAIL() << "tensors of 9 tokens ran a plan of 10";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("execute: q"));
  }
}

// Memory runs out at each request in turn; then all memory must be free and the next run correct.
void survive_running_out(const Plan& plan, Ranks ranks, Kernel kernel) {
  SCOPED_TRACE(fmt::format("{} {} {}", describe(plan), word(ranks), word(kernel)));
  MemoryLedger ledger;
  Trial trial(plan, ledger);
  const int failures = run_out_at_each_request(ledger, [&](Allocator& memory) {
    poison(trial.out.view(), trial.lse.view());
    (void)trial.run(ranks, kernel, 1, memory);
  });
  EXPECT_GT(failures, 0) << "nothing was requested";
  EXPECT_TRUE(trial.verify().correct) << trial.verify().message;
}

TEST(Execute, GivesEverythingBackWhereverMemoryRunsOut) {
  for (const Kernel kernel : kKernels) {
    survive_running_out(dense_plan(executor_problem(20)), Ranks::serial, kernel);
    survive_running_out(cqs_plan(executor_problem(20), 4), Ranks::serial, kernel);
  }
}

TEST(ExecuteThreads, GiveEverythingBackWhereverMemoryRunsOut) {
  for (const Kernel kernel : {Kernel::reference, Kernel::flash})
    for (const char* algorithm : {"cqs", "ring", "pass_q", "tree_decode"})
      survive_running_out(make_plan(algorithm, executor_problem(20), {4, {}}), Ranks::threads,
                          kernel);
}

}  // namespace
}  // namespace qb
