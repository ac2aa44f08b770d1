// SPDX-License-Identifier: Apache-2.0
// Computes a tile of flash attention row by row: few query rows, as in decoding, or rows that each
// see a few scattered keys. Each row is computed alone, with its head_dim in the lanes of vectors:
//
//   s_j = sum over lanes of q k_j      p_j = 2^(c s_j - m')      o = f o + sum p_j v_j
//
// A key is read once from memory for all rows of the tile, and 16-bit types are widened when they
// are loaded into registers, so that memory limits the speed: a float32 row of 64 costs some 20
// instructions for 512 bytes. Keys that a row does not see are not read.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "kernels/cpu/flash_tile.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/exp2-inl.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/tile_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// The rows have a length that is a multiple of the widest vector.
template <class T>
struct Rows {
  const T* data;
  std::int64_t stride;

  [[nodiscard]] HWY_INLINE Vector load(std::int64_t row, std::int64_t x) const {
    const Floats d;
    const T* const from = data + row * stride + x;
    if constexpr (std::is_same_v<T, float>)
      return hn::LoadU(d, from);
    else
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, Floats>(), from));
  }
};

// Names rows of keys or values: consecutive ones from a first one on, or those of a list.
struct Neighbours {
  HWY_INLINE std::int64_t operator[](std::int64_t j) const { return j; }
};
using List = const std::int32_t*;

#if HWY_TARGET != HWY_SCALAR
// to[i] = sum of lane i of all 128-bit blocks.
template <class D>
HWY_INLINE void add_blocks(D d, hn::Vec<D> blocks, float* to) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    hn::StoreU(blocks, d, to);
  } else {
    const hn::Half<D> half;
    add_blocks(half, hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks)), to);
  }
}
#endif

// to[r] = sum over the lanes of sum[r], for four vectors together, which takes half as long.
HWY_INLINE void sum_lanes(const Vector (&sum)[4], float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t r = 0; r < 4; ++r) to[r] = hn::GetLane(sum[r]);
#else
  const Floats d;
  const hn::RepartitionToWide<Floats> pairs;
  const auto add_neighbours = [&](Vector a, Vector b) {
    return hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  };
  const auto low = add_neighbours(sum[0], sum[1]);
  const auto high = add_neighbours(sum[2], sum[3]);
  add_blocks(d,
             hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, low, high)),
                     hn::BitCast(d, hn::InterleaveUpper(pairs, low, high))),
             to);
#endif
}

// scores[j] = c q k_j for `count` keys, c = `factor`; q is filled up to `dim`. Returns the largest.
template <class T, class Which>
HWY_INLINE float score_keys(const float* q, const Rows<T>& keys, Which which, std::int64_t dim,
                            std::int64_t count, float factor, float* scores) {
  constexpr std::int64_t kKeysAtOnce = 4;
  const Floats d;
  float largest = kMinusInfinity;
  const auto score = [&](std::int64_t j, auto at_once) {
    constexpr auto kKeys = static_cast<std::size_t>(decltype(at_once)::value);
    Vector sum[kKeys];
    std::int64_t row[kKeys];
    for (std::size_t r = 0; r < kKeys; ++r) {
      sum[r] = hn::Zero(d);
      row[r] = which[j + static_cast<std::int64_t>(r)];
    }
    for (std::int64_t x = 0; x < dim; x += lanes()) {
      const Vector query = hn::Load(d, q + x);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kKeys; ++r)
        sum[r] = hn::MulAdd(query, keys.load(row[r], x), sum[r]);
    }
    if constexpr (std::is_same_v<Which, List> && kKeys == kKeysAtOnce)
      sum_lanes(sum, scores + j);
    else
      for (std::size_t r = 0; r < kKeys; ++r)
        scores[j + static_cast<std::int64_t>(r)] = hn::GetLane(hn::SumOfLanes(d, sum[r]));
    for (std::size_t r = 0; r < kKeys; ++r) {
      float& scaled = scores[j + static_cast<std::int64_t>(r)];
      scaled *= factor;
      largest = std::max(largest, scaled);
    }
  };
  std::int64_t j = 0;
  for (; j + kKeysAtOnce <= count; j += kKeysAtOnce)
    score(j, std::integral_constant<std::int64_t, kKeysAtOnce>());
  for (; j < count; ++j) score(j, std::integral_constant<std::int64_t, 1>());
  return largest;
}

// Turns scores into P and returns their sum. There is room for a vector after `count`.
HWY_INLINE float exponentiate(float* scores, std::int64_t count, float shift) {
  const Floats d;
  std::fill_n(scores + count, lanes(), kMinusInfinity);
  Vector sum = hn::Zero(d);
  for (std::int64_t j = 0; j < count; j += lanes()) {
    const Vector p = exp2_fast(d, hn::Sub(hn::Load(d, scores + j), hn::Set(d, shift)));
    sum = hn::Add(sum, p);
    hn::Store(p, d, scores + j);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// Columns [x, x + C vectors) of out = f out + sum over keys of p_j v_j.
template <std::size_t C, class T, class Which>
HWY_INLINE void accumulate_columns(const float* p, const Rows<T>& values, Which which,
                                   std::int64_t x, std::int64_t count, float factor, float* out) {
  const Floats d;
  Vector sum[C];
  for (std::size_t c = 0; c < C; ++c)
    sum[c] = hn::Mul(hn::Set(d, factor), hn::Load(d, out + x + c * hn::Lanes(d)));
  for (std::int64_t j = 0; j < count; ++j) {
    const Vector weight = hn::Set(d, p[j]);
    const std::int64_t row = which[j];
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c)
      sum[c] =
          hn::MulAdd(weight, values.load(row, x + static_cast<std::int64_t>(c) * lanes()), sum[c]);
  }
  for (std::size_t c = 0; c < C; ++c) hn::Store(sum[c], d, out + x + c * hn::Lanes(d));
}

template <class T, class Which>
HWY_INLINE void accumulate(const float* p, const Rows<T>& values, Which which, std::int64_t count,
                           float factor, std::int64_t columns, float* out) {
  constexpr std::int64_t kColumns = 4;
  std::int64_t x = 0;
  for (; x + kColumns * lanes() <= columns; x += kColumns * lanes())
    accumulate_columns<kColumns>(p, values, which, x, count, factor, out);
  for (; x < columns; x += lanes()) accumulate_columns<1>(p, values, which, x, count, factor, out);
}

// Gives rows of one head as the products read them: in place, or widened and filled up in `buffer`.
template <class T>
HWY_INLINE Rows<T> rows_of(const TensorView& view, const FlashTile& tile,
                           const FlashTile::Piece& piece, float* buffer) {
  if constexpr (std::is_same_v<T, float>) {
    if (view.dtype != DType::f32 || view.extent.head_dim % kFlashColumns != 0) {
      const UnitRows rows = unit_rows<Float32Units>(view, tile.batch, tile.kv_head(), piece.begin,
                                                    piece.end - piece.begin, buffer);
      return {rows.data, rows.stride};
    }
  }
  return {view.row_as<T>(tile.batch, tile.kv_head(), piece.begin), view.token_stride};
}

void begin_row(const FlashTile& tile, const FlashScratch& scratch, std::int64_t row,
               std::int64_t dim, std::int64_t columns) {
  const AttentionArguments& a = *tile.arguments;
  const UnitRows from =
      unit_rows<Float32Units>(a.q, tile.batch, tile.head(row), tile.token(row), 1, scratch.keys);
  const float sign = a.scale == 0.0 ? 0.0f : (a.scale < 0.0 ? -1.0f : 1.0f);
  for (std::int64_t x = 0; x < dim; ++x) scratch.queries[row * dim + x] = from.data[x] * sign;
  float* const accumulator = scratch.accumulator + row * columns;
  std::fill_n(accumulator, columns, 0.0f);
  const RowState state = state_of(tile, row);
  scratch.largest[row] = state.largest;
  scratch.sum[row] = state.sum;
  if (state.sum == 0.0f) return;
  const float* const out = tile.out.row_as<float>(tile.batch, tile.head(row), tile.token(row));
  for (std::int64_t x = 0; x < tile.out.extent.head_dim; ++x) accumulator[x] = out[x] * state.sum;
}

void finish_row(const FlashTile& tile, const FlashScratch& scratch, std::int64_t row,
                std::int64_t columns) {
  const float sum = scratch.sum[row];
  float* const out = tile.out.row_as<float>(tile.batch, tile.head(row), tile.token(row));
  const float* const accumulator = scratch.accumulator + row * columns;
  for (std::int64_t x = 0; x < tile.out.extent.head_dim; ++x)
    out[x] = sum == 0.0f ? 0.0f : accumulator[x] / sum;
  store_lse(tile.lse, tile.batch, tile.head(row), tile.token(row),
            lse_of_sum(scratch.largest[row], sum));
}

// Adds `count` scores to a row's statistics, turns them into P and returns the factor f.
HWY_INLINE float absorb_scores(const FlashScratch& scratch, std::int64_t row, std::int64_t count,
                               float scores_largest) {
  float& largest = scratch.largest[row];
  const float before = largest;
  largest = std::max(largest, scores_largest);
  const float shift = largest == kMinusInfinity ? 0.0f : largest;
  // The factor is exactly 1 where nothing changes.
  const float rescale = before == shift ? 1.0f : std::exp2(before - shift);
  scratch.sum[row] = scratch.sum[row] * rescale + exponentiate(scratch.scores, count, shift);
  return rescale;
}

// Computes one row over the keys of a piece that it sees: runs of neighbours, scored side by side.
template <class T>
HWY_INLINE void attend_runs(const FlashTile& tile, const FlashScratch& scratch, std::int64_t row,
                            const FlashTile::Piece& piece, const Rows<T>& keys,
                            const Rows<T>& values) {
  const AttentionArguments& a = *tile.arguments;
  const std::int64_t dim = round_up(a.q.extent.head_dim, kFlashColumns);
  const std::int64_t columns = round_up(a.v.extent.head_dim, kFlashColumns);
  const Range live = piece.span->live(tile.token(row));
  const std::int64_t begin = std::max(live.begin, piece.begin);
  const std::int64_t count = std::min(live.end, piece.end) - begin;
  if (count <= 0) return;
  const auto from_first = [&](const Rows<T>& rows) {
    return Rows<T>{rows.data + (begin - piece.begin) * rows.stride, rows.stride};
  };
  const float largest = score_keys(scratch.queries + row * dim, from_first(keys), Neighbours(), dim,
                                   count, folded_scale(a.scale), scratch.scores);
  const float rescale = absorb_scores(scratch, row, count, largest);
  accumulate(scratch.scores, from_first(values), Neighbours(), count, rescale, columns,
             scratch.accumulator + row * columns);
}

// Lists the keys that a row sees, counted from the piece's first; the list has room for more.
HWY_INLINE std::int64_t list_keys(const std::uint64_t* bits, const FlashTile::Piece& piece,
                                  std::int32_t* list) {
  constexpr int kAtOnce = 4;
  const std::int64_t first = piece.begin - piece.span->begin;
  const std::int64_t end = piece.end - piece.span->begin;
  std::int64_t count = 0;
  for (std::int64_t w = first / 64; w * 64 < end; ++w) {
    std::uint64_t word = bits[w];
    if (w * 64 < first) word &= ~std::uint64_t{0} << (first - w * 64);
    if (end - w * 64 < 64) word &= (std::uint64_t{1} << (end - w * 64)) - 1;
    // Several bits are listed without a test, because its branch would mostly be predicted wrong.
    std::int32_t* to = list + count;
    count += std::popcount(word);
    do {
      for (int i = 0; i < kAtOnce; ++i, word &= word - 1)
        *to++ = static_cast<std::int32_t>(w * 64 + std::countr_zero(word) - first);
    } while (word != 0);
  }
  return count;
}

// Computes one row over the scattered keys of a piece that it sees.
template <class T>
HWY_INLINE void attend_bits(const FlashTile& tile, const FlashScratch& scratch, std::int64_t row,
                            const FlashTile::Piece& piece, const Rows<T>& keys,
                            const Rows<T>& values) {
  const AttentionArguments& a = *tile.arguments;
  const std::int64_t dim = round_up(a.q.extent.head_dim, kFlashColumns);
  const std::int64_t columns = round_up(a.v.extent.head_dim, kFlashColumns);
  std::int32_t list[kFlashRowKeys + 8];
  const std::int64_t count =
      list_keys(a.schedule->row_bits(*piece.span, tile.token(row)), piece, list);
  if (count == 0) return;
  std::fill_n(list + count, 3, list[count - 1]);  // repeats the last one to fill up a group
  const List which = list;
  const float largest = score_keys(scratch.queries + row * dim, keys, which, dim,
                                   round_up(count, 4), folded_scale(a.scale), scratch.scores);
  const float rescale = absorb_scores(scratch, row, count, largest);
  accumulate(scratch.scores, values, which, count, rescale, columns,
             scratch.accumulator + row * columns);
}

template <class T>
HWY_INLINE void attend_rows(const FlashTile& tile, const FlashScratch& scratch) {
  const AttentionArguments& a = *tile.arguments;
  const std::int64_t dim = round_up(a.q.extent.head_dim, kFlashColumns);
  const std::int64_t columns = round_up(a.v.extent.head_dim, kFlashColumns);
  for (std::int64_t row = 0; row < tile.rows(); ++row) begin_row(tile, scratch, row, dim, columns);
  for (const FlashTile::Block& block : tile.blocks)
    for (const FlashTile::Piece& piece : block) {
      const Rows<T> keys = rows_of<T>(a.k, tile, piece, scratch.keys);
      const Rows<T> values = rows_of<T>(a.v, tile, piece, scratch.values);
      for (std::int64_t row = 0; row < tile.rows(); ++row)
        if (piece.span->kind == SpanKind::bits)
          attend_bits(tile, scratch, row, piece, keys, values);
        else
          attend_runs(tile, scratch, row, piece, keys, values);
    }
  for (std::int64_t row = 0; row < tile.rows(); ++row) finish_row(tile, scratch, row, columns);
}

void attend_thin(const FlashTile& tile, const FlashScratch& scratch) {
  const AttentionArguments& a = *tile.arguments;
  const bool whole_vectors =
      a.k.extent.head_dim % kFlashColumns == 0 && a.v.extent.head_dim % kFlashColumns == 0;
  if (whole_vectors && a.k.dtype == DType::f16) return attend_rows<hwy::float16_t>(tile, scratch);
  if (whole_vectors && a.k.dtype == DType::bf16) return attend_rows<hwy::bfloat16_t>(tile, scratch);
  attend_rows<float>(tile, scratch);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(attend_thin);

void attend_thin_tile(const FlashTile& tile, const FlashScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(attend_thin)(tile, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
