// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/device_executor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/device_trial.h"
#include "harness/run/testing/failing_allocator.h"

namespace qb {
namespace {

Problem small_problem(std::int64_t n, MaskKind mask) {
  return make_problem({2, 4, 2, n, n, 16, 16}, mask, DType::bf16, 11);
}

TEST(DeviceExecutor, ComputesEveryStrategyWithEveryKernelAndLaunch) {
  const std::size_t seen =
      testing_support::for_random_plans(250, [](const Plan& plan, Random& random) {
        const DeviceCall call = random_device_call(random);
        SCOPED_TRACE(fmt::format("{} {}", word(call.kernel), word(call.launch)));
        Trial trial(plan, heap_allocator());
        DeviceProbe device;
        MemoryLedger ledger;
        DeviceExecutor executor(trial.plan, arguments_of(trial, ledger, call), device);
        for (int repeat = 0; repeat < 2; ++repeat) {
          poison(trial.out.view(), trial.lse.view());
          (void)executor.run();
          const Verification verification = trial.verify();
          ASSERT_TRUE(verification.correct) << verification.message;
        }
      });
  EXPECT_EQ(seen, strategies().size());
}

TEST(DeviceExecutor, LaunchesAllWorkersOfACqsPlanOrOfARoundAtOnce) {
  const Problem problem = small_problem(70, MaskKind::full);
  for (const auto& [algorithm, expected] : {std::pair{"cqs", 1}, std::pair{"ring", 7}}) {
    Trial trial(make_plan(algorithm, problem, {7, std::nullopt}), heap_allocator());
    DeviceProbe device;
    (void)DeviceExecutor(trial.plan,
                         arguments_of(trial, heap_allocator(), {Kernel::flash, Launch::together}),
                         device)
        .run();
    EXPECT_EQ(device.counts["launch"], expected) << algorithm;
    DeviceProbe other;
    (void)DeviceExecutor(
        trial.plan, arguments_of(trial, heap_allocator(), {Kernel::flash, Launch::alone}), other)
        .run();
    EXPECT_EQ(other.counts["launch"], 7 * expected) << algorithm;
  }
}

TEST(DeviceExecutor, ChargesEachWorkerAloneAndComposesTheCriticalPath) {
  Trial trial(cqs_plan(small_problem(70, MaskKind::full), 7), heap_allocator());
  DeviceProbe device;
  const Execution execution =
      DeviceExecutor(trial.plan,
                     arguments_of(trial, heap_allocator(), {Kernel::materialized, Launch::alone}),
                     device)
          .run();
  // Worker 0 of W = 7 holds three groups: three copies each of Q, K and V before one kernel.
  ASSERT_EQ(execution.workers.size(), 7u);
  for (const WorkerTime& worker : execution.workers) {
    EXPECT_EQ(worker.gather_s, 9.0);
    EXPECT_EQ(worker.compute_s, 1.0);
    EXPECT_GE(worker.merge_s, 3.0);
  }
  EXPECT_EQ(execution.device_s, device.operations);
  double merges_s = 0.0;
  for (const WorkerTime& worker : execution.workers) merges_s += worker.merge_s;
  EXPECT_EQ(execution.critical_path_s, 10.0 + merges_s);
  EXPECT_EQ(execution.longest_subsequence_s, 1.0);
}

// The probe's clock counts operations. A worker of W = 7 has three groups, so a call of it makes
// nine copies and one kernel, and then three merges; the output is cleared before the first call.
TEST(DeviceExecutor, ChargesEachLaunchOfAFlashCallToItsWorkerIfWorkersAreLaunchedAlone) {
  const auto run = [](const Plan& plan, Launch launch) {
    Trial trial(plan, heap_allocator());
    DeviceProbe device;
    DeviceExecutor executor(trial.plan,
                            arguments_of(trial, heap_allocator(), {Kernel::flash, launch}), device);
    const int before = device.operations;
    const Execution execution = executor.run();
    EXPECT_EQ(execution.device_s, device.operations - before);
    return execution;
  };
  const Problem problem = small_problem(70, MaskKind::full);
  const Execution alone = run(cqs_plan(problem, 7), Launch::alone);
  ASSERT_EQ(alone.workers.size(), 7u);
  for (const WorkerTime& worker : alone.workers) {
    EXPECT_EQ(worker.gather_s, 0.0);
    EXPECT_EQ(worker.compute_s, 10.0);
    EXPECT_EQ(worker.merge_s, 3.0);
  }
  EXPECT_EQ(alone.device_s, 1.0 + 7 * 13.0);
  EXPECT_EQ(alone.critical_path_s, 10.0 + 7 * 3.0);
  EXPECT_EQ(alone.worker_sum_s, 7 * 13.0);
  EXPECT_EQ(alone.longest_subsequence_s, 10.0);
  // A ring has a round for each pair of shards: every worker has three copies, a kernel and a
  // merge.
  const Execution ring = run(make_plan("ring", problem, {.workers = 7}), Launch::alone);
  ASSERT_EQ(ring.workers.size(), 7u);
  for (const WorkerTime& worker : ring.workers) {
    ASSERT_EQ(worker.steps.size(), 7u);
    for (const StepTime& step : worker.steps) EXPECT_EQ(step.compute_s, 4.0);
    EXPECT_EQ(worker.merge_s, 7.0);
  }
  EXPECT_EQ(ring.critical_path_s, 7 * 4.0 + 7 * 7.0);
  for (const Launch launch : {Launch::together, Launch::graph}) {
    const Execution execution = run(cqs_plan(problem, 7), launch);
    EXPECT_TRUE(execution.workers.empty());
    EXPECT_EQ(execution.critical_path_s, execution.wall_s);
    EXPECT_TRUE(std::isnan(execution.worker_sum_s));
    EXPECT_TRUE(std::isnan(execution.longest_subsequence_s));
  }
}

// Says at which operation the device was waited for, and from which one on it records.
class RecordingProbe final : public DeviceProbe {
 public:
  int waited_at = 0;
  int recorded_at = 0;

  void wait() override {
    DeviceProbe::wait();
    waited_at = operations;
  }
  std::function<void()> record(const std::function<void()>& enqueue) override {
    recorded_at = operations;
    return enqueue;
  }
};

TEST(DeviceExecutor, RecordsOnlyWhatHasRunBefore) {
  Trial trial(cqs_plan(small_problem(70, MaskKind::full), 7), heap_allocator());
  RecordingProbe device;
  DeviceExecutor executor(
      trial.plan, arguments_of(trial, heap_allocator(), {Kernel::flash, Launch::graph}), device);
  const int recorded_at = device.recorded_at;
  EXPECT_EQ(device.waited_at, recorded_at);
  (void)executor.run();
  EXPECT_EQ(device.operations, 2 * recorded_at);
}

TEST(DeviceExecutor, TellsTheStagesOfTheStagedKernelApart) {
  for (const auto& [algorithm, workers, calls] :
       {std::tuple{"dense", 1, 1}, std::tuple{"cqs", 7, 1}, std::tuple{"ring", 4, 4}}) {
    SCOPED_TRACE(algorithm);
    Problem problem = small_problem(70, MaskKind::causal);
    problem.dtype = DType::f32;
    Trial trial(make_plan(algorithm, problem, {workers, std::nullopt}), heap_allocator());
    DeviceProbe device;
    const Execution execution =
        DeviceExecutor(trial.plan,
                       arguments_of(trial, heap_allocator(), {Kernel::staged, Launch::alone}),
                       device)
            .run();
    const Verification verification = trial.verify();
    EXPECT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(execution.stages.scores_s, device.counts["attention"]);
    EXPECT_EQ(execution.stages.softmax_s, device.counts["attention"]);
    EXPECT_EQ(execution.stages.values_s, device.counts["attention"]);
    // The time before the first stage and after the last also belongs to a step.
    double compute_s = 0.0;
    for (const WorkerTime& worker : execution.workers) compute_s += worker.compute_s;
    EXPECT_GE(compute_s, 5.0 * device.counts["attention"]);
    EXPECT_LE(device.counts["attention"], workers * calls);
  }
}

TEST(DeviceExecutor, ReadsTheHostsClockWhereThePublishedOneDidNotWait) {
  Trial trial(cqs_plan(small_problem(70, MaskKind::causal), 7), heap_allocator());
  DeviceProbe device;
  const Execution execution =
      DeviceExecutor(trial.plan,
                     arguments_of(trial, heap_allocator(), {Kernel::materialized, Launch::alone},
                                  ClockKind::unsynchronized),
                     device)
          .run();
  for (const WorkerTime& worker : execution.workers) EXPECT_EQ(worker.compute_s, 0.001);
  EXPECT_EQ(execution.device_s, device.operations);
}

TEST(DeviceExecutor, GivesEverythingBackWhereverMemoryRunsOut) {
  for (const Kernel kernel : {Kernel::materialized, Kernel::flash})
    for (const char* algorithm : {"cqs", "ring", "pass_q", "dense"}) {
      const int workers = std::string(algorithm) == "dense" ? 1 : 4;
      Trial trial(
          make_plan(algorithm, small_problem(40, MaskKind::causal), {workers, std::nullopt}),
          heap_allocator());
      MemoryLedger ledger;
      const int failures = run_out_at_each_request(ledger, [&](Allocator& memory) {
        DeviceProbe device;
        const auto play = [&] {
          poison(trial.out.view(), trial.lse.view());
          (void)DeviceExecutor(trial.plan, arguments_of(trial, memory, {kernel, Launch::alone}),
                               device)
              .run();
        };
        try {
          play();
        } catch (const OutOfMemory&) {
          play();  // the next case has the device to itself
          EXPECT_TRUE(trial.verify().correct);
          throw;
        }
      });
      EXPECT_GT(failures, 0) << algorithm;
    }
}

TEST(DeviceExecutor, EndsTheCaseWhereTheDeviceIsLostAtAnyPoint) {
  Trial trial(cqs_plan(small_problem(40, MaskKind::full), 4), heap_allocator());
  DeviceProbe whole;
  (void)DeviceExecutor(trial.plan,
                       arguments_of(trial, heap_allocator(), {Kernel::materialized, Launch::alone}),
                       whole)
      .run();
  for (int operation = 1; operation <= whole.operations; ++operation) {
    DeviceProbe device;
    device.lost_at = operation;
    MemoryLedger ledger;
    DeviceExecutor executor(
        trial.plan, arguments_of(trial, ledger, {Kernel::materialized, Launch::alone}), device);
    try {
      (void)executor.run();
      FAIL() << "operation " << operation << " was lost and nobody noticed";
    } catch (const CaseError& error) {
      EXPECT_EQ(error.status(), Status::crashed);
    }
    EXPECT_EQ(ledger.active_bytes(), 0u);
  }
}

TEST(DeviceExecutor, RefusesToLaunchOtherKernelsTogether) {
  Trial trial(cqs_plan(small_problem(40, MaskKind::full), 4), heap_allocator());
  DeviceProbe device;
  try {
    DeviceExecutor(trial.plan,
                   arguments_of(trial, heap_allocator(), {Kernel::materialized, Launch::graph}),
                   device);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_STREQ(
        error.what(),
        "launch: graph needs kernel flash; kernel materialized computes each worker alone");
  }
}

}  // namespace
}  // namespace qb
