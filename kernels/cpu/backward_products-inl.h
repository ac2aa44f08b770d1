// SPDX-License-Identifier: Apache-2.0
// The products of the backward pass, each a loop over blocks of C that stay in registers
// (tile_product-inl.h). With the group's query rows in the lanes, three products have them in C's
// columns, cut into panels of kVectorBlock vectors:
//
//   S^T = K Q^T, dP^T = V dO^T    A is rows of keys or values, read unit by unit where they lie
//   dQ^T += K^T dS^T              A is columns of the same rows
//
// and two have the elements of a row of V or K there, cut into panels of up to kPanelVectors:
//
//   dV += P^T dO, dK += dS^T Q    A is rows of P^T or dS^T, just computed
//
// So nothing is transposed but Q and dO, once for a tile of rows. A panel of 4 vectors is a row of
// 64 floats with AVX-512; its blocks have 6 rows, so that 24 sums are in registers again. Narrower
// panels have more rows in a block.
#if defined(QB_KERNELS_CPU_BACKWARD_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_BACKWARD_PRODUCTS_INL_H
#undef QB_KERNELS_CPU_BACKWARD_PRODUCTS_INL_H
#else
#define QB_KERNELS_CPU_BACKWARD_PRODUCTS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "base/integers.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/tile_product-inl.h"
#include "kernels/cpu/tile_registers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t kPanelSums = 24;
inline constexpr std::size_t kPanelVectors = 4;
#else
inline constexpr std::size_t kPanelSums = 12;
inline constexpr std::size_t kPanelVectors = 3;
#endif

// A group has as many query rows with every instruction set, because the last two products are that
// deep: with half of them the ends of their loops would take a fifth of the time.
inline constexpr std::size_t kGroupVectors =
    static_cast<std::size_t>(kFlashGroupRows) / hn::MaxLanes(Floats());
static_assert(kGroupVectors % kVectorBlock == 0);

HWY_INLINE std::int64_t group_rows() { return kFlashGroupRows; }

// Rows of a group in the depth of these two products: tiles are 32 deep, so that rows of zeros
// follow the others.
template <class Units>
inline constexpr std::int64_t kGroupDepth = Units::kTiles ? 64 : kFlashGroupRows;

// Calls function(first column, vectors) for the panels of `columns` columns: as few as possible, as
// even as possible. The last one may have columns after the end.
template <class Function>
HWY_INLINE void for_each_panel(std::int64_t columns, Function function) {
  std::int64_t vectors = ceil_div(columns, lanes());
  std::int64_t x = 0;
  for (std::int64_t panels = ceil_div(vectors, static_cast<std::int64_t>(kPanelVectors));
       panels > 0; --panels) {
    const std::int64_t width = ceil_div(vectors, panels);
    function(x, width);
    vectors -= width;
    x += width * lanes();
  }
}

// C [R][V vectors] := A B, or += where kAdd is set. A(r, k) is a unit of RowUnits<R> or ColumnUnits
// from `a` on; B is a panel [depth][V vectors] whose rows are kPitch vectors apart. What is added
// to C is summed apart: its many small terms would lose digits beside a C that has grown for a
// whole sequence. As in the forward pass this is a function of its own, so that no vector of the
// loop is spilt.
template <class Units, class A, std::size_t R, std::size_t V, bool kAdd, std::size_t kPitch = V>
HWY_NOINLINE void multiply_block(const float* a, std::int64_t a_stride, const float* panel,
                                 std::int64_t depth, float* c, std::int64_t c_stride) {
  const Floats d;
  Vector sum[R][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  multiply_tile<Units>(d, A{a, a_stride}, panel, kPitch * hn::Lanes(d), depth, sum);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      float* const to = c + static_cast<std::int64_t>(r) * c_stride + v * hn::Lanes(d);
      hn::Store(kAdd ? hn::Add(hn::Load(d, to), sum[r][v]) : sum[r][v], d, to);
    }
}

// Calls function(first row) for the panels that hold the first `rows` rows of a group.
template <class Function>
HWY_INLINE void for_each_group_panel(std::int64_t rows, Function function) {
  for (std::int64_t x = 0; x < rows; x += static_cast<std::int64_t>(kVectorBlock) * lanes())
    function(x);
}

// c [count][group rows] := rows [count][depth] times a panel [depth][group rows], for the panels of
// its first `group` columns.
template <class Units>
HWY_INLINE void multiply_rows(const UnitRows& rows, std::int64_t count, const float* panel,
                              std::int64_t depth, std::int64_t group, float* c) {
  constexpr auto kBlock = static_cast<std::int64_t>(kRowBlock);
  const std::int64_t width = group_rows();
  std::int64_t row = 0;
  if constexpr (Units::kTiles)
    for (; row < count; row += 16)
      Units::template multiply<kGroupVectors>(rows.data + row * rows.stride, rows.stride, panel,
                                              width, ceil_div(depth, 16), c + row * width, width);
  for (; row + kBlock <= count; row += kBlock)
    for_each_group_panel(group, [&](std::int64_t x) {
      multiply_block<Units, RowUnits<kRowBlock>, kRowBlock, kVectorBlock, false, kGroupVectors>(
          rows.data + row * rows.stride, rows.stride, panel + x, depth, c + row * width + x, width);
    });
  for (; row < count; ++row)
    for_each_group_panel(group, [&](std::int64_t x) {
      multiply_block<Units, RowUnits<1>, 1, kVectorBlock, false, kGroupVectors>(
          rows.data + row * rows.stride, rows.stride, panel + x, depth, c + row * width + x, width);
    });
}

// c [columns][group rows] += the transpose of rows [depth][columns] times a panel [depth][group
// rows], likewise. Rows and c must go on to a multiple of kFlashColumns columns. For tiles the rows
// are columns already.
template <class Units>
HWY_INLINE void add_columns(const UnitRows& rows, std::int64_t columns, const float* panel,
                            std::int64_t depth, std::int64_t group, float* c) {
  const std::int64_t width = group_rows();
  if constexpr (Units::kTiles) {
    alignas(64) float ones[kFlashGroupRows];
    std::fill_n(ones, kFlashGroupRows, 1.0f);
    for (std::int64_t column = 0; column < columns; column += kFlashColumns)
      Units::template accumulate<kGroupVectors>(c, rows, column, panel, depth, ones);
    return;
  }
  for (std::int64_t column = 0; column < columns; column += static_cast<std::int64_t>(kRowBlock))
    for_each_group_panel(group, [&](std::int64_t x) {
      multiply_block<Units, ColumnUnits, kRowBlock, kVectorBlock, true, kGroupVectors>(
          rows.data + column, rows.stride, panel + x, depth, c + column * width + x, width);
    });
}

template <class Units, std::size_t V>
HWY_INLINE void add_panel(const UnitRows& rows, std::int64_t count, const float* panel,
                          std::int64_t depth, float* c, std::int64_t c_stride) {
  constexpr std::size_t kRows = std::min<std::size_t>(8, kPanelSums / V);  // each has a pointer
  constexpr auto kBlock = static_cast<std::int64_t>(kRows);
  std::int64_t row = 0;
  if constexpr (Units::kTiles)
    for (; row < count; row += 16)
      Units::template multiply<V, true>(rows.data + row * rows.stride, rows.stride, panel,
                                        V * hn::Lanes(Floats()), depth / 16, c + row * c_stride,
                                        c_stride);
  for (; row + kBlock <= count; row += kBlock)
    multiply_block<Units, RowUnits<kRows>, kRows, V, true>(
        rows.data + row * rows.stride, rows.stride, panel, depth, c + row * c_stride, c_stride);
  for (; row < count; ++row)
    multiply_block<Units, RowUnits<1>, 1, V, true>(rows.data + row * rows.stride, rows.stride,
                                                   panel, depth, c + row * c_stride, c_stride);
}

// c [count][c_stride] += rows [count][depth] times the panels of rows [depth][columns], which lie
// one after the other, each as deep as a row of `rows` is long.
template <class Units>
HWY_INLINE void add_rows(const UnitRows& rows, std::int64_t count, const float* panels,
                         std::int64_t depth, std::int64_t columns, float* c,
                         std::int64_t c_stride) {
  for_each_panel(columns, [&](std::int64_t x, std::int64_t vectors) {
    const float* const panel = panels + x * rows.stride;
    if (vectors == 1)
      add_panel<Units, 1>(rows, count, panel, depth, c + x, c_stride);
    else if (vectors == 2)
      add_panel<Units, 2>(rows, count, panel, depth, c + x, c_stride);
    else if (vectors == 3)
      add_panel<Units, 3>(rows, count, panel, depth, c + x, c_stride);
    else if constexpr (kPanelVectors == 4)
      add_panel<Units, 4>(rows, count, panel, depth, c + x, c_stride);
  });
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
