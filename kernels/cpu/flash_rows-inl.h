// SPDX-License-Identifier: Apache-2.0
// Moves rows in and out of the flash kernel: keys and values are 32-bit units, read in place if
// possible; queries are transposed into the lanes of vectors, and outputs are transposed back.
#if defined(QB_KERNELS_CPU_FLASH_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_FLASH_ROWS_INL_H
#undef QB_KERNELS_CPU_FLASH_ROWS_INL_H
#else
#define QB_KERNELS_CPU_FLASH_ROWS_INL_H
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <hwy/highway.h>

#include "kernels/cpu/flash_tile.h"
#include "kernels/cpu/tile_product-inl.h"
#include "kernels/lse.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Floats())); }

struct UnitRows {  // rows of 32-bit units
  const float* data;
  std::int64_t stride;  // in units
};

// Returns rows [begin, begin + count) of one head in float32, or in their own bf16 for pairs. They
// are read in place where they follow one another and need no conversion, and else copied into
// `buffer`, at a distance that is a multiple of kFlashColumns units, filled up with zeros. Of these
// rows and those behind them a multiple of `together` may be read, whatever they hold.
template <class Units>
HWY_INLINE UnitRows unit_rows(const TensorView& view, std::int64_t batch, std::int64_t head,
                              std::int64_t begin, std::int64_t count, float* buffer,
                              std::int64_t together = 1) {
  constexpr bool kPairs = Units::kElements == 2;
  const std::int64_t dim = view.extent.head_dim;
  const std::byte* const first = view.row(batch, head, begin);
  const bool own_type = kPairs || view.dtype == DType::f32;
  const bool aligned = reinterpret_cast<std::uintptr_t>(first) % sizeof(float) == 0;
  if (own_type && aligned && view.token_stride == dim &&
      begin + round_up(count, together) <= view.extent.length &&
      dim % (kFlashColumns * Units::kElements) == 0)
    return {reinterpret_cast<const float*>(first), dim / Units::kElements};
  const std::int64_t stride = round_up(dim, kFlashColumns * Units::kElements) / Units::kElements;
  if (!own_type && view.token_stride == dim && stride == dim) {
    convert(first, view.dtype, buffer, DType::f32, count * dim);
    return {buffer, stride};
  }
  for (std::int64_t j = 0; j < count; ++j) {
    float* const to = buffer + j * stride;
    const std::byte* const row = view.row(batch, head, begin + j);
    std::fill_n(to, stride, 0.0f);
    if (own_type)
      std::memcpy(to, row, static_cast<std::size_t>(dim * size_of(view.dtype)));
    else
      convert(row, view.dtype, to, DType::f32, dim);
  }
  return {buffer, stride};
}

// Interleaves two rows of bf16: unit x is (low[x], high[x]). The result has `stride` units, a
// multiple of kFlashColumns, filled up with zeros.
HWY_INLINE void pair_two_rows(const std::uint16_t* low, const std::uint16_t* high, std::int64_t dim,
                              std::int64_t stride, float* to) {
  const hn::ScalableTag<std::uint32_t> du;
  const hn::Rebind<std::uint16_t, decltype(du)> dh;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(du));
  auto* const units = reinterpret_cast<std::uint32_t*>(to);
  std::int64_t x = 0;
  for (; x + lanes <= dim; x += lanes)
    hn::Store(hn::Or(hn::PromoteTo(du, hn::LoadU(dh, low + x)),
                     hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(dh, high + x)))),
              du, units + x);
  for (; x < dim; ++x) units[x] = low[x] | static_cast<std::uint32_t>(high[x]) << 16;
  std::fill(units + x, units + stride, 0u);
}

// Interleaves neighbouring rows of bf16: unit x of row j is (v[2j][x], v[2j+1][x]). An odd last row
// is paired with zeros. Each row has `stride` units, a multiple of kFlashColumns.
HWY_INLINE void pair_rows(const TensorView& view, std::int64_t batch, std::int64_t head,
                          std::int64_t begin, std::int64_t count, std::int64_t stride, float* to) {
  alignas(64) static constexpr std::uint16_t kZeros[256] = {};
  for (std::int64_t j = 0; j < count; j += 2, to += stride) {
    const auto* const low = view.row_as<std::uint16_t>(batch, head, begin + j);
    const auto* const high =
        j + 1 < count ? view.row_as<std::uint16_t>(batch, head, begin + j + 1) : kZeros;
    pair_two_rows(low, high, view.extent.head_dim, stride, to);
  }
}

// transpose_in() sets to[x * (pitch or width) + i] = unit x of row i for i < width, with `flip`
// added to its bits (signs), and 0 from `count` on; there is a row 0. units must be a multiple
// of 4. transpose_out() sets row(i)[x] = from[x * width + i] * factors[i] for i < count, x < dim;
// `from` has rows for dim rounded up to a multiple of 4. width must be a multiple of the lanes.
#if HWY_TARGET == HWY_SCALAR

template <class Row>
HWY_INLINE void transpose_in(Row row, std::int64_t count, std::int64_t units, std::int64_t width,
                             std::uint32_t flip, float* HWY_RESTRICT to, std::int64_t pitch = 0) {
  pitch = std::max(pitch, width);
  for (std::int64_t i = 0; i < width; ++i) {
    const float* const from = i < count ? row(i) : nullptr;
    for (std::int64_t x = 0; x < units; ++x)
      to[x * pitch + i] = from == nullptr
                              ? 0.0f
                              : std::bit_cast<float>(std::bit_cast<std::uint32_t>(from[x]) ^ flip);
  }
}

template <class Row>
HWY_INLINE void transpose_out(const float* HWY_RESTRICT from, std::int64_t count, std::int64_t dim,
                              std::int64_t width, const float* factors, Row row) {
  for (std::int64_t i = 0; i < count; ++i) {
    float* const to = row(i);
    for (std::int64_t x = 0; x < dim; ++x) to[x] = from[x * width + i] * factors[i];
  }
}

#else  // by blocks of 4 x 4, as many at a time as a vector holds

// Transposes the 4 x 4 blocks of four vectors.
HWY_INLINE void transpose_blocks(Vector (&rows)[4]) {
  const Floats d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<Floats>> pairs;
  const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto b = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto c = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto e = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  rows[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a, c));
  rows[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, c));
  rows[2] = hn::BitCast(d, hn::InterleaveLower(pairs, b, e));
  rows[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, b, e));
}

// Block b is four floats of rows[4 b].
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const float* const* rows, std::int64_t x) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, rows[0] + x);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, rows + hn::MaxLanes(half), x),
                       load_blocks(half, rows, x));
  }
}

template <class D>
HWY_INLINE void store_blocks(D d, hn::Vec<D> blocks, float* const* rows, std::int64_t x) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    hn::StoreU(blocks, d, rows[0] + x);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, blocks), rows, x);
    store_blocks(half, hn::UpperHalf(half, blocks), rows + hn::MaxLanes(half), x);
  }
}

template <class Row>
HWY_INLINE void transpose_in(Row row, std::int64_t count, std::int64_t units, std::int64_t width,
                             std::uint32_t flip, float* HWY_RESTRICT to, std::int64_t pitch = 0) {
  pitch = std::max(pitch, width);
  const Floats d;
  const auto bits = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<Floats>(), flip));
  for (std::int64_t i = 0; i < width; i += lanes()) {
    const float* from[hn::MaxLanes(Floats())];
    for (std::int64_t r = 0; r < lanes(); ++r) from[r] = row(i + r < count ? i + r : 0);
    const auto live = hn::FirstN(d, static_cast<std::size_t>(std::max<std::int64_t>(0, count - i)));
    for (std::int64_t x = 0; x < units; x += 4) {
      Vector block[4];
      for (std::size_t r = 0; r < 4; ++r) block[r] = hn::Xor(load_blocks(d, from + r, x), bits);
      transpose_blocks(block);
      for (std::int64_t r = 0; r < 4; ++r)
        hn::Store(hn::IfThenElseZero(live, block[r]), d, to + (x + r) * pitch + i);
    }
  }
}

template <class Row>
HWY_INLINE void transpose_out(const float* HWY_RESTRICT from, std::int64_t count, std::int64_t dim,
                              std::int64_t width, const float* factors, Row row) {
  const Floats d;
  float unused[kMaxHeadDim];  // rows from `count` on
  for (std::int64_t i = 0; i < count; i += lanes()) {
    float* to[hn::MaxLanes(Floats())];
    for (std::int64_t r = 0; r < lanes(); ++r) to[r] = i + r < count ? row(i + r) : unused;
    const Vector factor = hn::Load(d, factors + i);
    for (std::int64_t x = 0; x < dim; x += 4) {
      Vector block[4];
      for (std::int64_t r = 0; r < 4; ++r)
        block[r] = hn::Mul(hn::Load(d, from + (x + r) * width + i), factor);
      if (dim - x >= 4) {
        transpose_blocks(block);
        for (std::size_t r = 0; r < 4; ++r) store_blocks(d, block[r], to + r, x);
      } else {
        for (std::int64_t r = 0; r < dim - x; ++r)
          for (std::int64_t lane = 0; lane < lanes(); ++lane)
            to[lane][x + r] = hn::ExtractLane(block[r], static_cast<std::size_t>(lane));
      }
    }
  }
}

#endif  // HWY_SCALAR

// Returns |scale| log2(e), which turns a product into the exponent of a power of two. The sign of
// the scale goes into the queries; where the scale is 0 they are 0, and this is 1. It is never 0,
// since it multiplies scores of -inf.
HWY_INLINE float folded_scale(double scale) {
  return scale == 0.0 ? 1.0f
                      : std::max(std::numeric_limits<float>::min(),
                                 static_cast<float>(std::abs(scale) * std::numbers::log2e));
}

// Holds what a row begins with: nothing, or what its output holds of other keys.
struct RowState {
  float largest = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;
};

HWY_INLINE RowState state_of(const FlashTile& tile, std::int64_t row) {
  if (!tile.resumes) return {};
  const RowLse lse = load_lse(tile.lse, tile.batch, tile.head(row), tile.token(row));
  if (lse.is_empty()) return {};
  return {lse.maximum, static_cast<float>(std::exp2(static_cast<double>(lse.rest)))};
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
