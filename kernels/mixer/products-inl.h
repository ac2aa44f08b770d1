// SPDX-License-Identifier: Apache-2.0
// Products of float32 matrices in scratch memory. Rows of B and C begin at a multiple of 64 bytes
// and go on to whole vectors; A and C go on to a multiple of kProductRows rows. So no product has a
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

// All rows of C are made by blocks of this many or of half of it.
inline constexpr std::int64_t kProductRows = 8;

template <std::size_t V, bool kAdd, class... Terms>
HWY_INLINE void sum_panel(std::int64_t rows, std::int64_t x, float* c, std::int64_t c_stride,
                          const Terms&... terms) {
  // At least eight sums hide the latency of a multiply-add.
  constexpr std::size_t kRows = V == 1 || 8 * V <= kPanelSums - 8 ? 8 : 4;
  for (std::int64_t row = 0; row < rows; row += static_cast<std::int64_t>(kRows))
    sum_block<kRows, V, kAdd>(row, x, c, c_stride, terms...);
}

// C [rows][columns] := the sum of the terms, or C += it.
template <bool kAdd, class... Terms>
HWY_INLINE void sum_products(std::int64_t rows, std::int64_t columns, float* c,
                             std::int64_t c_stride, const Terms&... terms) {
  for_each_panel(columns, [&](std::int64_t x, std::int64_t vectors) {
    if (vectors == 1)
      sum_panel<1, kAdd>(rows, x, c, c_stride, terms...);
    else if (vectors == 2)
      sum_panel<2, kAdd>(rows, x, c, c_stride, terms...);
    else if (vectors == 3)
      sum_panel<3, kAdd>(rows, x, c, c_stride, terms...);
    else if constexpr (kPanelVectors == 4)
      sum_panel<4, kAdd>(rows, x, c, c_stride, terms...);
  });
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
