// SPDX-License-Identifier: Apache-2.0
// A test compiles this kernel alone, which is short of registers on sm_80, with spills as errors.
#include "kernels/cuda/flash/flash_sm80.cuh"

namespace qb::cuda {

using Wide128 = Sm80<true, 128, false>;

__global__ void __launch_bounds__(Wide128::kThreads, Wide128::kBlocksPerSm)
    flash_sm80_wide_128(const __grid_constant__ FlashParameters parameters) {
  Sm80Block<Wide128>(parameters, ptx::shared_base()).run();
}

}  // namespace qb::cuda
