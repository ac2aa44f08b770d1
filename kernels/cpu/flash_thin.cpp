// A tile of flash attention with few query rows: decoding. Each row on its own, its head_dim in
// the lanes of vectors:
//
//   s_j = sum over lanes of q k_j      p_j = 2^(c s_j - c m')      o = f o + sum p_j v_j
//
// A key is read once from memory for all rows of the tile, so the speed is that of the memory: a
// float32 row of 64 costs some 20 instructions for 512 bytes.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/cpu/flash_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/flash_thin.cpp"
#include "kernels/cpu/highway_targets.h"
// After highway_targets.h
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/tile_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Floats())); }

// scores[j] = q k_j for keys [0, count); `units` is a multiple of the lanes. Returns the largest.
template <class Units>
HWY_INLINE float score_keys(const float* q, const UnitRows& keys, std::int64_t units,
                            std::int64_t count, float* scores) {
  constexpr std::int64_t kKeysAtOnce = 4;
  const Floats d;
  float largest = kMinusInfinity;
  const auto score = [&](std::int64_t j, auto at_once) {
    constexpr std::int64_t kKeys = decltype(at_once)::value;
    Vector sum[static_cast<std::size_t>(kKeys)];
    for (std::int64_t r = 0; r < kKeys; ++r) sum[r] = hn::Zero(d);
    for (std::int64_t x = 0; x < units; x += lanes()) {
      const Vector query = hn::Load(d, q + x);
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kKeys; ++r)
        sum[r] =
            Units::multiply_add(query, hn::LoadU(d, keys.data + (j + r) * keys.stride + x), sum[r]);
    }
    for (std::int64_t r = 0; r < kKeys; ++r) {
      scores[j + r] = hn::GetLane(hn::SumOfLanes(d, sum[r]));
      largest = std::max(largest, scores[j + r]);
    }
  };
  std::int64_t j = 0;
  for (; j + kKeysAtOnce <= count; j += kKeysAtOnce)
    score(j, std::integral_constant<std::int64_t, kKeysAtOnce>());
  for (; j < count; ++j) score(j, std::integral_constant<std::int64_t, 1>());
  return largest;
}

// Scores become P; returns their sum. Behind `count` there is room for a vector.
HWY_INLINE float exponentiate(float* scores, std::int64_t count, float factor, float shift) {
  const Floats d;
  std::fill_n(scores + count, lanes(), kMinusInfinity);
  Vector sum = hn::Zero(d);
  for (std::int64_t j = 0; j < count; j += lanes()) {
    const Vector p =
        exp2_fast(d, hn::MulSub(hn::Load(d, scores + j), hn::Set(d, factor), hn::Set(d, shift)));
    sum = hn::Add(sum, p);
    hn::Store(p, d, scores + j);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// out = f out + sum over keys of p_j v_j, `columns` a multiple of the lanes: C vectors of columns
// at a time.
template <std::size_t C>
HWY_INLINE void accumulate_columns(const float* p, const UnitRows& values, std::int64_t count,
                                   float factor, float* out) {
  const Floats d;
  Vector sum[C];
  for (std::size_t c = 0; c < C; ++c)
    sum[c] = hn::Mul(hn::Set(d, factor), hn::Load(d, out + c * hn::Lanes(d)));
  for (std::int64_t j = 0; j < count; ++j) {
    const Vector weight = hn::Set(d, p[j]);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c)
      sum[c] = hn::MulAdd(weight, hn::LoadU(d, values.data + j * values.stride + c * hn::Lanes(d)),
                          sum[c]);
  }
  for (std::size_t c = 0; c < C; ++c) hn::Store(sum[c], d, out + c * hn::Lanes(d));
}

HWY_INLINE void accumulate(const float* p, const UnitRows& values, std::int64_t count, float factor,
                           std::int64_t columns, float* out) {
  constexpr std::int64_t kColumns = 4;
  std::int64_t x = 0;
  for (; x + kColumns * lanes() <= columns; x += kColumns * lanes())
    accumulate_columns<kColumns>(p, {values.data + x, values.stride}, count, factor, out + x);
  for (; x < columns; x += lanes())
    accumulate_columns<1>(p, {values.data + x, values.stride}, count, factor, out + x);
}

template <class Units>
HWY_INLINE void attend_rows(const FlashTile& tile, const FlashScratch& scratch) {
  const AttentionArguments& a = *tile.arguments;
  const std::int64_t units =
      round_up(a.q.extent.head_dim, kFlashColumns * Units::kElements) / Units::kElements;
  const std::int64_t value_dim = a.v.extent.head_dim;
  const std::int64_t columns = round_up(value_dim, kFlashColumns);
  const float factor = folded_scale(a.scale);
  const hn::RebindToUnsigned<Floats> du;
  const std::uint32_t sign = Units::kElements == 2 ? 0x80008000u : 0x80000000u;
  const auto flip = hn::Set(du, a.scale < 0.0 ? sign : 0u);
  for (std::int64_t row = 0; row < tile.rows(); ++row) {
    float* const q = scratch.queries + row * units;
    const float* const from =
        unit_rows<Units>(a.q, tile.batch, tile.head(row), tile.token(row), 1, scratch.keys).data;
    for (std::int64_t x = 0; x < units; x += lanes()) {
      const auto bits = hn::Xor(hn::BitCast(du, hn::LoadU(Floats(), from + x)), flip);
      hn::Store(a.scale == 0.0 ? hn::Zero(Floats()) : hn::BitCast(Floats(), bits), Floats(), q + x);
    }
    std::fill_n(scratch.accumulator + row * columns, columns, 0.0f);
    scratch.largest[row] = kMinusInfinity;
    scratch.sum[row] = 0.0f;
  }
  for (const KeySpan& block : tile.blocks) {
    const std::int64_t count = block.end - block.begin;
    const UnitRows keys =
        unit_rows<Units>(a.k, tile.batch, tile.kv_head(), block.begin, count, scratch.keys);
    const UnitRows values = unit_rows<Float32Units>(a.v, tile.batch, tile.kv_head(), block.begin,
                                                    count, scratch.values);
    for (std::int64_t row = 0; row < tile.rows(); ++row) {
      const std::int64_t live = tile.live_keys(block, row);
      if (live == 0) continue;
      float& largest = scratch.largest[row];
      const float before = largest;
      largest = std::max(largest, score_keys<Units>(scratch.queries + row * units, keys, units,
                                                    live, scratch.scores));
      const float shift = largest == kMinusInfinity ? 0.0f : largest * factor;
      const float rescale = std::exp2(before * factor - shift);
      scratch.sum[row] =
          scratch.sum[row] * rescale + exponentiate(scratch.scores, live, factor, shift);
      accumulate(scratch.scores, values, live, rescale, columns,
                 scratch.accumulator + row * columns);
    }
  }
  for (std::int64_t row = 0; row < tile.rows(); ++row) {
    const float sum = scratch.sum[row];
    float* const out = tile.out.row_as<float>(tile.batch, tile.head(row), tile.token(row));
    const float* const accumulator = scratch.accumulator + row * columns;
    for (std::int64_t x = 0; x < value_dim; ++x) out[x] = sum == 0.0f ? 0.0f : accumulator[x] / sum;
    *tile.lse.row_as<float>(tile.batch, tile.head(row), tile.token(row)) =
        natural_lse(scratch.largest[row] * factor, sum);
  }
}

void attend_thin(const FlashTile& tile, const FlashScratch& scratch) {
#if HWY_TARGET == HWY_AVX3
  if (tile.bf16_pairs) return attend_rows<Bf16Pairs>(tile, scratch);
#endif
  attend_rows<Float32Units>(tile, scratch);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(attend_thin);
}  // namespace

void attend_thin_tile(const FlashTile& tile, const FlashScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(attend_thin)(tile, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
