// SPDX-License-Identifier: Apache-2.0
// Bias, GELU, residual sum and layer norm are bound by memory, so that each pass reads and writes
// its matrix once, 16 bytes for each thread where addresses and widths allow.
#include "kernels/cuda/blas/blas.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "kernels/cuda/blas/layer_parts.cuh"
#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"

namespace qb::cuda {
namespace {

constexpr int kColumnThreads = 128;
constexpr std::int64_t kMostRowSteps = 8192;
constexpr int kNormThreads = 256;
constexpr int kNormRowsOfABlock = kNormThreads / kNormLanes;

template <bool kGelu, class Group>
__global__ void bias_column_kernel(const BiasRows<Group> p) {
  bias_column<kGelu>(p, static_cast<std::int64_t>(blockIdx.x) * kColumnThreads + threadIdx.x,
                     blockIdx.y, gridDim.y);
}

__device__ float warp_sum(float value) {
#pragma unroll
  for (int step = kNormLanes / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, step);
  return value;
}

// Whole warps handle rows, so that all lanes return together.
template <class Group>
__global__ void __launch_bounds__(kNormThreads) norm_kernel(const NormRows<Group> p) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kNormRowsOfABlock + threadIdx.x / kNormLanes;
  if (row >= p.rows) return;
  const int lane = static_cast<int>(threadIdx.x % kNormLanes);
  const float mean = warp_sum(lane_sum(p, row, lane)) / static_cast<float>(p.groups * Group::kSize);
  normalise_groups(p, row, lane, mean, warp_sum(lane_squares(p, row, lane, mean)));
}

template <bool kGelu>
void add_columns(DType dtype, std::int64_t rows, std::int64_t width, std::int64_t stride, void* y,
                 const void* bias, void* stream) {
  if (rows == 0 || width == 0) return;
  // The distance from row to row must be whole groups too.
  of_groups(dtype, "layer parts", std::gcd(width, stride), {y, bias}, [&](auto group) {
    using Group = decltype(group);
    const BiasRows<Group> p{static_cast<Group*>(y), static_cast<const Group*>(bias), rows,
                            width / Group::kSize, stride / Group::kSize};
    const dim3 blocks(grid((p.groups + kColumnThreads - 1) / kColumnThreads),
                      grid(std::min(rows, kMostRowSteps)));
    bias_column_kernel<kGelu><<<blocks, kColumnThreads, 0, static_cast<cudaStream_t>(stream)>>>(p);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void add_bias(const LinearCall& call, void* stream) {
  add_columns<false>(call.dtype, call.rows, call.out, call.y_stride, call.y, call.bias, stream);
}

void bias_gelu(const GeluCall& call, void* stream) {
  add_columns<true>(call.dtype, call.rows, call.width, call.width, call.y, call.bias, stream);
}

void add_norm(const NormCall& call, void* stream) {
  if (call.rows == 0 || call.width == 0) return;
  of_groups(call.dtype, "layer parts", call.width,
            {call.y, call.bias, call.residual, call.scale, call.shift}, [&](auto group) {
              using Group = decltype(group);
              const auto in = [](const void* data) { return static_cast<const Group*>(data); };
              const NormRows<Group> p{static_cast<Group*>(call.y),
                                      in(call.bias),
                                      in(call.residual),
                                      in(call.scale),
                                      in(call.shift),
                                      call.rows,
                                      call.width / Group::kSize,
                                      static_cast<float>(call.epsilon)};
              norm_kernel<<<grid((call.rows + kNormRowsOfABlock - 1) / kNormRowsOfABlock),
                            kNormThreads, 0, static_cast<cudaStream_t>(stream)>>>(p);
            });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
