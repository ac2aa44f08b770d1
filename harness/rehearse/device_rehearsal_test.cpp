// SPDX-License-Identifier: Apache-2.0
#include "harness/rehearse/device_rehearsal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/plan/testing/spelt_plans.h"
#include "harness/plan/tiling.h"
#include "harness/plan/work/work.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/device_trial.h"

namespace qb {
namespace {

struct Peaks {
  std::int64_t active = 0;
  std::optional<std::int64_t> worker;
};

// Returns what the ledger counts when the plan really runs, on tensors of the same ledger.
Peaks measured_peaks(const Plan& plan, DeviceCall call) {
  MemoryLedger ledger;
  Trial trial(plan, ledger);
  ledger.reset_peaks();
  DeviceProbe device;
  DeviceExecutor executor(trial.plan, arguments_of(trial, ledger, call), device);
  const Execution execution = executor.run();
  const Verification verification = trial.verify();
  EXPECT_TRUE(verification.correct) << verification.message;
  Peaks peaks{static_cast<std::int64_t>(ledger.active_peak_bytes()), {}};
  for (std::size_t w = 0; w < execution.workers.size(); ++w)
    peaks.worker =
        std::max(peaks.worker.value_or(0),
                 static_cast<std::int64_t>(ledger.worker_peak_bytes(static_cast<int>(w))));
  return peaks;
}

TEST(Rehearsal, TellsTheMemoryOfEveryStrategyKernelAndLaunchToTheByte) {
  const std::size_t seen =
      testing_support::for_random_plans(250, [](const Plan& plan, Random& random) {
        const DeviceCall call = random_device_call(random);
        SCOPED_TRACE(fmt::format("{} {}", word(call.kernel), word(call.launch)));
        const Rehearsal told = rehearse(plan, call.kernel, call.launch, ProbeCosts());
        const Peaks peaks = measured_peaks(plan, call);
        EXPECT_EQ(told.active_peak_bytes, peaks.active);
        EXPECT_EQ(told.worker_peak_bytes, peaks.worker);
      });
  EXPECT_EQ(seen, strategies().size());
}

// A launch of its own, of this many bytes and pairs for each worker in it.
class LaunchCosts final : public CpuDevice::Costs {
 public:
  static constexpr std::int64_t kBytes = 1000;
  static constexpr std::int64_t kPairs = 24;  // of four heads
  LaunchCosts() : Costs(1) {}
  std::optional<cuda::CallCost> of_launch(const cuda::GroupedCall& call) const override {
    const std::int64_t workers = std::ssize(call.workers);
    return cuda::CallCost{.workspace_bytes = kBytes * workers, .executed_pairs = kPairs * workers};
  }
};

TEST(Rehearsal, HoldsALaunchAsLongAsTheExecutorKeepsIt) {
  const Problem problem = make_problem({1, 4, 4, 80, 80, 8, 8}, MaskKind::full, DType::f32, 1);
  const std::int64_t tensors = 4 * 80 * (4 * 8 + 1) * 4;
  const auto told = [&](const char* algorithm, Launch launch) {
    return rehearse(make_plan(algorithm, problem, {4, {}}), Kernel::flash, launch, LaunchCosts());
  };
  // A ring of four workers has four rounds of four. Launched alone, one is held at a time, and each
  // is its worker's.
  const Rehearsal together = told("ring", Launch::together);
  EXPECT_EQ(together.active_peak_bytes, tensors + 16 * LaunchCosts::kBytes);
  EXPECT_EQ(together.executed_pairs, 16 * LaunchCosts::kPairs / 4);
  const Rehearsal alone = told("ring", Launch::alone);
  EXPECT_EQ(alone.active_peak_bytes, tensors + LaunchCosts::kBytes);
  EXPECT_EQ(alone.worker_peak_bytes, LaunchCosts::kBytes);
  EXPECT_EQ(alone.executed_pairs, 16 * LaunchCosts::kPairs / 4);
  ASSERT_EQ(alone.step_pairs.size(), 4u);
  for (const std::vector<std::int64_t>& steps : alone.step_pairs)
    EXPECT_EQ(steps, std::vector<std::int64_t>(4, LaunchCosts::kPairs / 4));
}

// The device has the CPU's tiles, and the work model counts those from the plan alone.
TEST(Rehearsal, DealsThePairsToWorkersAndStepsAsTheWorkModelDoes) {
  testing_support::for_random_plans(100, [](const Plan& plan, Random&) {
    const Work work = model_work(plan, Kernel::materialized);
    const Rehearsal told = rehearse(plan, Kernel::materialized, Launch::alone, ProbeCosts());
    EXPECT_EQ(told.executed_pairs, work.executed_pairs);
    ASSERT_EQ(told.step_pairs.size(), work.workers.size());
    for (std::size_t w = 0; w < work.workers.size(); ++w) {
      ASSERT_EQ(told.step_pairs[w].size(), work.workers[w].steps.size());
      for (std::size_t s = 0; s < work.workers[w].steps.size(); ++s)
        EXPECT_EQ(told.step_pairs[w][s], work.workers[w].steps[s].executed_pairs);
    }
  });
}

TEST(Rehearsal, PlansOfOneWorkerAndARotationTakeWhatTheirWorkersTake) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::vector<std::string_view> algorithms(std::begin(testing_support::kRotating),
                                           std::end(testing_support::kRotating));
  algorithms.insert(algorithms.end(), {"grid", "usp", "mesh", "burst"});
  for (const std::string_view algorithm : algorithms)
    for (int round = 0; round < 24; ++round) {
      const int workers = static_cast<int>(testing_support::draw(random, 1, 12));
      const Problem problem = testing_support::plain_problem_for(algorithm, workers, random);
      const bool has_backward = algorithm != "pass_q" && algorithm != "decode";
      const Pass pass = round % 3 == 0 && has_backward ? Pass::backward : Pass::forward;
      GridShape grid;
      if (algorithm == "grid" && round % 2 == 0) grid.rows = workers % 2 == 0 ? 2 : workers;
      Plan plan;
      try {
        plan = make_plan(algorithm, problem,
                         {.workers = workers, .keys = grid_keys(grid), .pass = pass});
      } catch (const Unsupported&) {
        continue;
      }
      const Plan spelt = testing_support::spelt_out(plan);
      for (const Kernel kernel :
           {Kernel::reference, Kernel::materialized, Kernel::flash, Kernel::staged}) {
        if (pass == Pass::backward && kernel != Kernel::reference && kernel != Kernel::flash)
          continue;
        SCOPED_TRACE(fmt::format("{} W = {} {} {}", algorithm, workers, word(kernel), word(pass)));
        const PlanMemory memory = plan_memory(plan, kernel, 1);
        const PlanMemory expected = plan_memory(spelt, kernel, 1);
        EXPECT_EQ(memory.worker_peak_bytes, expected.worker_peak_bytes);
        EXPECT_EQ(memory.serial_bytes, expected.serial_bytes);
        EXPECT_EQ(memory.threads_bytes, expected.threads_bytes);
      }
    }
}

TEST(Rehearsal, AGatheringWorkerHoldsEverythingWhereARingHoldsThreeShards) {
  const auto worst = [](const char* algorithm) {
    Shape shape{1, 4, 4, 4096, 4096, 16, 16};
    const Problem problem = make_problem(shape, MaskKind::full, DType::f32, 1);
    return plan_memory(make_plan(algorithm, problem, {16, {}}), Kernel::flash, 1).device_peak_bytes;
  };
  EXPECT_GT(worst("all_gather_kv"), 3 * worst("ring") / 2);
}

// The peak of a worker is in one of its steps.
TEST(Rehearsal, TellsThePeakOfEachStep) {
  testing_support::for_random_plans(40, [](const Plan& plan, Random&) {
    if (works_in_place(plan)) return;  // the plan takes no shard there
    const PlanMemory memory = plan_memory(plan, Kernel::flash, 1);
    for (std::size_t w = 0; w < plan.workers.size(); ++w) {
      const auto steps = step_peak_bytes(plan, static_cast<int>(w), Kernel::flash, 1);
      EXPECT_EQ(steps.size(), std::max<std::size_t>(plan.workers[w].steps.size(), 1));
      EXPECT_EQ(std::ranges::max(steps), memory.worker_peak_bytes[w]);
    }
  });
}

Problem heads_of_128(std::int64_t n, MaskKind mask) {
  Shape shape;
  shape.q_heads = shape.kv_heads = 4;
  shape.q_len = shape.kv_len = n;
  shape.head_dim = shape.value_dim = 128;
  return make_problem(shape, mask, DType::bf16, 3);
}

TEST(Rehearsal, CountsThePairsOfTheGpusOwnTiles) {
  const cuda::GpuKernelCosts sm80(cuda::FlashPath::sm80, 108);
  const cuda::GpuKernelCosts sm90(cuda::FlashPath::sm90, 132);
  const auto pairs = [](const Plan& plan, Launch launch, const cuda::KernelCosts& costs) {
    return rehearse(plan, Kernel::flash, launch, costs).executed_pairs;
  };
  // 100 rows need four pieces of 32; 100 keys need seven of 16 or a whole block of 128.
  const Plan dense = dense_plan(heads_of_128(100, MaskKind::full));
  EXPECT_EQ(pairs(dense, Launch::alone, sm80), 128 * 112);
  EXPECT_EQ(pairs(dense, Launch::alone, sm90), 128 * 128);
  // Two workers compute 50 queries each against 50 keys of either: 64 rows, 64 keys, two rounds;
  // sm_90a has blocks of 128 keys.
  const Plan ring = make_plan("ring", heads_of_128(100, MaskKind::full), {2, std::nullopt});
  for (const Launch launch : {Launch::alone, Launch::together, Launch::graph}) {
    EXPECT_EQ(pairs(ring, launch, sm80), 4 * 64 * 64);
    EXPECT_EQ(pairs(ring, launch, sm90), 4 * 64 * 128);
  }
  // Below the diagonal 32 rows see the keys up to their last: 32, 64, 96 and, for 4 rows, 112.
  const Plan causal = dense_plan(heads_of_128(100, MaskKind::causal));
  EXPECT_EQ(pairs(causal, Launch::alone, sm80), 32 * (32 + 64 + 96 + 112));
}

TEST(Rehearsal, NeverComputesFewerPairsThanAreSeen) {
  testing_support::for_random_plans(60, [](Plan plan, Random&) {
    plan.problem.dtype = DType::bf16;
    for (const cuda::FlashPath path : {cuda::FlashPath::sm80, cuda::FlashPath::sm90})
      for (const Launch launch : {Launch::alone, Launch::together, Launch::graph}) {
        if (plan.result == Result::tier && launch != Launch::alone) continue;
        const Rehearsal told =
            rehearse(plan, Kernel::flash, launch, cuda::GpuKernelCosts(path, 132));
        ASSERT_TRUE(told.executed_pairs);
        EXPECT_GE(*told.executed_pairs, unmasked_pairs(plan.problem));
        EXPECT_EQ(told.step_pairs.empty(), launch != Launch::alone && plan.workers.size() > 1);
      }
  });
}

TEST(Rehearsal, OnlyFlashLaunchesWorkersTogether) {
  const Plan plan = dense_plan(heads_of_128(100, MaskKind::full));
  const cuda::GpuKernelCosts costs(cuda::FlashPath::sm80, 108);
  EXPECT_THROW((void)rehearse(plan, Kernel::materialized, Launch::together, costs), Unsupported);
}

TEST(Rehearsal, TakesNoMemoryOfItsOwn) {
  // The scores take 4 TiB.
  const Plan plan = dense_plan(heads_of_128(std::int64_t{1} << 19, MaskKind::full));
  const Rehearsal told = rehearse(plan, Kernel::materialized, Launch::alone,
                                  cuda::GpuKernelCosts(cuda::FlashPath::sm80, 108));
  EXPECT_GT(told.active_peak_bytes, std::int64_t{1} << 42);
}

}  // namespace
}  // namespace qb
