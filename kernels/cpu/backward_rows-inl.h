// SPDX-License-Identifier: Apache-2.0
// Moves rows in and out of the backward pass: Q and dO of a group are packed twice, transposed and
// by panels; gradients are added to rows of the caller's tensors.
#if defined(QB_KERNELS_CPU_BACKWARD_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_BACKWARD_ROWS_INL_H
#undef QB_KERNELS_CPU_BACKWARD_ROWS_INL_H
#else
#define QB_KERNELS_CPU_BACKWARD_ROWS_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "base/integers.h"
#include "kernels/cpu/backward_products-inl.h"
#include "kernels/cpu/flash_backward.h"
#include "kernels/cpu/flash_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// Returns the units of a row, with the zeros that fill it up.
template <class Units>
HWY_INLINE std::int64_t padded_units(std::int64_t dim) {
  return round_up(ceil_div(dim, Units::kElements), kFlashColumns);
}

// Returns a row of zeros, as long as any.
template <class Units>
HWY_INLINE const float* zero_row() {
  if constexpr (Units::kElements == 1) {
    alignas(64) static constexpr float kZeros[kMaxHeadDim] = {};
    return kZeros;
  } else {
    alignas(64) static constexpr std::uint16_t kZeros[2 * kMaxHeadDim] = {};
    return reinterpret_cast<const float*>(kZeros);
  }
}

// Returns whether `count` units, a multiple of kFlashColumns, hold neither NaN nor infinity.
template <class Units>
HWY_INLINE bool all_finite(const float* units, std::int64_t count) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> du;
  const Vector zero = hn::Zero(d);
  Vector any = zero;  // 0 x is 0 except for NaN and infinity
  for (std::int64_t x = 0; x < count; x += lanes()) {
    const Vector unit = hn::LoadU(d, units + x);
    any = hn::MulAdd(unit, zero, any);
    // The high bf16 of a pair decides whether the unit is finite as a float; this is the low one.
    if constexpr (Units::kElements == 2)
      any = hn::MulAdd(hn::BitCast(d, hn::ShiftLeft<16>(hn::BitCast(du, unit))), zero, any);
  }
  return hn::AllTrue(d, hn::Eq(any, zero));
}

// Says which rows of a tensor a group has: those of one head from `token` on, in lanes that are not
// idle.
struct GroupRows {
  const TensorView& view;
  std::int64_t batch;
  std::int64_t head;
  std::int64_t token;
  const bool* idle;  // [group rows]; the rows of these lanes are zeros
};

// Packs a group's rows into `transposed` [units][group rows], with `flip` added to the bits of each
// unit, and into `panels` [kGroupDepth][dim], for pairs [kGroupDepth / 2][dim] of neighbouring
// rows. `transposed_count` 0 leaves the transpose zero. Returns whether all rows are finite.
template <class Units>
HWY_INLINE bool pack_rows(const GroupRows& from, std::int64_t transposed_count, std::uint32_t flip,
                          float* staged, float* transposed, float* panels) {
  const std::int64_t dim = from.view.extent.head_dim;
  const std::int64_t units = padded_units<Units>(dim);
  const std::int64_t depth = kGroupDepth<Units> / Units::kElements;
  const float* rows[kGroupDepth<Units>];
  bool finite = true;
  std::fill_n(rows, kGroupDepth<Units>, zero_row<Units>());
  for (std::int64_t i = 0; i < group_rows(); ++i) {
    if (from.idle[i]) continue;
    rows[i] =
        unit_rows<Units>(from.view, from.batch, from.head, from.token + i, 1, staged + i * units)
            .data;
    finite = finite && all_finite<Units>(rows[i], units);
  }
  transpose_in([&](std::int64_t i) { return rows[i]; }, transposed_count, units, group_rows(), flip,
               transposed);
  const auto put = [&](const float* row, std::int64_t at) {
    for_each_panel(dim, [&](std::int64_t x, std::int64_t vectors) {
      const std::int64_t width = vectors * lanes();
      std::copy_n(row + x, width, panels + x * depth + at * width);
    });
  };
  if constexpr (Units::kElements == 1) {
    for (std::int64_t i = 0; i < depth; ++i) put(rows[i], i);
  } else {
    alignas(64) float pair[kMaxHeadDim];
    for (std::int64_t i = 0; i < depth; ++i) {
      pair_two_rows(reinterpret_cast<const std::uint16_t*>(rows[2 * i]),
                    reinterpret_cast<const std::uint16_t*>(rows[2 * i + 1]), dim,
                    round_up(dim, kFlashColumns), pair);
      put(pair, i);
    }
  }
  return finite;
}

// to[x] += factor * from[x]; `from` is aligned, `to` is a row of a tensor.
HWY_INLINE void add_scaled(const float* from, float factor, std::int64_t count, float* to) {
  const Floats d;
  const Vector by = hn::Set(d, factor);
  std::int64_t x = 0;
  for (; x + lanes() <= count; x += lanes())
    hn::StoreU(hn::MulAdd(hn::Load(d, from + x), by, hn::LoadU(d, to + x)), d, to + x);
  for (; x < count; ++x) to[x] += factor * from[x];
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
