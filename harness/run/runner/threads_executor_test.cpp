// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

constexpr Kernel kThreadKernels[] = {Kernel::reference, Kernel::flash};

TEST(ThreadsExecutor, RandomProblemsAgreeWithFloat64) {
  for (std::uint64_t seed = 101; seed <= 130; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Trial trial(random_plan(random), heap_allocator());
    const Kernel kernel = kThreadKernels[seed % 2];
    const int threads = static_cast<int>(between(random, 1, 20));
    (void)trial.run(Ranks::threads, kernel, threads, heap_allocator());
    const Verification verification = trial.verify();
    EXPECT_TRUE(verification.correct)
        << describe(trial.plan) << " " << word(kernel) << ": " << verification.message;
  }
}

TEST(ThreadsExecutor, GivesTheBitsOfTheSerialExecutor) {
  for (std::uint64_t seed = 201; seed <= 220; ++seed) {
    Random random(seed);
    Trial serial(random_plan(random), heap_allocator());
    Trial threads(serial.plan, heap_allocator());
    const Kernel kernel = kThreadKernels[seed % 2];
    (void)serial.run(Ranks::serial, kernel, 1, heap_allocator());
    (void)threads.run(Ranks::threads, kernel, 1, heap_allocator());
    EXPECT_EQ(serial.output_bytes(), threads.output_bytes())
        << "seed " << seed << ": " << describe(serial.plan) << " " << word(kernel);
  }
}

TEST(ThreadsExecutor, ReportsTheWallClockAsItsCriticalPath) {
  Random random(5);
  Problem problem = random_problem(random);
  problem.shape.q_len = problem.shape.kv_len = 64;
  problem.mask = Mask::full();
  Trial trial(cqs_plan(problem, 7), heap_allocator());
  const Execution run = trial.run(Ranks::threads, Kernel::reference, 7, heap_allocator());
  EXPECT_EQ(run.critical_path_s, run.wall_s);
  ASSERT_EQ(run.workers.size(), 7u);
  for (const WorkerTime& worker : run.workers) {
    EXPECT_GT(worker.compute_s, 0.0);
    EXPECT_LE(worker.compute_s, run.wall_s);
    EXPECT_LE(worker.total_s(), run.wall_s * 1.000001);
    EXPECT_GE(worker.steps.at(0).idle_s, 0.0);
  }
}

TEST(ThreadsExecutor, TakesItsMemoryFromTheLedgerWithAllWorkersAtOnce) {
  MemoryLedger::Options options;
  options.record_events = true;
  MemoryLedger ledger(options);
  Random random(6);
  Problem problem = random_problem(random);
  problem.shape.q_len = problem.shape.kv_len = 64;
  problem.mask = Mask::full();
  Trial trial(cqs_plan(problem, 4), ledger);
  const std::uint64_t of_caller = ledger.active_bytes();
  (void)trial.run(Ranks::threads, Kernel::flash, 4, ledger);
  int partials = 0;
  int most_partials = 0;
  for (const MemoryEvent& event : ledger.events()) {
    if (event.label != "out_partial") continue;
    if (event.action == MemoryEvent::Action::alloc)
      most_partials = std::max(most_partials, ++partials);
    if (event.action == MemoryEvent::Action::free) --partials;
  }
  EXPECT_EQ(most_partials, 4) << "partials live until all workers have computed";
  EXPECT_EQ(ledger.active_bytes(), of_caller);
}

TEST(ThreadsExecutor, EndsEveryWorkerWhenOneRunsOverTheBudget) {
  Random random(7);
  Problem problem = random_problem(random);
  problem.shape.q_len = problem.shape.kv_len = 64;
  problem.mask = Mask::full();
  Trial trial(cqs_plan(problem, 7), heap_allocator());
  MemoryLedger::Options options;
  options.budget_bytes = 3 * static_cast<std::uint64_t>(trial.inputs.q.view().bytes());
  MemoryLedger ledger(options);
  EXPECT_THROW((void)trial.run(Ranks::threads, Kernel::flash, 2, ledger), OutOfMemory);
  EXPECT_EQ(ledger.active_bytes(), 0u);
}

}  // namespace
}  // namespace qb
