// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/backward/backward_sm90.cuh"

#include "kernels/cuda/flash/backward/backward_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

// It is empty in the machine code of other architectures, where it is never launched.
template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    backward_sm90_kernel(const __grid_constant__ BackwardParameters parameters,
                         const __grid_constant__ BackwardMaps maps) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  Sm90Backward<C>(parameters, maps, ptx::shared_base()).run();
#endif
}

}  // namespace

void prepare_backward_sm90(const BackwardKernel& kernel) {
  with_config<BackwardSm90, 128>(kernel.shape.padded_dim, kernel.bf16, [](auto config) {
    using C = decltype(config);
    allow_shared_memory(reinterpret_cast<const void*>(backward_sm90_kernel<C>), C::kSharedBytes);
  });
}

void launch_backward_sm90(const BackwardParameters& parameters, const BackwardMaps& maps,
                          const BackwardKernel& kernel, void* stream) {
  if (parameters.n_items == 0) return;
  with_config<BackwardSm90, 128>(kernel.shape.padded_dim, kernel.bf16, [&](auto config) {
    using C = decltype(config);
    backward_sm90_kernel<C>
        <<<static_cast<unsigned>(parameters.n_items), C::kThreads, C::kSharedBytes,
           static_cast<cudaStream_t>(stream)>>>(parameters, maps);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
