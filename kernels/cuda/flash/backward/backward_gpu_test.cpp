// SPDX-License-Identifier: Apache-2.0
// Compares the compiled kernels of the backward pass on a GPU with float64; without a GPU it is
// skipped.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/runtime/device.h"
#include "kernels/cuda/runtime/runtime.h"
#include "kernels/cuda/testing/device_memory.h"
#include "kernels/merge.h"
#include "kernels/testing/backward_support.h"
#include "kernels/testing/schedule_fixtures.h"

namespace qb::cuda {
namespace {

using qb::testing_support::BackwardCall;
using qb::testing_support::Gradients;
using qb::testing_support::random_tensor;

class BackwardOnGpu : public ::testing::Test {
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

  // Runs the call twice into cleared sums.
  Gradients run(const BackwardCall& call, bool force_sm80) {
    BackwardArguments a = call.arguments();
    std::vector<Tensor> copies;
    for (TensorView* const view :
         {&a.q, &a.k, &a.v, &a.d_out, &a.lse, &a.delta, &a.d_q, &a.d_k, &a.d_v}) {
      copies.push_back(to_device(memory_, *view));
      *view = copies.back().view();
    }
    const BackwardLaunch launch(a, context(force_sm80));
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const TensorView& sum : {a.d_q, a.d_k, a.d_v}) clear_rows(sum, nullptr);
      launch.run();
    }
    QB_CUDA_CHECK(cudaDeviceSynchronize());
    to_host(a.d_q, call.d_q.view());
    to_host(a.d_k, call.d_k.view());
    to_host(a.d_v, call.d_v.view());
    return call.gradients();
  }

  void expect_float64(BackwardCall& call) {
    const auto allowed = [&](std::int64_t i, std::int64_t j) {
      return qb::testing_support::schedule_allows(call.schedule, i, j);
    };
    const auto forward = qb::testing_support::brute_force<double>(
        call.q.view(), call.k.view(), call.v.view(), call.scale, allowed);
    call.set_forward(forward.out, forward.lse);
    expect_near(call, qb::testing_support::brute_force_gradients<double>(call, allowed));
  }
  // The reference of a mask takes a small part of the time.
  void expect_float64(BackwardCall& call, const Mask& mask) {
    qb::testing_support::set_forward(call, mask);
    expect_near(call, qb::testing_support::gradients_of(
                          reference_gradients(qb::testing_support::problem_of(call, mask))));
  }
  void expect_near(const BackwardCall& call, const Gradients& exact) {
    // The kernels round P and dS to the inputs' type, of which the largest element sets the scale.
    const auto expect = [&](const char* what, const std::vector<double>& a,
                            const std::vector<double>& b) {
      EXPECT_LE(
          qb::testing_support::max_difference(a, b),
          4.0 * unit_roundoff(call.q.view().dtype) * qb::testing_support::largest_magnitude(b) +
              1e-5)
          << what;
    };
    for (const bool force_sm80 : {true, false}) {
      SCOPED_TRACE(force_sm80 ? "sm_80 path" : "the device's own path");
      const Gradients found = run(call, force_sm80);
      expect("d_q", found.d_q, exact.d_q);
      expect("d_k", found.d_k, exact.d_k);
      expect("d_v", found.d_v, exact.d_v);
      const Gradients again = run(call, force_sm80);
      EXPECT_EQ(again.d_k, found.d_k);
      EXPECT_EQ(again.d_v, found.d_v);
    }
  }

  DeviceMemory memory_;
  int capability_ = 0;
  int n_sms_ = 0;
};

BackwardCall random_gpu_call(DType dtype, const Extent& q, std::int64_t kv_heads,
                             std::int64_t n_keys, std::int64_t value_dim, TileSchedule schedule,
                             std::uint64_t seed = 1) {
  return {random_tensor(dtype, q, seed),
          random_tensor(dtype, {q.batch, kv_heads, n_keys, q.head_dim}, seed + 1),
          random_tensor(dtype, {q.batch, kv_heads, n_keys, value_dim}, seed + 2),
          random_tensor(dtype, {q.batch, q.heads, q.length, value_dim}, seed + 3),
          std::move(schedule)};
}

TEST_F(BackwardOnGpu, EveryHeadDimAndTypeAgreesWithFloat64) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (const std::int64_t d : {16, 33, 64, 72, 128, 200, 256})
      for (const std::int64_t n : {1, 65, 200}) {
        SCOPED_TRACE(std::string(word(dtype)) + " d " + std::to_string(d) + " n " +
                     std::to_string(n));
        BackwardCall call = random_gpu_call(
            dtype, {1, 2, n, d}, 1, 257, d,
            build_schedule(n, 257, {{0, n, {0, 257, SpanKind::causal, 257 - n}}}, 128));
        expect_float64(call, Mask::causal(n, 257));
      }
}

TEST_F(BackwardOnGpu, LongerSequencesOfSeveralHeadsFillTheGrid) {
  for (const std::int64_t d : {64, 128})
    for (const SpanKind kind : {SpanKind::full, SpanKind::causal}) {
      BackwardCall call =
          random_gpu_call(DType::bf16, {1, 4, 600, d}, 2, 600, d,
                          build_schedule(600, 600, {{0, 600, {0, 600, kind}}}, 192));
      expect_float64(call, kind == SpanKind::full ? Mask() : Mask::causal(600, 600));
    }
}

TEST_F(BackwardOnGpu, RandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 500);
    const auto m = static_cast<std::int64_t>(1 + engine() % 700);
    BackwardCall call =
        random_gpu_call(seed % 2 == 0 ? DType::bf16 : DType::f16,
                        {1, 2, n, seed % 3 == 0 ? 128 : 64}, 1, m, seed % 4 == 0 ? 24 : 64,
                        qb::testing_support::random_schedule(n, m, 192, engine), 10 * seed);
    expect_float64(call);
  }
}

// Queries see keys up to their own position: NaN in a key shows in later queries, and NaN in a
// query in earlier keys, and in nothing else.
TEST_F(BackwardOnGpu, NanOfARowReachesThePairsThatItHas) {
  for (const bool in_key : {true, false})
    for (const bool force_sm80 : {true, false}) {
      BackwardCall call =
          random_gpu_call(DType::bf16, {1, 1, 300, 64}, 1, 300, 64,
                          build_schedule(300, 300, {{0, 300, {0, 300, SpanKind::causal}}}, 128));
      qb::testing_support::fill(call.lse.view(), 5.0);
      qb::testing_support::fill(call.delta.view(), 0.5);
      const Tensor& spoilt = in_key ? call.k : call.q;
      store_element(spoilt.view().row(0, 0, 150), DType::bf16, std::nan(""));
      const Gradients found = run(call, force_sm80);
      for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_EQ(std::isnan(found.d_q[i * 64 + 1]), in_key ? i >= 150 : i == 150) << i;
        EXPECT_EQ(std::isnan(found.d_k[i * 64 + 1]), in_key ? i == 150 : i <= 150) << i;
        EXPECT_EQ(std::isnan(found.d_v[i * 64 + 1]), in_key ? i == 150 : i <= 150) << i;
      }
    }
}

// These rows are every third of a longer tensor.
TEST_F(BackwardOnGpu, RowsAreClearedAndAddedAndSummed) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32})
    for (const std::int64_t stride : {1, 3}) {
      const auto rows_of = [stride](const Tensor& whole) {
        return whole.view().tokens(0, 50, stride);
      };
      const Tensor sum = random_tensor(DType::f32, {2, 3, 150, 20}, 1);
      const Tensor part = random_tensor(dtype, {2, 3, 150, 20}, 2);
      const Tensor delta(heap_allocator(), DType::f32, {2, 3, 50, 1}, "delta");
      const Tensor sum_there = to_device(memory_, sum.view());
      const Tensor part_there = to_device(memory_, part.view());
      const Tensor delta_there = to_device(memory_, delta.view());
      compute_delta(rows_of(sum_there), rows_of(part_there), delta_there.view(), nullptr);
      qb::compute_delta(rows_of(sum), rows_of(part), delta.view());
      add_rows(rows_of(sum_there), rows_of(part_there), nullptr);
      qb::add_rows(rows_of(sum), rows_of(part));
      const Tensor found = random_tensor(DType::f32, {2, 3, 150, 20}, 3);
      const Tensor found_delta = random_tensor(DType::f32, {2, 3, 50, 1}, 4);
      QB_CUDA_CHECK(cudaDeviceSynchronize());
      to_host(sum_there.view(), found.view());
      to_host(delta_there.view(), found_delta.view());
      using qb::testing_support::values;
      EXPECT_EQ(values(found.view()), values(sum.view()));
      EXPECT_LE(
          qb::testing_support::max_difference(values(found_delta.view()), values(delta.view())),
          1e-5);
      clear_rows(rows_of(sum_there), nullptr);
      qb::clear_rows(rows_of(sum));
      QB_CUDA_CHECK(cudaDeviceSynchronize());
      to_host(sum_there.view(), found.view());
      EXPECT_EQ(values(found.view()), values(sum.view()));
    }
}

}  // namespace
}  // namespace qb::cuda
