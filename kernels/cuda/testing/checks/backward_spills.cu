// SPDX-License-Identifier: Apache-2.0
// A test compiles this kernel alone, which is short of registers on sm_80, with spills as errors.
#include "kernels/cuda/flash/backward/backward_sm80.cuh"

namespace qb::cuda {

using Backward128 = BackwardSm80<true, 128>;

__global__ void __launch_bounds__(Backward128::kThreads, Backward128::kBlocksPerSm)
    backward_sm80_128(const __grid_constant__ BackwardParameters parameters) {
  Sm80Backward<Backward128>(parameters, ptx::shared_base()).run();
}

}  // namespace qb::cuda
