// SPDX-License-Identifier: Apache-2.0
// Tests compile a wait and the start of each sm_90a kernel alone and look for their traps in the
// assembly.
#include "kernels/cuda/flash/backward/backward_sm90_shared.cuh"
#include "kernels/cuda/flash/flash_sm90_shared.cuh"

namespace qb::cuda {

using Dim64 = Sm90<true, 64>;

__global__ void flash_traps() {
  Sm90Shared<Dim64> shared(ptx::shared_base());
  if (ptx::thread_index() == 0) shared.init_barriers();
  ptx::sync_threads();
  ptx::barrier_wait(shared.query_full(), 0);
}

using Backward64 = BackwardSm90<true, 64>;

__global__ void backward_traps() {
  BackwardSm90Shared<Backward64> shared(ptx::shared_base());
  if (ptx::thread_index() == 0) shared.init_barriers();
  ptx::sync_threads();
  ptx::barrier_wait(shared.own_full(), 0);
}

}  // namespace qb::cuda
