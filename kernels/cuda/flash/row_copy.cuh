// SPDX-License-Identifier: Apache-2.0
// Copies rows of a tensor to a tile of shared memory with cp.async, in both passes on sm_80.
#pragma once

#include <cstdint>

#include "kernels/cuda/flash/flash_layout.h"
#include "kernels/cuda/flash/ptx.cuh"

namespace qb::cuda {

inline constexpr int kAllRows = 1 << 30;  // the rows of the tile all exist

// Copies 16 bytes for each thread at a time: chunk thread % kChunks of every kStep-th row. `first`
// is this thread's row among the first kStep, `from` its chunk there; step and row addresses are
// one register each, the rest are constants.
template <int kTileRows, int kD, int kThreads>
struct RowCopy {
  static constexpr int kChunks = kD / kChunkColumns;
  static constexpr int kStep = kThreads / kChunks;
  static_assert(kTileRows % kStep == 0 && (kStep % 8 == 0 || kStep == 4));

  QB_DEVICE static int column(int thread) { return thread % kChunks * kChunkColumns; }
  QB_DEVICE static int first(int thread) { return thread / kChunks; }

  // Rows from n_rows on become zeros.
  QB_DEVICE static void copy(std::uint32_t shared, const char* from, std::int64_t row_bytes,
                             int n_rows, int thread) {
    const std::uint32_t to = shared + tile_address(kTileRows, first(thread), column(thread));
    const std::int64_t step_bytes = kStep * row_bytes;
    const int rows_left = n_rows == kAllRows ? kTileRows : n_rows - first(thread);
    QB_UNROLL
    for (int i = 0; i < kTileRows / kStep; ++i) {
      ptx::copy_async(down_rows<kStep>(to, i), from, i * kStep < rows_left);
      from += step_bytes;
    }
  }
};

}  // namespace qb::cuda
