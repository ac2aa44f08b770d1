// SPDX-License-Identifier: Apache-2.0
// Compares the compiled kernels on a GPU with float64; without a GPU it is skipped.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/runtime/device.h"
#include "kernels/cuda/testing/device_memory.h"
#include "kernels/cuda/testing/flash_test_support.h"
#include "kernels/reference.h"

namespace qb::cuda {
namespace {

class FlashOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaProbe probe = probe_cuda();
    if (probe.devices.empty()) GTEST_SKIP() << probe.reason;
    const CudaDevice& device = probe.devices.front();
    capability_ = 10 * device.compute_major + device.compute_minor;
    n_sms_ = device.multiprocessors;
    if (capability_ < 80) GTEST_SKIP() << device.name << " is older than compute capability 8.0";
  }
  [[nodiscard]] LaunchContext context(bool force_sm80) {
    return {memory_, nullptr, capability_, n_sms_, 0, force_sm80};
  }

  // Uses lists of its own, then kept ones. It launches twice, the second time over the first one's
  // output: both must be right.
  void expect_near(const flash_support::Problem& problem,
                   const qb::testing_support::Attended& expected, const LaunchContext& context) {
    problem.poison();
    const Tensor q = to_device(memory_, problem.q.view());
    const Tensor k = to_device(memory_, problem.k.view());
    const Tensor v = to_device(memory_, problem.v.view());
    const Tensor out = to_device(memory_, problem.out.view());
    const Tensor lse = to_device(memory_, problem.lse.view());
    GroupedCall call = problem.call();
    call.q = q.view();
    call.k = k.view();
    call.v = v.view();
    call.out = out.view();
    call.lse = lse.view();
    const FlashLaunch own(call, context);
    GroupedCall form = call;  // the lists depend on shapes alone
    for (TensorView* view : {&form.q, &form.k, &form.v, &form.out, &form.lse}) view->data = nullptr;
    const FlashLists lists(form, context);
    const FlashLaunch kept(call, lists, context);
    const flash_support::Tolerance tolerance = flash_support::tolerance(problem);
    for (const FlashLaunch* launch : {&own, &kept}) {
      for (const TensorView& view : {out.view(), lse.view()})
        QB_CUDA_CHECK(cudaMemset(view.data, 0xff, static_cast<std::size_t>(view.bytes())));
      for (int repeat = 0; repeat < 2; ++repeat) {
        launch->attend();
        launch->merge();
        QB_CUDA_CHECK(cudaDeviceSynchronize());
        to_host(out.view(), problem.out.view());
        to_host(lse.view(), problem.lse.view());
        EXPECT_LE(qb::testing_support::max_difference(
                      qb::testing_support::values(problem.out.view()), expected.out),
                  tolerance.out);
        EXPECT_LE(qb::testing_support::max_difference(
                      qb::testing_support::values(problem.lse.view()), expected.lse),
                  tolerance.lse);
      }
    }
  }
  // Runs the problem by the sm_80 path and by the device's own.
  void expect_on_every_path(const flash_support::Problem& problem,
                            const qb::testing_support::Attended& expected) {
    for (const bool force_sm80 : {true, false}) {
      SCOPED_TRACE(force_sm80 ? "sm_80 path" : "the device's own path");
      expect_near(problem, expected, context(force_sm80));
    }
  }
  void expect_float64_on_every_path(const flash_support::Problem& problem) {
    expect_on_every_path(problem, flash_support::expected(problem));
  }
  // The reference of a mask takes a small part of the time.
  void expect_float64_on_every_path(const flash_support::Problem& problem, const Mask& mask) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.q.view().extent.length));
    std::iota(rows.begin(), rows.end(), 0);
    ReferenceRows exact = reference_rows(problem.q.view(), problem.k.view(), problem.v.view(), mask,
                                         problem.scale, rows);
    expect_on_every_path(problem, {std::move(exact.out), std::move(exact.lse)});
  }

  DeviceMemory memory_;
  int capability_ = 0;
  int n_sms_ = 0;
};

ScheduleBlock causal(std::int64_t n, std::int64_t m) {
  return {0, n, {0, m, SpanKind::causal, m - n, 0, 0}};
}

TEST_F(FlashOnGpu, EveryHeadDimAndTypeAgreesWithFloat64) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (const std::int64_t d : {16, 40, 64, 72, 128, 200, 256, 33})
      for (const std::int64_t n : {1, 65, 331}) {
        SCOPED_TRACE(std::string(word(dtype)) + " d " + std::to_string(d) + " n " +
                     std::to_string(n));
        flash_support::Problem problem(
            {.dtype = dtype, .q = {1, 4, n, d}, .kv_heads = 2, .n_keys = 457},
            static_cast<std::uint64_t>(n + d));
        problem.add_whole({causal(n, 457)});
        expect_float64_on_every_path(problem, Mask::causal(n, 457));
      }
}

// Above 4096 keys a step has 176 of them where head_dim is 65 to 128.
TEST_F(FlashOnGpu, LongStretchesTakeLongSteps) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (const std::int64_t d : {72, 128})
      for (const std::int64_t n_keys : {4400, 4500}) {
        flash_support::Problem problem(
            {.dtype = dtype, .q = {1, 4, 300, d}, .kv_heads = 2, .n_keys = n_keys}, 12);
        problem.add_whole({causal(300, n_keys)});
        expect_float64_on_every_path(problem, Mask::causal(300, n_keys));
      }
}

// The second is more than one item for each multiprocessor of any GPU that there is.
TEST_F(FlashOnGpu, LongSequencesAndManyHeadsFillTheGridAndItsTail) {
  for (const auto& [heads, n] : {std::pair<std::int64_t, std::int64_t>{2, 1100}, {84, 140}})
    for (const std::int64_t d : {64, 128, 256})
      for (const bool full : {false, true}) {
        flash_support::Problem problem({.q = {1, heads, n, d}, .kv_heads = heads / 2, .n_keys = n},
                                       11);
        problem.add_whole({full ? ScheduleBlock{0, n, {0, n}} : causal(n, n)});
        expect_float64_on_every_path(problem, full ? Mask() : Mask::causal(n, n));
      }
}

TEST_F(FlashOnGpu, DecodingSplitsKeys) {
  for (const std::int64_t d : {64, 128, 256})
    for (const std::int64_t kv_heads : {1, 2}) {
      flash_support::Problem problem({.q = {1, 4, 1, d}, .kv_heads = kv_heads, .n_keys = 9001}, 12);
      problem.add_whole({causal(1, 9001)});
      expect_float64_on_every_path(problem, Mask::causal(1, 9001));
    }
}

TEST_F(FlashOnGpu, RandomWorkersReadTheOriginalTensorsAndAreRecomposed) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 engine(seed);
    const auto n = static_cast<std::int64_t>(4 * (1 + engine() % 120));
    flash_support::Problem problem(
        {.dtype = seed % 2 == 0 ? DType::bf16 : DType::f16,
         .q = {1 + seed % 2, 4, n, std::array{128, 64, 200, 64}[seed % 4]},
         .kv_heads = 1 + seed % 2,
         .n_keys = n,
         .value_dim = seed % 3 == 0 ? 24 : 64},
        seed);
    const auto groups = flash_support::draw_groups(n, 4, seed % 3 == 1, engine);
    flash_support::draw_workers(problem, 3, groups, groups, 192, engine);
    expect_float64_on_every_path(problem);
  }
}

TEST_F(FlashOnGpu, OutliersAndNoKeysAtAll) {
  flash_support::Problem outliers(
      {.q = {1, 2, 300, 64}, .n_keys = 700, .deviation = 3.0, .outlier_every = 50}, 5);
  outliers.add_whole({{0, 300, {0, 700}}});
  expect_float64_on_every_path(outliers);
  flash_support::Problem none({.q = {1, 2, 300, 64}, .n_keys = 50}, 7);
  none.add_whole({});
  expect_float64_on_every_path(none);
  flash_support::Problem no_tokens({.q = {1, 2, 300, 64}, .n_keys = 0}, 8);
  no_tokens.add_whole({});
  expect_float64_on_every_path(no_tokens);
}

TEST_F(FlashOnGpu, NegativeScalesAndAScaleOfZero) {
  for (const std::int64_t d : {64, 256})
    for (const double scale : {-0.3, 0.0}) {
      flash_support::Problem problem({.q = {1, 2, 200, d}, .n_keys = 300}, 9);
      problem.scale = scale;
      problem.add_whole({causal(200, 300)});
      expect_float64_on_every_path(problem);
    }
}

TEST_F(FlashOnGpu, MergesPartialsAndClearsThem) {
  flash_support::Problem problem({.q = {2, 3, 77, 40}, .n_keys = 120}, 10);
  const Tensor q = to_device(memory_, problem.q.view());
  const Tensor k = to_device(memory_, problem.k.view());
  const Tensor v = to_device(memory_, problem.v.view());
  const Tensor out[2] = {to_device(memory_, problem.out.view()),
                         to_device(memory_, problem.out.view())};
  const Tensor lse[2] = {to_device(memory_, problem.lse.view()),
                         to_device(memory_, problem.lse.view())};
  const LaunchContext context = this->context(false);
  clear_partial(out[0].view(), lse[0].view(), context);
  for (const auto& [begin, end] : {std::pair{0, 50}, std::pair{50, 120}}) {
    const TileSchedule schedule = build_schedule(77, end - begin, {{0, 77, {0, end - begin}}}, 128);
    flash({q.view(), k.view().tokens(begin, end - begin), v.view().tokens(begin, end - begin),
           &schedule, problem.scale, out[1].view(), lse[1].view()},
          context);
    merge(out[0].view(), lse[0].view(), out[1].view(), lse[1].view(), context);
  }
  QB_CUDA_CHECK(cudaDeviceSynchronize());
  to_host(out[0].view(), problem.out.view());
  to_host(lse[0].view(), problem.lse.view());
  problem.add_whole({{0, 77, {0, 120}}});
  const qb::testing_support::Attended expected = flash_support::expected(problem);
  EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.out.view()),
                                                expected.out),
            flash_support::tolerance(problem).out);
  EXPECT_LE(qb::testing_support::max_difference(qb::testing_support::values(problem.lse.view()),
                                                expected.lse),
            flash_support::tolerance(problem).lse);
}

TEST_F(FlashOnGpu, NanInAQueryIsNanInItsRowOnly) {
  constexpr std::int64_t kSpoilt = 123;
  for (const std::int64_t d : {64, 128})
    for (const bool force_sm80 : {true, false}) {
      const flash_support::Problem problem({.q = {1, 1, 300, d}, .n_keys = 300}, 13);
      store_element(problem.q.view().row(0, 0, kSpoilt), DType::bf16, std::nan(""));
      const Tensor q = to_device(memory_, problem.q.view());
      const Tensor k = to_device(memory_, problem.k.view());
      const Tensor v = to_device(memory_, problem.v.view());
      const Tensor out = to_device(memory_, problem.out.view());
      const Tensor lse = to_device(memory_, problem.lse.view());
      const TileSchedule schedule = build_schedule(300, 300, {causal(300, 300)}, 128);
      flash({q.view(), k.view(), v.view(), &schedule, problem.scale, out.view(), lse.view()},
            context(force_sm80));
      QB_CUDA_CHECK(cudaDeviceSynchronize());
      to_host(out.view(), problem.out.view());
      to_host(lse.view(), problem.lse.view());
      for (std::int64_t row = 0; row < 300; ++row) {
        EXPECT_EQ(std::isnan(qb::testing_support::at(problem.lse.view(), 0, 0, row, 0)),
                  row == kSpoilt);
        for (std::int64_t x = 0; x < d; ++x)
          EXPECT_EQ(std::isnan(qb::testing_support::at(problem.out.view(), 0, 0, row, x)),
                    row == kSpoilt);
      }
    }
}

}  // namespace
}  // namespace qb::cuda
