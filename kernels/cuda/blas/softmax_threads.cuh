// SPDX-License-Identifier: Apache-2.0
// The softmax passes over scores in memory share this: sums over the threads of a warp or a block,
// and where a row's LSE goes.
#pragma once

#include "kernels/cuda/blas/softmax_sum.cuh"
#include "kernels/cuda/runtime/tensor_address.h"

namespace qb::cuda {

constexpr int kWarp = 32;

// Addresses [b,h,n,1] by slices: batch x heads.
struct LseRows {
  TensorAddress lse;
  std::int64_t heads;

  explicit LseRows(const TensorView& view) : lse(address(view)), heads(view.extent.heads) {}
  __device__ void store(std::int64_t slice, std::int64_t row, const SoftmaxSum& sum) const {
    *lse.row<float>(slice / heads, slice % heads, row) = lse_of(sum);
  }
};

// The result is accurate to the last bits that the type keeps.
template <class Element>
struct Exponential {
  __device__ float operator()(float value) const {
    if constexpr (sizeof(Element) == 4)
      return expf(value);
    else
      return __expf(value);
  }
};

// Returns the sum over all lanes, to every lane.
template <class Exp>
__device__ SoftmaxSum join_warp(SoftmaxSum mine, Exp exp) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2)
    mine = join(mine,
                SoftmaxSum{__shfl_xor_sync(0xffffffffu, mine.largest, step),
                           __shfl_xor_sync(0xffffffffu, mine.sum, step)},
                exp);
  return mine;
}

// It may be called once in a block.
template <int kBlockThreads, class Exp>
__device__ SoftmaxSum join_block(SoftmaxSum mine, Exp exp) {
  __shared__ SoftmaxSum of_warps[kBlockThreads / kWarp];
  mine = join_warp(mine, exp);
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  mine = of_warps[0];
  for (int i = 1; i < kBlockThreads / kWarp; ++i) mine = join(mine, of_warps[i], exp);
  return mine;
}

}  // namespace qb::cuda
