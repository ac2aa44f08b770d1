// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/backward/backward_sm80.cuh"

#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocksPerSm)
    backward_sm80_kernel(const __grid_constant__ BackwardParameters parameters) {
  Sm80Backward<C>(parameters, ptx::shared_base()).run();
}

}  // namespace

void prepare_backward_sm80(const BackwardKernel& kernel) {
  with_config<BackwardSm80, 256>(kernel.shape.padded_dim, kernel.bf16, [](auto config) {
    using C = decltype(config);
    allow_shared_memory(reinterpret_cast<const void*>(backward_sm80_kernel<C>), C::kSharedBytes);
  });
}

void launch_backward_sm80(const BackwardParameters& parameters, const BackwardKernel& kernel,
                          void* stream) {
  if (parameters.n_items == 0) return;
  with_config<BackwardSm80, 256>(kernel.shape.padded_dim, kernel.bf16, [&](auto config) {
    using C = decltype(config);
    backward_sm80_kernel<C><<<static_cast<unsigned>(parameters.n_items), C::kThreads,
                              C::kSharedBytes, static_cast<cudaStream_t>(stream)>>>(parameters);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
