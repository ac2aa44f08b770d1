// Predicts the memory of the passes of the materialized kernel. It is host code that needs no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {

// cuBLAS gets a workspace of this size for its products, which is what it advises for Hopper.
inline constexpr std::size_t kBlasWorkspaceBytes = 32 << 20;

struct MaterializedMemory {
  std::size_t blas_workspace_bytes = 0;
  std::size_t bias_bytes = 0;
  std::size_t scores_bytes = 0;    // bytes of one score matrix, all heads
  std::size_t schedule_bytes = 0;  // bytes of the schedule; 0 where no pair is masked

  // Bias and cuBLAS's workspace are held throughout; at most two score matrices are held at a time,
  // and the schedule too while the second one is masked.
  [[nodiscard]] std::int64_t peak_bytes() const;
};

// q is [b,h,n,d], k is [b,g,m,d]. All sizes are 0 where there is no query or no key, or no tile has
// any: then no pass runs.
[[nodiscard]] MaterializedMemory materialized_memory(const Extent& q, const Extent& k, DType dtype,
                                                     const TileSchedule& schedule);

}  // namespace qb::cuda
