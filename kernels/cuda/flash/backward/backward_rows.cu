// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/backward/backward_rows.cuh"

#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

__global__ void __launch_bounds__(kRowsThreads)
    backward_rows_kernel(const __grid_constant__ RowsParameters parameters) {
  RowsBlock(parameters, ptx::shared_base()).run();
}

}  // namespace

void launch_backward_rows(const RowsParameters& parameters, void* stream) {
  if (parameters.n_blocks == 0) return;
  backward_rows_kernel<<<static_cast<unsigned>(parameters.n_blocks), kRowsThreads, kRowsSharedBytes,
                         static_cast<cudaStream_t>(stream)>>>(parameters);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
