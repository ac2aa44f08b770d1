// What the passes of the materialized kernel take. Host code that needs no CUDA, so that it is told
// before they run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {

// What cuBLAS is given for its products: what it advises for Hopper.
inline constexpr std::size_t kBlasWorkspaceBytes = 32 << 20;

struct MaterializedMemory {
  std::size_t blas_workspace_bytes = 0;
  std::size_t bias_bytes = 0;
  std::size_t scores_bytes = 0;    // of one of the score matrices, all heads
  std::size_t schedule_bytes = 0;  // of what masks; 0 where no pair is left out

  // Bias and cuBLAS's workspace stay; two score matrices are alive at most, and while the second
  // one is masked, the schedule beside it.
  [[nodiscard]] std::int64_t peak_bytes() const;
};

// q [b,h,n,d], k [b,g,m,d]. Nothing where no query or no key is there, or none is in a tile: then
// no pass runs.
[[nodiscard]] MaterializedMemory materialized_memory(const Extent& q, const Extent& k, DType dtype,
                                                     const TileSchedule& schedule);

}  // namespace qb::cuda
