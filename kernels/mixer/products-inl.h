// SPDX-License-Identifier: Apache-2.0
// Products of float32 matrices in scratch memory. Rows of B and C begin at a multiple of 64 bytes
// and go on to whole vectors; A and C have room for kRowsBehind rows more. So no product has a
// remainder, and what it computes behind the end is not used.
#if defined(QB_KERNELS_MIXER_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_MIXER_PRODUCTS_INL_H
#undef QB_KERNELS_MIXER_PRODUCTS_INL_H
#else
#define QB_KERNELS_MIXER_PRODUCTS_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "kernels/cpu/backward_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// One term of a sum of products, A [rows][depth] B [depth][columns].
struct RowsTerm {
  const float* a;
  std::int64_t a_stride;
  const float* b;
  std::int64_t b_stride;
  std::int64_t depth;
  template <std::size_t R>
  [[nodiscard]] HWY_INLINE RowUnits<R> units(std::int64_t row) const {
    return {a + row * a_stride, a_stride};
  }
};

// A is the transpose of what is stored, [depth][rows].
struct ColumnsTerm : RowsTerm {
  template <std::size_t R>
  [[nodiscard]] HWY_INLINE ColumnUnits units(std::int64_t row) const {
    return {a + row, a_stride};
  }
};

// As in backward_products-inl.h, the sum is made apart from C and in a function of its own.
template <std::size_t R, std::size_t V, bool kAdd, class... Terms>
HWY_NOINLINE void sum_block(std::int64_t row, std::int64_t x, float* c, std::int64_t c_stride,
                            const Terms&... terms) {
  const Floats d;
  Vector sum[R][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  (multiply_tile<Float32Units>(d, terms.template units<R>(row), terms.b + x,
                               static_cast<std::size_t>(terms.b_stride), terms.depth, sum),
   ...);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      float* const to = c + (row + static_cast<std::int64_t>(r)) * c_stride + x +
                        static_cast<std::int64_t>(v) * lanes();
      hn::Store(kAdd ? hn::Add(hn::Load(d, to), sum[r][v]) : sum[r][v], d, to);
    }
}

// Fetches memory that is read next into the second-level cache, some of it between blocks: products
// leave time for it, and the loads that follow them would wait for each line.
struct Ahead {
  struct Rows {
    const std::byte* first;
    std::int64_t stride;  // in bytes, and so is width
    std::int64_t width;
  };
  Rows rows[4];
  std::int64_t count = 0;  // of these tensors
  std::int64_t next = 0;   // the row to fetch
  std::int64_t end = 0;
  std::int64_t at_once = 0;  // rows between two blocks

  HWY_INLINE void fetch() {
    for (const std::int64_t last = std::min(end, next + at_once); next < last; ++next)
      for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t x = 0; x < rows[t].width; x += 64)
          __builtin_prefetch(rows[t].first + next * rows[t].stride + x, 0, 2);
  }
};

template <std::size_t V, bool kAdd, class... Terms>
HWY_INLINE void sum_panel(Ahead& ahead, std::int64_t rows, std::int64_t x, float* c,
                          std::int64_t c_stride, const Terms&... terms) {
  constexpr std::size_t kMost = std::min<std::size_t>(8, kPanelSums / V);
  constexpr auto kRows = static_cast<std::int64_t>(kMost);
  for (std::int64_t row = 0; row < rows;) {
    ahead.fetch();
    // Two blocks of four rows take less time than one of six and one of four.
    const std::int64_t left = rows - row;
    if (left > 4 && (left >= kRows || kRows == 6) && !(kRows == 6 && (left == 7 || left == 8))) {
      sum_block<kMost, V, kAdd>(row, x, c, c_stride, terms...);
      row += kRows;
    } else {
      sum_block<4, V, kAdd>(row, x, c, c_stride, terms...);
      row += 4;
    }
  }
}

// C [rows][columns] := the sum of the terms, or C += it.
template <bool kAdd, class... Terms>
HWY_INLINE void sum_products(Ahead& ahead, std::int64_t rows, std::int64_t columns, float* c,
                             std::int64_t c_stride, const Terms&... terms) {
  for_each_panel(columns, [&](std::int64_t x, std::int64_t vectors) {
    if (vectors == 1)
      sum_panel<1, kAdd>(ahead, rows, x, c, c_stride, terms...);
    else if (vectors == 2)
      sum_panel<2, kAdd>(ahead, rows, x, c, c_stride, terms...);
    else if (vectors == 3)
      sum_panel<3, kAdd>(ahead, rows, x, c, c_stride, terms...);
    else if constexpr (kPanelVectors == 4)
      sum_panel<4, kAdd>(ahead, rows, x, c, c_stride, terms...);
  });
}

template <bool kAdd, class... Terms>
HWY_INLINE void sum_products(std::int64_t rows, std::int64_t columns, float* c,
                             std::int64_t c_stride, const Terms&... terms) {
  Ahead nothing;
  sum_products<kAdd>(nothing, rows, columns, c, c_stride, terms...);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
