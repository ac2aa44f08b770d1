// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/flash_sm80.cuh"

#include <type_traits>

#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocksPerSm)
    flash_sm80_kernel(const __grid_constant__ FlashParameters parameters) {
  Sm80Block<C>(parameters, ptx::shared_base()).run();
}

template <bool kBf16, bool kThin, class Function>
void with_dim(int padded_dim, Function function) {
  if (padded_dim == 64)
    function(Sm80<kBf16, 64, kThin>{});
  else if (padded_dim == 128)
    function(Sm80<kBf16, 128, kThin>{});
  else
    function(Sm80<kBf16, 256, kThin>{});
}

// Calls function(config) with the config of the compiled kernel.
template <class Function>
void with_config(const FlashShape& shape, bool bf16, Function function) {
  const auto of_type = [&](auto is_bf16) {
    constexpr bool kBf16 = decltype(is_bf16)::value;
    if (shape.variant == FlashVariant::thin)
      with_dim<kBf16, true>(shape.padded_dim, function);
    else
      with_dim<kBf16, false>(shape.padded_dim, function);
  };
  if (bf16)
    of_type(std::true_type{});
  else
    of_type(std::false_type{});
}

}  // namespace

void prepare_sm80(const FlashShape& shape, bool bf16) {
  with_config(shape, bf16, [](auto config) {
    using C = decltype(config);
    allow_shared_memory(reinterpret_cast<const void*>(flash_sm80_kernel<C>), C::kSharedBytes);
  });
}

void launch_sm80(const FlashParameters& parameters, const FlashShape& shape, bool bf16, int n_items,
                 void* stream) {
  if (n_items == 0) return;
  with_config(shape, bf16, [&](auto config) {
    using C = decltype(config);
    flash_sm80_kernel<C><<<static_cast<unsigned>(n_items), C::kThreads, C::kSharedBytes,
                           static_cast<cudaStream_t>(stream)>>>(parameters);
  });
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
