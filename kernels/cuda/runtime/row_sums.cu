// SPDX-License-Identifier: Apache-2.0
// D of the backward pass: the sum of each row of dO times O, a warp for each row. Both are read
// once, so that memory is the limit, and the sum may be in float64. And the gradients of sinks, a
// block for each head, whose threads share its rows.
#include <stdexcept>

#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"
#include "kernels/cuda/runtime/runtime.h"
#include "kernels/cuda/runtime/tensor_address.h"

namespace qb::cuda {
namespace {

constexpr int kDeltaLanes = 32;
constexpr int kDeltaRowsOfABlock = kThreads / kDeltaLanes;

struct Rows {
  TensorAddress out;
  TensorAddress d_out;
  TensorAddress delta;
  std::int64_t rows;  // of all heads
  std::int64_t heads;
  std::int64_t length;
  std::int64_t width;
};

// Whole warps leave together.
template <class Out, class Gradient>
__global__ void __launch_bounds__(kThreads) delta_kernel(const Rows p) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kDeltaRowsOfABlock + threadIdx.x / kDeltaLanes;
  if (row >= p.rows) return;
  const std::int64_t token = row % p.length;
  const std::int64_t head = row / p.length % p.heads;
  const std::int64_t batch = row / p.length / p.heads;
  const int lane = static_cast<int>(threadIdx.x % kDeltaLanes);
  const Out* const out = p.out.row<Out>(batch, head, token);
  const Gradient* const d_out = p.d_out.row<Gradient>(batch, head, token);
  double sum = 0.0;
  for (std::int64_t x = lane; x < p.width; x += kDeltaLanes)
    sum += static_cast<double>(to_float(out[x])) * static_cast<double>(to_float(d_out[x]));
#pragma unroll
  for (int step = kDeltaLanes / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffU, sum, step);
  if (lane == 0) *p.delta.row<float>(batch, head, token) = static_cast<float>(sum);
}

__global__ void __launch_bounds__(kThreads)
    sink_kernel(TensorAddress lse, TensorAddress delta, TensorAddress sinks, TensorAddress d_sinks,
                unsigned heads, std::int64_t length) {
  const std::int64_t head = blockIdx.x % heads;
  const std::int64_t batch = blockIdx.x / heads;
  const double sink = static_cast<double>(*sinks.row<float>(batch, head, 0));
  double sum = 0.0;
  for (std::int64_t i = threadIdx.x; i < length; i += kThreads)
    sum += exp(sink - static_cast<double>(*lse.row<float>(batch, head, i))) *
           static_cast<double>(*delta.row<float>(batch, head, i));
  __shared__ double sums[kThreads];
  sums[threadIdx.x] = sum;
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *d_sinks.row<float>(batch, head, 0) = static_cast<float>(-sums[0]);
}

}  // namespace

void compute_delta(const TensorView& out, const TensorView& d_out, const TensorView& delta,
                   void* stream) {
  const Extent& x = out.extent;
  if (d_out.extent != x || delta.extent != Extent{x.batch, x.heads, x.length, 1} ||
      delta.dtype != DType::f32)
    throw std::invalid_argument(
        "compute_delta: out and d_out have one shape, and delta is f32 with one number a row");
  const Rows rows{address(out), address(d_out), address(delta), x.batch * x.heads * x.length,
                  x.heads,      x.length,       x.head_dim};
  if (rows.rows == 0) return;
  const unsigned blocks = grid((rows.rows + kDeltaRowsOfABlock - 1) / kDeltaRowsOfABlock);
  of_type(out.dtype, "compute_delta", [&](auto element) {
    using Out = decltype(element);
    of_type(d_out.dtype, "compute_delta", [&](auto gradient) {
      delta_kernel<Out, decltype(gradient)>
          <<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(rows);
    });
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

void sink_gradients(const TensorView& lse, const TensorView& delta, const TensorView& sinks,
                    const TensorView& d_sinks, void* stream) {
  const auto blocks = static_cast<unsigned>(d_sinks.extent.batch * d_sinks.extent.heads);
  if (blocks == 0) return;
  sink_kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      address(lse), address(delta), address(sinks), address(d_sinks),
      static_cast<unsigned>(d_sinks.extent.heads), lse.extent.length);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
