// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

using ::testing::UnorderedElementsAre;

constexpr Kernel kSerialKernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash};

// Different code makes the prediction and the measurement; every row has both.
TEST(SerialExecutor, PeaksAtExactlyThePredictedBytes) {
  for (std::uint64_t seed = 1; seed <= 45; ++seed) {
    Random random(seed);
    const Kernel kernel = kSerialKernels[seed % 3];
    const int threads = static_cast<int>(between(random, 1, 3));
    MemoryLedger ledger;
    Trial trial(random_plan(random), ledger);
    (void)trial.run(Ranks::serial, kernel, threads, ledger);
    EXPECT_EQ(static_cast<std::int64_t>(ledger.active_peak_bytes()),
              plan_memory(trial.plan, kernel, threads).serial_bytes)
        << "seed " << seed << ": " << describe(trial.plan) << " " << word(kernel) << " with "
        << threads << " threads";
  }
}

TEST(SerialExecutor, LabelsEveryTensorWithItsWorker) {
  Random random(1);
  Problem problem = random_problem(random);
  problem.shape.q_len = problem.shape.kv_len = 30;
  problem.mask = Mask::full();
  MemoryLedger::Options options;
  options.record_events = true;
  MemoryLedger ledger(options);
  Trial trial(cqs_plan(problem, 3), ledger);
  const std::size_t before = ledger.events().size();
  (void)trial.run(Ranks::serial, Kernel::flash, 1, ledger);
  std::map<std::string, std::set<int>> workers_of;
  const std::vector<MemoryEvent> events = ledger.events();
  for (std::size_t i = before; i < events.size(); ++i)
    if (events[i].action == MemoryEvent::Action::alloc)
      workers_of[std::string(events[i].label)].insert(events[i].worker);
  for (const char* label : {"q_local", "k_local", "v_local", "out_partial", "lse_partial"})
    EXPECT_THAT(workers_of[label], UnorderedElementsAre(0, 1, 2)) << label;
}

TEST(SerialExecutor, KeepsOneWorkersMemoryAliveAtATime) {
  MemoryLedger::Options options;
  options.record_events = true;
  MemoryLedger ledger(options);
  Random random(2);
  Problem problem = random_problem(random);
  problem.shape.q_len = problem.shape.kv_len = 40;
  problem.mask = Mask::full();
  Trial trial(cqs_plan(problem, 5), ledger);
  const std::size_t before = ledger.events().size();
  (void)trial.run(Ranks::serial, Kernel::flash, 1, ledger);
  std::map<int, int> live;  // live tensors of each worker
  const std::vector<MemoryEvent> events = ledger.events();
  for (std::size_t i = before; i < events.size(); ++i) {
    if (events[i].action == MemoryEvent::Action::alloc) ++live[events[i].worker];
    if (events[i].action == MemoryEvent::Action::free && --live[events[i].worker] == 0)
      live.erase(events[i].worker);
    EXPECT_LE(live.size(), 1u) << "at event " << i;
  }
}

TEST(SerialExecutor, WorksOnTheCallersTensorsWhereOneWorkerHoldsTheWholeSequence) {
  MemoryLedger::Options options;
  options.record_events = true;
  MemoryLedger ledger(options);
  Random random(3);
  Trial trial(dense_plan(random_problem(random)), ledger);
  const std::size_t before = ledger.events().size();
  const Execution run = trial.run(Ranks::serial, Kernel::flash, 1, ledger);
  const std::vector<MemoryEvent> events = ledger.events();
  for (std::size_t i = before; i < events.size(); ++i) {
    EXPECT_NE(events[i].label, "q_local");
    EXPECT_NE(events[i].label, "out_partial");
  }
  ASSERT_EQ(run.workers.size(), 1u);
  EXPECT_EQ(run.workers[0].gather_s, 0.0);
  EXPECT_EQ(run.workers[0].merge_s, 0.0);
  EXPECT_EQ(run.critical_path_s, run.workers[0].compute_s);
  EXPECT_TRUE(trial.verify().correct) << trial.verify().message;
}

TEST(SerialExecutor, GivesTheSameBitsEveryTime) {
  Random random(4);
  Trial trial(random_plan(random), heap_allocator());
  (void)trial.run(Ranks::serial, Kernel::flash, 2, heap_allocator());
  const std::string first = trial.output_bytes();
  poison(trial.out.view(), trial.lse.view());
  (void)trial.run(Ranks::serial, Kernel::flash, 2, heap_allocator());
  EXPECT_EQ(trial.output_bytes(), first);
}

}  // namespace
}  // namespace qb
