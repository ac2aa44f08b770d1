// SPDX-License-Identifier: Apache-2.0
// This is the arithmetic of the backward pass between its products, the same on both paths: what a
// lane does with its share of 16 own rows (two rows: its own and that plus 8) and 64 rows of the
// other side, and how sums get to device memory.
//
//   P  = 2^(c S - LSE)    c = scale log2(e), LSE in units of log 2
//   dS = P (dP - D)
//
// LSE and D belong to query rows, which are columns.
#pragma once

#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/flash_softmax.cuh"

namespace qb::cuda {

// Loads the numbers of four columns' rows: LSE and D of the two columns that a lane has in each
// tile of 8. `numbers` is where those of the 64 columns are in shared memory.
QB_DEVICE void load_numbers(float (&x)[4], std::uint32_t numbers, int tile, int lane) {
  ptx::load_shared_four(x, numbers + static_cast<std::uint32_t>(8 * tile + lane % 4 * 2) * 8U);
}

// Turns S into P in place.
QB_DEVICE void to_weights(float (&s)[32], std::uint32_t numbers, float scale_log2, int lane) {
  QB_UNROLL
  for (int t = 0; t < 8; ++t) {
    float column[4];
    load_numbers(column, numbers, t, lane);
    QB_UNROLL
    for (int i = 0; i < 4; ++i)
      s[4 * t + i] = ptx::exp2(fmaf(s[4 * t + i], scale_log2, -column[i % 2 * 2]));
  }
}

// Turns P into dS in place.
QB_DEVICE void to_score_gradients(float (&p)[32], const float (&d_p)[32], std::uint32_t numbers,
                                  int lane) {
  QB_UNROLL
  for (int t = 0; t < 8; ++t) {
    float column[4];
    load_numbers(column, numbers, t, lane);
    QB_UNROLL
    for (int i = 0; i < 4; ++i) p[4 * t + i] *= d_p[4 * t + i] - column[i % 2 * 2 + 1];
  }
}

// Stores a lane's packed share of 16 rows and 64 columns, from row first_row on, in a panel of a
// tile. Eight rows of the warp have eight different chunks at one place, which are all banks.
QB_DEVICE void store_packed(std::uint32_t panel, int first_row, const std::uint32_t (&packed)[16],
                            int lane) {
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    const Place at = accumulator_place(lane, 2 * half);
    // The tile has one panel, so that its number of rows does not matter. The element is in chunk 0
    // of the row, so that along_row() reaches every chunk.
    const std::uint32_t row = panel + tile_address(0, first_row + at.row, at.column);
    QB_UNROLL
    for (int t = 0; t < 8; ++t)
      ptx::store_shared(along_row(row, 0, 8 * t), static_cast<int>(packed[2 * t + half]));
  }
}

// Stores a lane's share of 16 rows and 64 columns, times `factor`, in boxes of float32, of which a
// column is as wide as two of a tile's.
QB_DEVICE void store_sums(std::uint32_t boxes, float factor, const float (&x)[32], int lane) {
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    const Place at = accumulator_place(lane, 2 * half);
    const std::uint32_t row = boxes + tile_address(kSumRows, at.row, 2 * at.column);
    QB_UNROLL
    for (int t = 0; t < 8; ++t)
      ptx::store_shared_pair(along_row(row, kSumRows, 16 * t), factor * x[4 * t + 2 * half],
                             factor * x[4 * t + 2 * half + 1]);
  }
}

template <bool kAtomic>
QB_DEVICE void add_one(float* at, float value) {
  if constexpr (kAtomic)
    ptx::add_atomically(at, value);
  else
    *at += value;
}

// Adds to two neighbouring elements; the first is aligned to 8 bytes.
template <bool kAtomic>
QB_DEVICE void add_pair(float* at, float first, float second) {
  if constexpr (kAtomic) {
    ptx::add_pair_atomically(at, first, second);
  } else {
#ifdef __CUDACC__
    const float2 sum = *reinterpret_cast<const float2*>(at);
    *reinterpret_cast<float2*>(at) = make_float2(sum.x + first, sum.y + second);
#else
    at[0] += first;
    at[1] += second;
#endif
  }
}

// Adds a lane's share of 16 rows and 2 kCount columns, times `factor`, to the rows of a head from
// first_row on, of which n_rows and n_columns exist. Whether all of a row can be added in pairs is
// asked once, so that the additions follow one another without a branch.
template <bool kAtomic, int kCount>
QB_DEVICE void add_share(float* head, std::int64_t row_stride, int first_row, int n_rows,
                         int first_column, int n_columns, float factor, const float (&x)[kCount],
                         int lane) {
  const int column = first_column + accumulator_place(lane, 0).column;
  QB_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + accumulator_place(lane, 2 * half).row;
    if (row >= n_rows) continue;
    float* const to = head + row * row_stride + column;
    if (first_column + 2 * kCount <= n_columns && reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
      QB_UNROLL
      for (int t = 0; t < kCount / 4; ++t)
        add_pair<kAtomic>(to + 8 * t, factor * x[4 * t + 2 * half],
                          factor * x[4 * t + 2 * half + 1]);
      continue;
    }
    QB_UNROLL
    for (int t = 0; t < kCount / 4; ++t) {
      QB_UNROLL
      for (int i = 0; i < 2; ++i)
        if (column + 8 * t + i < n_columns)
          add_one<kAtomic>(to + 8 * t + i, factor * x[4 * t + 2 * half + i]);
    }
  }
}

}  // namespace qb::cuda
