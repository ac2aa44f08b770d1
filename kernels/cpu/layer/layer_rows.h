// SPDX-License-Identifier: Apache-2.0
// The parts of a transformer layer on the CPU share these: rows of matrices in float32, whatever
// their type, and the division of a product among threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/integers.h"
#include "kernels/cpu/score_rows.h"

namespace qb::cpu {

inline constexpr std::int64_t kLayerRows = 16;  // rows of a pass; a few hundred KiB
// A product has this many rows: enough that packing the weight, which every call of the library
// repeats, is cheap compared with multiplying by it; few enough that the threads end together.
inline constexpr std::int64_t kProductRows = 512;

inline const float* floats(const void* data) { return static_cast<const float*>(data); }
inline float* floats(void* data) { return static_cast<float*>(data); }

// Calls function(first row, rows, first column, columns) for the blocks of a product. Both rows and
// columns are cut, so that every thread packs only a part of the weight.
template <class Function>
void for_product_blocks(std::int64_t n_rows, std::int64_t n_columns, int threads,
                        Function function) {
  const std::int64_t columns = ceil_div(n_columns, threads);
  const std::int64_t blocks = ceil_div(n_rows, kProductRows);
  parallel_for(blocks * threads, threads, 1, [&](std::int64_t item, std::int64_t, int) {
    const std::int64_t row = item / threads * kProductRows;
    const std::int64_t column = std::min(n_columns, item % threads * columns);
    function(row, std::min(kProductRows, n_rows - row), column,
             std::min(columns, n_columns - column));
  });
}

// Returns `count` rows of a matrix from row `first` on; rows are `stride` elements apart, 0: width.
inline TensorView rows_of(const void* matrix, DType dtype, std::int64_t first, std::int64_t count,
                          std::int64_t width, std::int64_t stride = 0) {
  if (stride == 0) stride = width;
  TensorView rows = contiguous_view(const_cast<void*>(matrix), dtype, {1, 1, first + count, stride})
                        .tokens(first, count);
  rows.extent.head_dim = width;
  return rows;
}

// The row as float32: itself, or a widened copy.
inline Widened widened_row(const void* matrix, DType dtype, std::int64_t row, std::int64_t width) {
  return {rows_of(matrix, dtype, row, 1, width), "row_f32", {heap_allocator()}};
}

// Calls function(row, y) for each row of a matrix in float32, which is rounded to its type
// afterwards.
template <class Function>
void for_rows(void* matrix, DType dtype, std::int64_t rows, std::int64_t width, int threads,
              Function function) {
  parallel_for(rows, threads, kLayerRows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Widened y = widened_row(matrix, dtype, row, width);
      function(row, y.floats());
      if (dtype != DType::f32) copy_rows(y.view(), rows_of(matrix, dtype, row, 1, width));
    }
  });
}

}  // namespace qb::cpu
