// SPDX-License-Identifier: Apache-2.0
// Checks every time that an executor reports, under a clock that only the device's work moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/run/runner/rank_worker.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/timed_device.h"

namespace qb {
namespace {

using testing_support::FakeClock;
using testing_support::for_random_plans;

constexpr int kPlans = 250;

struct Played {
  Execution run;
  double elapsed_s = 0.0;  // all that the devices did
};

Played played(Ranks ranks, const Plan& plan) {
  Trial trial(plan, heap_allocator());
  auto arguments = trial.with_tensors(ExecutionArguments());
  arguments.kernel = Kernel::flash;
  arguments.allocator = &heap_allocator();
  arguments.open_device = open_timed_device;
  const FakeClock clock;
  Played result{.run = execute(ranks, plan, arguments)};
  result.elapsed_s = FakeClock::read();
  return result;
}

double sum_of(const Execution& run, double WorkerTime::*part) {
  double sum_s = 0.0;
  for (const WorkerTime& worker : run.workers) sum_s += worker.*part;
  return sum_s;
}

// The definition of Execution::critical_path_s under ranks: serial.
double critical_path_by_hand_s(const Plan& plan, const std::vector<WorkerTime>& workers) {
  double slowest_s = 0.0;
  double gather_s = 0.0;
  double merges_s = 0.0;
  std::map<std::size_t, double> slowest_of_round_s;
  for (const WorkerTime& worker : workers) {
    slowest_s = std::max(slowest_s, worker.gather_s + worker.compute_s);
    gather_s = std::max(gather_s, worker.gather_s);
    merges_s += worker.merge_s;
    for (std::size_t s = 0; s < worker.steps.size(); ++s)
      slowest_of_round_s[s] = std::max(slowest_of_round_s[s], worker.steps[s].compute_s);
  }
  if (plan.synchronisation == Synchronisation::fork_join) return slowest_s + merges_s;
  double rounds_s = 0.0;
  for (const auto& [round, seconds] : slowest_of_round_s) rounds_s += seconds;
  return gather_s + rounds_s + merges_s;
}

// The definition of Execution::longest_subsequence_s.
double longest_subsequence_by_hand_s(const Plan& plan, const std::vector<WorkerTime>& workers) {
  std::map<std::int64_t, double> slowest_of_length_s;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    double& slowest_s = slowest_of_length_s[tokens_of(plan.q_groups, plan.workers[w].q_groups)];
    slowest_s = std::max(slowest_s, workers[w].compute_s);
  }
  return slowest_of_length_s.rbegin()->second;
}

TEST(Clocks, OfTheSerialExecutorHaveAllThatTheDeviceDid) {
  const std::size_t seen = for_random_plans(kPlans, [](const Plan& plan, Random&) {
    const auto [run, elapsed_s] = played(Ranks::serial, plan);
    ASSERT_EQ(run.wall_s, elapsed_s);
    const WorkDone all(elapsed_s);
    const WorkDone gathered(sum_of(run, &WorkerTime::gather_s));
    const WorkDone computed(sum_of(run, &WorkerTime::compute_s));
    const WorkDone merged(sum_of(run, &WorkerTime::merge_s));
    ASSERT_EQ(gathered.kernels + gathered.merges, 0);
    ASSERT_EQ(computed.kernels, all.kernels);
    ASSERT_EQ(merged.kernels, 0);
    if (is_scattered(plan)) {  // every copy and merge is a worker's
      ASSERT_EQ(computed.merges + merged.merges, all.merges);
      ASSERT_EQ(run.worker_sum_s, run.wall_s);
    }
    ASSERT_EQ(run.worker_sum_s, sum_of(run, &WorkerTime::gather_s) +
                                    sum_of(run, &WorkerTime::compute_s) +
                                    sum_of(run, &WorkerTime::merge_s));
    ASSERT_EQ(run.critical_path_s, critical_path_by_hand_s(plan, run.workers));
    ASSERT_EQ(run.longest_subsequence_s, longest_subsequence_by_hand_s(plan, run.workers));
    for (const WorkerTime& worker : run.workers) {
      double steps_s = 0.0;
      for (const StepTime& step : worker.steps) {
        steps_s += step.compute_s;
        ASSERT_EQ(step.idle_s + step.communication_s + step.exposed_communication_s, 0.0);
      }
      ASSERT_EQ(worker.compute_s, steps_s);
    }
  });
  EXPECT_EQ(seen, strategies().size());
}

TEST(Clocks, OfThreadsEndAfterTheLastMerge) {
  const std::size_t seen = for_random_plans(kPlans, [](const Plan& plan, Random&) {
    const auto [run, elapsed_s] = played(Ranks::threads, plan);
    ASSERT_EQ(run.critical_path_s, run.wall_s);
    const WorkDone all(elapsed_s);
    const WorkDone timed(run.wall_s);
    ASSERT_EQ(timed.kernels, all.kernels);
    if (plan.result == Result::root) {
      ASSERT_EQ(timed.merges, all.merges);
    }
    if (is_scattered(plan)) {
      ASSERT_EQ(run.wall_s, elapsed_s);
    }
    ASSERT_LE(run.wall_s, elapsed_s);
    for (const WorkerTime& worker : run.workers) {
      // A thread is in one place at a time.
      double spent_s = worker.gather_s + worker.merge_s;
      double end_s = 0.0;
      for (const StepTime& step : worker.steps) {
        spent_s += step.compute_s + step.exposed_communication_s + step.idle_s;
        ASSERT_GE(step.start_s, end_s);
        end_s = step.start_s + step.compute_s;
        ASSERT_GE(step.idle_s, 0.0);
      }
      ASSERT_LE(spent_s, run.wall_s);
      ASSERT_LE(end_s, run.wall_s);
    }
  });
  EXPECT_EQ(seen, strategies().size());
}

}  // namespace
}  // namespace qb
