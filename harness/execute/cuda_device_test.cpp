// The GPU against float64. Without a GPU these tests are skipped; they are small enough for a
// memory checker.
#include "harness/execute/cuda_device.h"

#include <gtest/gtest.h>

#include "harness/execute/device_rehearsal.h"
#include "harness/execute/execute_fixtures.h"
#include "harness/execute/memory_ledger.h"
#include "harness/plan/brute_force.h"

namespace qb {
namespace {

Problem one_head() {
  Shape shape;
  shape.q_len = shape.kv_len = 100;
  shape.head_dim = shape.value_dim = 32;
  return make_problem(shape, MaskKind::causal, DType::f16, 5);
}

class CudaSmall : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = open_cuda_device({});
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
  }

  [[nodiscard]] LedgerOptions memory(AllocatorKind kind) const {
    LedgerOptions options;
    options.allocator = kind;
    options.source = device_->memory(kind);
    return options;
  }

  [[nodiscard]] Tensor upload(const TensorView& host, Allocator& allocator) const {
    Tensor tensor(allocator, host.dtype, host.extent, "uploaded");
    device_->upload(host, tensor.view());
    return tensor;
  }

  // Plays the trial's plan on the GPU, and brings its output back.
  Execution play(Trial& trial, Kernel kernel, Launch launch, Allocator& allocator) const {
    poison(trial.out.view(), trial.lse.view());
    const Tensor q = upload(trial.inputs.q.view(), allocator);
    const Tensor k = upload(trial.inputs.k.view(), allocator);
    const Tensor v = upload(trial.inputs.v.view(), allocator);
    const Tensor out = upload(trial.out.view(), allocator);
    const Tensor lse = upload(trial.lse.view(), allocator);
    DeviceExecutor executor(trial.plan,
                            {.q = q.view(),
                             .k = k.view(),
                             .v = v.view(),
                             .out = out.view(),
                             .lse = lse.view(),
                             .kernel = kernel,
                             .launch = launch,
                             .allocator = &allocator},
                            *device_);
    const Execution execution = executor.run();
    device_->download(out.view(), trial.out.view());
    device_->download(lse.view(), trial.lse.view());
    return execution;
  }

  std::unique_ptr<ComputeDevice> device_;
};

TEST_F(CudaSmall, PlansOfEveryStrategyAgreeWithFloat64) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  for (int round = 0; round < 40; ++round) {
    auto plan = testing_support::random_plan(random);
    if (!plan) continue;
    const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
    plan->problem.dtype = dtypes[random() % 3];
    const Kernel kernels[] = {Kernel::materialized, Kernel::staged, Kernel::flash, Kernel::flash};
    Kernel kernel = kernels[random() % 4];
    try {
      device_->require(kernel, plan->problem.dtype, plan->problem.shape.head_dim);
    } catch (const Unsupported&) {
      kernel = Kernel::materialized;
    }
    const Launch launch =
        kernel == Kernel::flash ? static_cast<Launch>(random() % 3) : Launch::alone;
    SCOPED_TRACE(
        fmt::format("round {}: {} {} {}", round, describe(*plan), word(kernel), word(launch)));
    const AllocatorKind kinds[] = {AllocatorKind::direct, AllocatorKind::pool,
                                   AllocatorKind::caching};
    MemoryLedger ledger(memory(kinds[random() % 3]));
    Trial trial(*plan, heap_allocator());
    (void)play(trial, kernel, launch, ledger);
    const Verification verification = trial.verify(kernel == Kernel::materialized);
    ASSERT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(ledger.active_bytes(), 0u);
    EXPECT_EQ(rehearse(trial.plan, kernel, launch, device_->costs()).active_peak_bytes,
              static_cast<std::int64_t>(ledger.active_peak_bytes()));
  }
}

TEST_F(CudaSmall, TheFastestProductIsFasterInSixteenBitsAndMeasuredOnce) {
  const auto narrow = device_->peak_flop_per_s(DType::bf16);
  const auto wide = device_->peak_flop_per_s(DType::f32);
  ASSERT_TRUE(narrow && wide);
  EXPECT_GT(*wide, 1e12);
  EXPECT_GT(*narrow, *wide);
  EXPECT_EQ(device_->peak_flop_per_s(DType::bf16), narrow);
  EXPECT_EQ(device_->peak_flop_per_s(DType::f64), std::nullopt);
}

TEST_F(CudaSmall, CudnnAgreesWithFloat64OnWholeBlocks) {
  Shape shape;
  shape.batch = 2;
  shape.q_heads = shape.kv_heads = 4;
  shape.q_len = shape.kv_len = 256;
  shape.head_dim = shape.value_dim = 64;
  for (const DType dtype : {DType::f16, DType::bf16}) {
    Trial trial(make_plan("dense", make_problem(shape, MaskKind::full, dtype, 3), {}),
                heap_allocator());
    MemoryLedger ledger(memory(AllocatorKind::pool));
    try {
      (void)play(trial, Kernel::cudnn, Launch::alone, ledger);
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
    const Verification verification = trial.verify();
    EXPECT_TRUE(verification.correct) << verification.message;
  }
}

TEST_F(CudaSmall, RunsOutOfMemoryAsACaseAndGoesOn) {
  for (const AllocatorKind kind :
       {AllocatorKind::direct, AllocatorKind::pool, AllocatorKind::caching}) {
    MemoryLedger ledger(memory(kind));
    EXPECT_THROW(Buffer(ledger, std::size_t{1} << 50, "a petabyte"), OutOfMemory);
    Trial trial(dense_plan(one_head()), heap_allocator());
    (void)play(trial, Kernel::materialized, Launch::alone, ledger);
    EXPECT_TRUE(trial.verify(true).correct);
  }
}

TEST_F(CudaSmall, TellsItsClockAndTimesWhatItDoes) {
  const cuda::ClockState clock = device_->clock();
  EXPECT_GT(clock.sm_hz, 1e8);
  EXPECT_LT(clock.sm_hz, 5e9);
  MemoryLedger ledger(memory(AllocatorKind::pool));
  Trial trial(dense_plan(one_head()), heap_allocator());
  const Execution execution = play(trial, Kernel::materialized, Launch::alone, ledger);
  EXPECT_GT(execution.device_s, 0.0);
  EXPECT_GE(execution.wall_s, execution.workers[0].compute_s);
  EXPECT_GE(execution.device_s, execution.workers[0].compute_s);
}

}  // namespace
}  // namespace qb
