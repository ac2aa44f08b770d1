// SPDX-License-Identifier: Apache-2.0
// Compares the GPU with a float64 reference. Without a GPU these tests are skipped; they are small
// enough for a memory checker.
#include "harness/run/device/compute_device.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/device_trial.h"
#include "harness/run/testing/gradient_trial.h"
#include "harness/verify/verify_gradients.h"

namespace qb {
namespace {

Problem one_head() {
  Shape shape;
  shape.q_len = shape.kv_len = 100;
  shape.head_dim = shape.value_dim = 32;
  return make_problem(shape, MaskKind::causal, DType::f16, 5);
}

// Runs the trial's plan on the device, and brings its output back.
Execution play_on(ComputeDevice& device, Trial& trial, DeviceCall call, Allocator& allocator) {
  poison(trial.out.view(), trial.lse.view());
  const TrialOnDevice whole(trial, device, allocator);
  DeviceExecutor executor(trial.plan, whole.with_tensors(arguments_of(trial, allocator, call)),
                          device);
  const Execution execution = executor.run();
  whole.download();
  return execution;
}

// Runs a backward plan and compares its gradients with float64.
Verification verified_gradients(ComputeDevice& device, const Plan& plan, Kernel kernel,
                                MemoryLedger& ledger) {
  const GradientTrial trial(plan);
  const TrialOnDevice whole(trial, device, ledger);
  ExecutionArguments arguments = whole.with_tensors(ExecutionArguments());
  arguments.kernel = kernel;
  arguments.allocator = &ledger;
  (void)DeviceExecutor(trial.plan, arguments, device).run();
  whole.download();
  const ExecutionArguments host = trial.with_tensors(ExecutionArguments());
  Verification verification;
  verification.correct = true;
  verify_gradients({host.q, host.k, host.v, host.d_out, plan.problem.mask, plan.problem.scale,
                    host.out, host.lse},
                   {host.d_q, host.d_k, host.d_v}, rows_to_verify(plan, 40),
                   keys_to_verify(plan, 40), 1, verification);
  return verification;
}

class CudaSmall : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = open_cuda_device();
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
  }

  [[nodiscard]] MemoryLedger::Options memory(AllocatorKind kind) const {
    MemoryLedger::Options options;
    options.allocator = kind;
    options.source = device_->memory(kind);
    return options;
  }

  Execution play(Trial& trial, DeviceCall call, Allocator& allocator) const {
    return play_on(*device_, trial, call, allocator);
  }

  std::unique_ptr<ComputeDevice> device_;
};

TEST_F(CudaSmall, PlansOfEveryStrategyAgreeWithFloat64) {
  (void)testing_support::for_random_plans(40, [this](Plan plan, Random& random) {
    const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
    plan.problem.dtype = dtypes[random() % 3];
    DeviceCall call = random_device_call(random);
    if (call.kernel == Kernel::materialized && random() % 2 == 0) call.kernel = Kernel::staged;
    try {
      device_->as<AttentionDevice>().require(call.kernel, plan.problem.dtype,
                                             plan.problem.shape.head_dim);
    } catch (const Unsupported&) {
      call = {Kernel::materialized, Launch::alone};
    }
    SCOPED_TRACE(
        fmt::format("{} {} {}", word(plan.problem.dtype), word(call.kernel), word(call.launch)));
    const AllocatorKind kinds[] = {AllocatorKind::direct, AllocatorKind::pool,
                                   AllocatorKind::caching};
    MemoryLedger ledger(memory(kinds[random() % 3]));
    Trial trial(plan, heap_allocator());
    (void)play(trial, call, ledger);
    const Verification verification = trial.verify(call.kernel == Kernel::materialized);
    ASSERT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(ledger.active_bytes(), 0u);
    EXPECT_EQ(rehearse(trial.plan, call.kernel, call.launch, device_->costs()).active_peak_bytes,
              static_cast<std::int64_t>(ledger.active_peak_bytes()));
  });
}

TEST_F(CudaSmall, GradientsOfEveryStrategyThatTrainsAgreeWithFloat64) {
  const auto attempt = [this](const Plan& drawn, Random& random) {
    Plan plan = testing_support::in_random_type(drawn, random);
    while (plan.problem.dtype == DType::f32) plan = testing_support::in_random_type(drawn, random);
    MemoryLedger ledger(memory(AllocatorKind::pool));
    const Verification verification = verified_gradients(*device_, plan, Kernel::flash, ledger);
    ASSERT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(rehearse(plan, Kernel::flash, Launch::alone, device_->costs()).active_peak_bytes,
              static_cast<std::int64_t>(ledger.active_peak_bytes()));
  };
  (void)testing_support::for_random_plans(40, attempt, std::random_device{}(), Pass::backward);
}

// These calls suit a checker that makes a kernel a thousand times slower: flash on both paths, its
// merge and the copies of rows, in memory of plain allocations. They use no product of cuBLAS,
// whose kernels take minutes.
struct TinyCall {
  const char* algorithm;
  int workers;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t head_dim;
  Launch launch;
};
constexpr TinyCall kTinyCalls[] = {
    {"dense", 1, 161, 161, 64, Launch::alone},  // a whole tile and a part, in rows and in keys
    {"dense", 1, 161, 161, 128, Launch::alone},
    {"dense", 1, 1, 700, 64, Launch::alone},     // one row, with its keys split
    {"cqs", 3, 161, 161, 64, Launch::alone},     // gathers rows
    {"cqs", 3, 161, 161, 64, Launch::together},  // merges partials
    {"ring", 2, 161, 161, 64, Launch::alone},
};

Problem tiny_problem(const TinyCall& call) {
  Shape shape;
  shape.q_heads = 2;
  shape.kv_heads = 1;
  shape.q_len = call.queries;
  shape.kv_len = call.keys;
  shape.head_dim = shape.value_dim = call.head_dim;
  return make_problem(shape, MaskKind::causal, DType::bf16, 7);
}

MemoryLedger::Options plain_memory(ComputeDevice& device) {
  MemoryLedger::Options options;
  options.source = device.memory(AllocatorKind::direct);
  return options;
}

void expect_tiny_calls_agree_with_float64(ComputeDevice& device) {
  for (const TinyCall& call : kTinyCalls) {
    SCOPED_TRACE(fmt::format("{} W={} N={} d={} {}", call.algorithm, call.workers, call.queries,
                             call.head_dim, word(call.launch)));
    Trial trial(make_plan(call.algorithm, tiny_problem(call), {call.workers, std::nullopt}),
                heap_allocator());
    MemoryLedger ledger(plain_memory(device));
    (void)play_on(device, trial, {Kernel::flash, call.launch}, ledger);
    const Verification verification = trial.verify();
    EXPECT_TRUE(verification.correct) << verification.message;
  }
}

// The backward pass of the first two calls.
void expect_tiny_gradients_agree_with_float64(ComputeDevice& device) {
  for (const TinyCall& call : std::span(kTinyCalls).first(2)) {
    SCOPED_TRACE(call.head_dim);
    MemoryLedger ledger(plain_memory(device));
    const Plan plan = make_plan(call.algorithm, tiny_problem(call), {.pass = Pass::backward});
    const Verification verification = verified_gradients(device, plan, Kernel::flash, ledger);
    EXPECT_TRUE(verification.correct) << verification.message;
  }
}

class CudaTiny : public CudaSmall {};

TEST_F(CudaTiny, FlashMergeAndCopiesAgreeWithFloat64) {
  for (const bool force_sm80 : {true, false}) {
    device_ = open_cuda_device(force_sm80);
    expect_tiny_calls_agree_with_float64(*device_);
  }
}

TEST_F(CudaTiny, GradientsAgreeWithFloat64) {
  for (const bool force_sm80 : {true, false}) {
    device_ = open_cuda_device(force_sm80);
    expect_tiny_gradients_agree_with_float64(*device_);
  }
}

TEST(DeviceTiny, TheSameCallsAgreeOnAHostThatPlaysAGpu) {
  DeviceProbe device;
  expect_tiny_calls_agree_with_float64(device);
  expect_tiny_gradients_agree_with_float64(device);
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

TEST_F(CudaSmall, RunsOutOfMemoryAsACaseAndGoesOn) {
  for (const AllocatorKind kind :
       {AllocatorKind::direct, AllocatorKind::pool, AllocatorKind::caching}) {
    MemoryLedger ledger(memory(kind));
    EXPECT_THROW(Buffer(ledger, std::size_t{1} << 50, "a petabyte"), OutOfMemory);
    Trial trial(dense_plan(one_head()), heap_allocator());
    (void)play(trial, {Kernel::materialized, Launch::alone}, ledger);
    EXPECT_TRUE(trial.verify(true).correct);
  }
}

TEST_F(CudaSmall, TellsItsClockAndTimesWhatItDoes) {
  const cuda::ClockState clock = device_->clock();
  EXPECT_GT(clock.sm_hz, 1e8);
  EXPECT_LT(clock.sm_hz, 5e9);
  MemoryLedger ledger(memory(AllocatorKind::pool));
  Trial trial(dense_plan(one_head()), heap_allocator());
  const Execution execution = play(trial, {Kernel::materialized, Launch::alone}, ledger);
  EXPECT_GT(execution.device_s, 0.0);
  EXPECT_GE(execution.wall_s, execution.workers[0].compute_s);
  EXPECT_GE(execution.device_s, execution.workers[0].compute_s);
}

}  // namespace
}  // namespace qb
