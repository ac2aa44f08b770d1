#include "kernels/cuda/flash_sm80.cuh"

namespace qb::cuda {
namespace {

template <class C>
__global__ void __launch_bounds__(C::kThreads, C::kBlocksPerSm)
    flash_sm80_kernel(const __grid_constant__ FlashParameters parameters) {
  Sm80Block<C>(parameters, ptx::shared_base()).run();
}

template <class C>
void go(const FlashParameters& p) {
  flash_sm80_kernel<C><<<1, C::kThreads>>>(p);
}
}  // namespace
void all(const FlashParameters& p) {
  go<Sm80<true, 64, false>>(p);
  go<Sm80<true, 128, false>>(p);
  go<Sm80<true, 256, false>>(p);
  go<Sm80<true, 64, true>>(p);
  go<Sm80<true, 128, true>>(p);
  go<Sm80<true, 256, true>>(p);
}
}  // namespace qb::cuda
