#include "kernels/cuda/flash_sm90.cuh"

namespace qb::cuda {
namespace {

template <class C>
__global__ void __launch_bounds__(C::kThreads, 1)
    flash_sm90_kernel(const __grid_constant__ FlashParameters parameters,
                      const __grid_constant__ TensorMaps maps) {
  Sm90Block<C>(parameters, maps, ptx::shared_base()).run();
}
template <class C>
void go(const FlashParameters& p) {
  TensorMaps m{};
  flash_sm90_kernel<C><<<1, C::kThreads>>>(p, m);
}
}  // namespace
void all90(const FlashParameters& p) {
  go<Sm90<true, 64>>(p);
  go<Sm90<true, 128>>(p);
}
}  // namespace qb::cuda
