#include "harness/execute/device/device_rehearsal.h"

#include <gtest/gtest.h>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/testing/device_trial.h"
#include "harness/execute/testing/host_compute_device.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

struct Peaks {
  std::int64_t active = 0;
  std::optional<std::int64_t> worker;
};

// What the ledger counts when the plan is played for good, on tensors of the same ledger.
Peaks measured_peaks(const Plan& plan, DeviceCall call) {
  MemoryLedger ledger;
  Trial trial(plan, ledger);
  ledger.reset_peaks();
  HostComputeDevice device;
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
        const Rehearsal told = rehearse(plan, call.kernel, call.launch, HostKernelCosts());
        const Peaks peaks = measured_peaks(plan, call);
        EXPECT_EQ(told.active_peak_bytes, peaks.active);
        EXPECT_EQ(told.worker_peak_bytes, peaks.worker);
      });
  EXPECT_EQ(seen, strategies().size());
}

// The stand-in has the CPU's tiles, and the work model counts those from the plan alone.
TEST(Rehearsal, DealsThePairsToWorkersAndStepsAsTheWorkModelDoes) {
  testing_support::for_random_plans(100, [](const Plan& plan, Random&) {
    const Work work = model_work(plan, Kernel::materialized, 1);
    const Rehearsal told = rehearse(plan, Kernel::materialized, Launch::alone, HostKernelCosts());
    EXPECT_EQ(told.executed_pairs, work.executed_pairs);
    ASSERT_EQ(told.step_pairs.size(), work.workers.size());
    for (std::size_t w = 0; w < work.workers.size(); ++w) {
      ASSERT_EQ(told.step_pairs[w].size(), work.workers[w].steps.size());
      for (std::size_t s = 0; s < work.workers[w].steps.size(); ++s)
        EXPECT_EQ(told.step_pairs[w][s], work.workers[w].steps[s].executed_pairs);
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
  // 100 rows are four pieces of 32, 100 keys seven of 16 or a whole block of 128.
  const Plan dense = dense_plan(heads_of_128(100, MaskKind::full));
  EXPECT_EQ(pairs(dense, Launch::alone, sm80), 128 * 112);
  EXPECT_EQ(pairs(dense, Launch::alone, sm90), 128 * 128);
  // Two workers, each its 50 queries against 50 keys of either: 64 rows, 64 keys, two rounds; on
  // sm_90a blocks of 128 keys.
  const Plan ring = make_plan("ring", heads_of_128(100, MaskKind::full), {2, std::nullopt});
  for (const Launch launch : {Launch::alone, Launch::together, Launch::graph}) {
    EXPECT_EQ(pairs(ring, launch, sm80), 4 * 64 * 64);
    EXPECT_EQ(pairs(ring, launch, sm90), 4 * 64 * 128);
  }
  // Below the diagonal 32 rows see the keys up to their last: 32, 64, 96 and, of 4 rows, 112.
  const Plan causal = dense_plan(heads_of_128(100, MaskKind::causal));
  EXPECT_EQ(pairs(causal, Launch::alone, sm80), 32 * (32 + 64 + 96 + 112));
}

TEST(Rehearsal, NeverComputesFewerPairsThanAreSeen) {
  testing_support::for_random_plans(60, [](Plan plan, Random&) {
    plan.problem.dtype = DType::bf16;
    for (const cuda::FlashPath path : {cuda::FlashPath::sm80, cuda::FlashPath::sm90})
      for (const Launch launch : {Launch::alone, Launch::together, Launch::graph}) {
        const Rehearsal told =
            rehearse(plan, Kernel::flash, launch, cuda::GpuKernelCosts(path, 132));
        ASSERT_TRUE(told.executed_pairs);
        EXPECT_GE(*told.executed_pairs, unmasked_pairs(plan.problem));
        EXPECT_EQ(told.step_pairs.empty(), launch != Launch::alone && plan.workers.size() > 1);
      }
  });
}

TEST(Rehearsal, LeavesEmptyWhatALibraryKeepsToItself) {
  const Plan plan = dense_plan(heads_of_128(100, MaskKind::full));
  const cuda::GpuKernelCosts costs(cuda::FlashPath::sm80, 108);
  const Rehearsal cudnn = rehearse(plan, Kernel::cudnn, Launch::alone, costs);
  EXPECT_EQ(cudnn.active_peak_bytes, std::nullopt);
  EXPECT_EQ(cudnn.worker_peak_bytes, std::nullopt);
  EXPECT_EQ(cudnn.executed_pairs, std::nullopt);
  EXPECT_TRUE(cudnn.step_pairs.empty());
  EXPECT_THROW((void)rehearse(plan, Kernel::materialized, Launch::together, costs), Unsupported);
}

TEST(Rehearsal, TakesNoMemoryOfItsOwn) {
  // 4 TiB of scores.
  const Plan plan = dense_plan(heads_of_128(std::int64_t{1} << 19, MaskKind::full));
  const Rehearsal told = rehearse(plan, Kernel::materialized, Launch::alone,
                                  cuda::GpuKernelCosts(cuda::FlashPath::sm80, 108));
  EXPECT_GT(told.active_peak_bytes, std::int64_t{1} << 42);
}

}  // namespace
}  // namespace qb
