#include "kernels/cuda/flash_sm80.cuh"

#include "kernels/cuda/check.cuh"
#include "kernels/cuda/flash_kernels.h"

namespace qb::cuda {
namespace {

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocksPerSm)
    flash_sm80_kernel(const __grid_constant__ FlashParameters parameters) {
  Sm80Block<C>(parameters, ptx::shared_base()).run();
}

template <class C>
void launch(const FlashParameters& parameters, int n_items, cudaStream_t stream) {
  QB_CUDA_CHECK(cudaFuncSetAttribute(flash_sm80_kernel<C>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, C::kSharedBytes));
  flash_sm80_kernel<C>
      <<<static_cast<unsigned>(n_items), C::kThreads, C::kSharedBytes, stream>>>(parameters);
  QB_CUDA_CHECK(cudaGetLastError());
}

template <bool kBf16, int kD>
void launch_dim(const FlashParameters& parameters, bool thin, int n_items, cudaStream_t stream) {
  if (thin)
    launch<Sm80<kBf16, kD, true>>(parameters, n_items, stream);
  else
    launch<Sm80<kBf16, kD, false>>(parameters, n_items, stream);
}

template <bool kBf16>
void launch_type(const FlashParameters& parameters, const FlashShape& shape, int n_items,
                 cudaStream_t stream) {
  const bool thin = shape.variant == FlashVariant::thin;
  if (shape.padded_dim == 64)
    launch_dim<kBf16, 64>(parameters, thin, n_items, stream);
  else if (shape.padded_dim == 128)
    launch_dim<kBf16, 128>(parameters, thin, n_items, stream);
  else
    launch_dim<kBf16, 256>(parameters, thin, n_items, stream);
}

}  // namespace

void launch_sm80(const FlashParameters& parameters, const FlashShape& shape, bool bf16, int n_items,
                 void* stream) {
  if (n_items == 0) return;
  if (bf16)
    launch_type<true>(parameters, shape, n_items, static_cast<cudaStream_t>(stream));
  else
    launch_type<false>(parameters, shape, n_items, static_cast<cudaStream_t>(stream));
}

}  // namespace qb::cuda
