// SPDX-License-Identifier: Apache-2.0
// Tests the backward pass of the device executor on a host that imitates a GPU, whose memory the
// host cannot touch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/device_executor.h"
#include "harness/run/testing/device_trial.h"
#include "harness/run/testing/failing_allocator.h"
#include "harness/run/testing/fake_link.h"
#include "harness/run/testing/gradient_trial.h"

namespace qb {
namespace {

// A trial's whole tensors on a GPU. Its ledger counts from then on.
struct Scene {
  explicit Scene(const GradientTrial& trial) : ledger(ledger_over(gpu)), whole(trial, gpu, ledger) {
    ledger.reset_peaks();
  }
  [[nodiscard]] ExecutionArguments arguments(Kernel kernel, Allocator& memory) const {
    ExecutionArguments arguments = whole.with_tensors({});
    arguments.kernel = kernel;
    arguments.allocator = &memory;
    return arguments;
  }

  FakeGpu gpu;
  MemoryLedger ledger;
  TrialOnDevice whole;
};

Plan backward_plan(const char* algorithm, std::int64_t n, int workers) {
  const Problem problem = make_problem({2, 4, 2, n, n, 16, 16}, MaskKind::full, DType::bf16, 11);
  return make_plan(algorithm, problem, {.workers = workers, .pass = Pass::backward});
}

TEST(DeviceGradients, OfEveryStrategyAgreeWithFloat64InTheMemoryThatARehearsalTells) {
  const auto attempt = [](const Plan& drawn, Random& random) {
    const Plan plan = testing_support::in_random_type(drawn, random);
    const Kernel kernel = random() % 3 == 0 ? Kernel::materialized : Kernel::flash;
    SCOPED_TRACE(fmt::format("{} {}", word(plan.problem.dtype), word(kernel)));
    const GradientTrial trial(plan);
    const std::string serial = trial.serial_bytes(kernel);
    Scene scene(trial);
    const ExecutionArguments arguments = scene.arguments(kernel, scene.ledger);
    DeviceExecutor executor(trial.plan, arguments, scene.gpu);
    Execution execution;
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const TensorView& gradient : written_by(Pass::backward, arguments))
        scene.gpu.fill(gradient.data, 0x7b, static_cast<std::size_t>(gradient.bytes()));
      execution = executor.run();
      scene.whole.download();
      ASSERT_EQ(trial.gradient_bytes() == serial, true) << "repeat " << repeat;
    }
    trial.expect_exact();
    const Rehearsal told = rehearse(trial.plan, kernel, Launch::alone, ProbeCosts());
    ASSERT_EQ(told.active_peak_bytes, static_cast<std::int64_t>(scene.ledger.active_peak_bytes()));
    std::int64_t most = 0;
    for (const WorkerTime& worker : execution.workers)
      most = std::max(most, worker.active_peak_bytes);
    ASSERT_EQ(told.worker_peak_bytes, most);
  };
  const std::size_t seen =
      testing_support::for_random_plans(200, attempt, std::random_device{}(), Pass::backward);
  EXPECT_GE(seen, 10u);
}

// The lists of a single worker stay from run to run, as those of the forward pass do.
TEST(DeviceGradients, LowerTheScheduleOfOneWorkerOnceAndThoseOfSeveralEachTime) {
  for (const auto& [algorithm, workers, kept] :
       {std::tuple{"dense", 1, 1}, std::tuple{"ring", 1, 1}, std::tuple{"cqs", 7, 3 * 7}}) {
    const GradientTrial trial(backward_plan(algorithm, 70, workers));
    Scene scene(trial);
    DeviceExecutor executor(trial.plan, scene.arguments(Kernel::flash, scene.ledger), scene.gpu);
    for (int run = 0; run < 3; ++run) (void)executor.run();
    EXPECT_EQ(scene.gpu.counts["keep_backward_schedule"], kept) << algorithm;
    EXPECT_EQ(scene.gpu.counts["attention_backward"], 3 * workers) << algorithm;
  }
}

// The clock counts operations. Each worker of W = 7 has three groups and one call: it copies six
// tensors and clears three sums, and the root makes D first. To lower a schedule costs nothing.
TEST(DeviceGradients, ChargeAWorkerWithWhatTheDeviceComputes) {
  const GradientTrial trial(backward_plan("cqs", 70, 7));
  Scene scene(trial);
  const int before = scene.gpu.operations;
  const Execution execution =
      DeviceExecutor(trial.plan, scene.arguments(Kernel::flash, scene.ledger), scene.gpu).run();
  EXPECT_EQ(execution.delta_s, 1.0);
  EXPECT_EQ(execution.worker_sum_s, 1.0 + 7 * (6 * 3.0 + 3 * 3.0 + 1.0 + 3 * 3.0));
  ASSERT_EQ(execution.workers.size(), 7u);
  for (const WorkerTime& worker : execution.workers) {
    EXPECT_EQ(worker.gather_s, 6 * 3.0);
    EXPECT_EQ(worker.compute_s, 3 * 3.0 + 1.0);
    EXPECT_EQ(worker.merge_s, 3 * 3.0);
  }
  EXPECT_EQ(execution.critical_path_s, 1.0 + 18.0 + 10.0 + 7 * 9.0);
  EXPECT_EQ(execution.device_s, scene.gpu.operations - before);
}

TEST(DeviceGradients, GiveEverythingBackWhereverMemoryRunsOut) {
  for (const char* algorithm : {"dense", "cqs", "all_gather_kv"}) {
    const GradientTrial trial(backward_plan(algorithm, 24, algorithm[0] == 'd' ? 1 : 3));
    const std::string serial = trial.serial_bytes(Kernel::flash);
    Scene scene(trial);
    const int failures = run_out_at_each_request(scene.ledger, [&](Allocator& memory) {
      const ExecutionArguments arguments = scene.arguments(Kernel::flash, memory);
      for (const TensorView& written : written_by(Pass::backward, arguments))
        scene.gpu.fill(written.data, 0x7b, static_cast<std::size_t>(written.bytes()));
      const auto play = [&] { (void)DeviceExecutor(trial.plan, arguments, scene.gpu).run(); };
      const auto expect_correct = [&] {
        scene.whole.download();
        EXPECT_EQ(trial.gradient_bytes() == serial, true) << algorithm;
      };
      try {
        play();
      } catch (const OutOfMemory&) {
        play();  // the next case has the device to itself
        expect_correct();
        throw;
      }
      expect_correct();
    });
    EXPECT_GT(failures, 1) << algorithm;
  }
}

TEST(DeviceGradients, EndTheCaseWhereTheDeviceIsLostAtAnyPoint) {
  const GradientTrial trial(backward_plan("ring", 24, 3));
  Scene whole(trial);
  const int before = whole.gpu.operations;
  (void)DeviceExecutor(trial.plan, whole.arguments(Kernel::flash, whole.ledger), whole.gpu).run();
  const int operations = whole.gpu.operations - before;
  EXPECT_GT(operations, 30);
  for (int operation = 1; operation <= operations; ++operation) {
    Scene scene(trial);
    const std::uint64_t held = scene.ledger.active_bytes();
    scene.gpu.lost_at = before + operation;
    const std::string failure = case_failure([&] {
      (void)DeviceExecutor(trial.plan, scene.arguments(Kernel::flash, scene.ledger), scene.gpu)
          .run();
    });
    EXPECT_EQ(failure, "crashed: the device was lost: unspecified launch failure") << operation;
    EXPECT_EQ(scene.ledger.active_bytes(), held);
  }
}

TEST(DeviceGradients, AreNotLaunchedTogether) {
  const GradientTrial trial(backward_plan("cqs", 24, 3));
  Scene scene(trial);
  for (const Launch launch : {Launch::together, Launch::graph}) {
    ExecutionArguments arguments = scene.arguments(Kernel::flash, scene.ledger);
    arguments.launch = launch;
    EXPECT_EQ(case_failure([&] { DeviceExecutor(trial.plan, arguments, scene.gpu); }),
              fmt::format("unsupported: launch: {} is for the forward pass; a backward pass "
                          "computes each worker alone",
                          word(launch)));
  }
}

}  // namespace
}  // namespace qb
