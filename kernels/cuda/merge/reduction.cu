// SPDX-License-Identifier: Apache-2.0
// Tree decoding's reductions take a few floats for each query, so that their cost is the launch.
#include <algorithm>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/merge/reduction_rows.h"
#include "kernels/cuda/runtime/check.cuh"
#include "kernels/cuda/runtime/element.cuh"

namespace qb::cuda {
namespace {

constexpr int kReducedRowsOfABlock = kThreads / kReductionLanes;

__global__ void combine_kernel(float* target, const float* source, std::int64_t n, bool sum) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
       i += step)
    target[i] = sum ? target[i] + source[i] : fmaxf(target[i], source[i]);
}

__device__ std::int64_t row_of_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * kReducedRowsOfABlock +
         threadIdx.x / kReductionLanes;
}
__device__ int lane_of_thread() { return static_cast<int>(threadIdx.x % kReductionLanes); }

__global__ void weigh_kernel(const ReductionRows p) {
  weigh_lane(p, row_of_thread(), lane_of_thread());
}

__global__ void normalise_kernel(const ReductionRows p) {
  normalise_lane(p, row_of_thread(), lane_of_thread());
}

using RowsKernel = void (*)(ReductionRows);

void launch_reduction(RowsKernel kernel, const ReductionRows& rows, void* stream) {
  if (rows.rows == 0) return;
  const auto blocks =
      static_cast<unsigned>((rows.rows + kReducedRowsOfABlock - 1) / kReducedRowsOfABlock);
  kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(rows);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void combine(const TensorView& target, const TensorView& source, Combine how, void* stream) {
  const std::int64_t n = target.extent.elements();
  if (n == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>((n + kThreads - 1) / kThreads, 4096));
  combine_kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<float*>(target.data), static_cast<const float*>(source.data), n,
      how == Combine::sum);
  QB_CUDA_CHECK(cudaGetLastError());
}

void weigh_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                   const TensorView& denominator, void* stream) {
  launch_reduction(weigh_kernel, {out, lse, maximum, denominator}, stream);
}

void normalise_partial(const TensorView& out, const TensorView& lse, const TensorView& maximum,
                       const TensorView& denominator, void* stream) {
  launch_reduction(normalise_kernel, {out, lse, maximum, denominator}, stream);
}

}  // namespace qb::cuda
