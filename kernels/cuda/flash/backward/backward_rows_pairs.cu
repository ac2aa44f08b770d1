// SPDX-License-Identifier: Apache-2.0
// These kernels run before and after that of the steps.
#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/flash/backward/backward_pairs.cuh"
#include "kernels/cuda/flash/backward/backward_rows.cuh"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

__global__ void __launch_bounds__(kRowsThreads)
    backward_rows_kernel(const __grid_constant__ RowsParameters parameters) {
  RowsBlock(parameters, ptx::shared_base()).run();
}

template <bool kBf16>
__global__ void __launch_bounds__(kPairsThreads)
    backward_pairs_kernel(const __grid_constant__ BackwardParameters parameters) {
  PairsBlock<kBf16>(parameters, ptx::shared_base()).run();
}

}  // namespace

void launch_backward_rows(const RowsParameters& parameters, void* stream) {
  if (parameters.n_blocks == 0) return;
  backward_rows_kernel<<<static_cast<unsigned>(parameters.n_blocks), kRowsThreads, kRowsSharedBytes,
                         static_cast<cudaStream_t>(stream)>>>(parameters);
  QB_CUDA_CHECK(cudaGetLastError());
}

void launch_backward_pairs(const BackwardParameters& parameters, bool bf16, void* stream) {
  if (parameters.n_items == 0) return;
  with_constant(bf16, [&](auto is_bf16) {
    backward_pairs_kernel<decltype(is_bf16)::value>
        <<<static_cast<unsigned>(parameters.n_items), kPairsThreads, kPairsSharedBytes,
           static_cast<cudaStream_t>(stream)>>>(parameters);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
