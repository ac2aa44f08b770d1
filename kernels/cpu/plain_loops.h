// SPDX-License-Identifier: Apache-2.0
// What the references compute with. They compute in float64, and also in float32 with intermediates
// rounded to the inputs' type, which shows how large an error a straightforward implementation
// makes. Their inner loop is compiled for each instruction set. It computes several sums at a time,
// each of them plainly, term after term in order, so that no sum depends on which are neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/dtype.h"
#include "kernels/parallel.h"
#include "kernels/tensor.h"

namespace qb::cpu {

// c[i][j] += sum over k < depth of a[i][k] * b[k][j], for i < rows and j < columns. The strides
// are the elements from one row to the next.
template <class T>
struct PlainProducts {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
  const T* a;
  std::int64_t a_stride;
  const T* b;
  std::int64_t b_stride;
  T* c;
  std::int64_t c_stride;
};
void add_products(const PlainProducts<double>& of);
void add_products(const PlainProducts<float>& of);
// These leave out terms with a[i][k] == 0, whatever b is.
void add_weighted_rows(const PlainProducts<double>& of);
void add_weighted_rows(const PlainProducts<float>& of);

// The type of tensors whose elements are T.
template <class T>
inline constexpr DType kTypeOf = sizeof(T) == 8 ? DType::f64 : DType::f32;

// Returns the value rounded to a 16-bit type, and unchanged for the others.
template <class T>
[[nodiscard]] T rounded(T value, DType type) {
  if (type == DType::f16) return f16_to_f32(f32_to_f16(static_cast<float>(value)));
  if (type == DType::bf16) return bf16_to_f32(f32_to_bf16(static_cast<float>(value)));
  return value;
}

// Tokens that a pass goes over while their part of K or V stays in the cache: a row of the
// transpose has 256 bytes.
template <class T>
inline constexpr std::int64_t kPanel = 256 / sizeof(T);

// Returns how many rows share a pass over the panels, so that all threads have some.
[[nodiscard]] inline std::int64_t rows_at_once(std::int64_t rows, int threads) {
  constexpr std::int64_t kMost = 16;
  return std::clamp<std::int64_t>((rows + threads - 1) / std::max(threads, 1), 1, kMost);
}

// Returns a head of a tensor in T: rows [count, dim], or panel after panel their transpose
// [dim, tokens of the panel].
template <class T>
[[nodiscard]] std::unique_ptr<T[]> load_head(const TensorView& view, std::int64_t b,
                                             std::int64_t head, bool transposed, int threads) {
  const std::int64_t dim = view.extent.head_dim;
  const auto new_rows = [dim](std::int64_t n) {
    return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n * dim));
  };
  std::unique_ptr<T[]> loaded = new_rows(view.extent.length);
  parallel_for(
      view.extent.length, threads, kPanel<T>, [&](std::int64_t begin, std::int64_t end, int) {
        T* const panel = loaded.get() + begin * dim;
        const std::unique_ptr<T[]> copy = transposed ? new_rows(end - begin) : nullptr;
        T* const rows = transposed ? copy.get() : panel;
        for (std::int64_t i = begin; i < end; ++i)
          convert(view.row(b, head, i), view.dtype, rows + (i - begin) * dim, kTypeOf<T>, dim);
        if (!transposed) return;
        for (std::int64_t x = 0; x < dim; ++x)
          for (std::int64_t i = 0; i < end - begin; ++i)
            panel[x * (end - begin) + i] = rows[i * dim + x];
      });
  return loaded;
}

struct Panel {
  std::int64_t begin;
  std::int64_t count;
};

// Returns the panels of `tokens` in which is_needed(i, token) for any i < rows.
template <class T, class IsNeeded>
[[nodiscard]] std::vector<Panel> needed_panels(std::int64_t rows, std::int64_t tokens,
                                               IsNeeded is_needed) {
  std::vector<Panel> panels;
  for (std::int64_t begin = 0; begin < tokens; begin += kPanel<T>) {
    const std::int64_t count = std::min(kPanel<T>, tokens - begin);
    bool needed = false;
    for (std::int64_t pair = 0; pair < rows * count && !needed; ++pair)
      needed = is_needed(pair / count, begin + pair % count);
    if (needed) panels.push_back({begin, count});
  }
  return panels;
}

}  // namespace qb::cpu
