// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_sm80.cuh"

#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocksPerSm)
    flash_sm80_kernel(const __grid_constant__ FlashParameters parameters) {
  Sm80Block<C>(parameters, ptx::shared_base()).run();
}

template <bool kBf16, int kD>
using Wide = Sm80<kBf16, kD, false>;
template <bool kBf16, int kD>
using Thin = Sm80<kBf16, kD, true>;

template <class Function>
void with_shape(const FlashShape& shape, bool bf16, Function function) {
  if (shape.variant == FlashVariant::thin)
    with_config<Thin, 256>(shape.padded_dim, bf16, function);
  else
    with_config<Wide, 256>(shape.padded_dim, bf16, function);
}

}  // namespace

void prepare_sm80(const FlashShape& shape, bool bf16) {
  with_shape(shape, bf16, [](auto config) {
    using C = decltype(config);
    allow_shared_memory(reinterpret_cast<const void*>(flash_sm80_kernel<C>), C::kSharedBytes);
  });
}

void launch_sm80(const FlashParameters& parameters, const FlashShape& shape, bool bf16, int n_items,
                 void* stream) {
  if (n_items == 0) return;
  with_shape(shape, bf16, [&](auto config) {
    using C = decltype(config);
    flash_sm80_kernel<C><<<static_cast<unsigned>(n_items), C::kThreads, C::kSharedBytes,
                           static_cast<cudaStream_t>(stream)>>>(parameters);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
