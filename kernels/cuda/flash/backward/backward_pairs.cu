// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/backward/backward_pairs.cuh"

#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

template <bool kBf16>
__global__ void __launch_bounds__(kPairsThreads)
    backward_pairs_kernel(const __grid_constant__ BackwardParameters parameters) {
  PairsBlock<kBf16>(parameters, ptx::shared_base()).run();
}

}  // namespace

void launch_backward_pairs(const BackwardParameters& parameters, bool bf16, void* stream) {
  if (parameters.n_items == 0) return;
  const auto blocks = static_cast<unsigned>(parameters.n_items);
  const auto on = static_cast<cudaStream_t>(stream);
  if (bf16)
    backward_pairs_kernel<true><<<blocks, kPairsThreads, kPairsSharedBytes, on>>>(parameters);
  else
    backward_pairs_kernel<false><<<blocks, kPairsThreads, kPairsSharedBytes, on>>>(parameters);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
