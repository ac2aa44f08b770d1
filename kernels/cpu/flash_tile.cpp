// A tile of flash attention with the query rows in the lanes of vectors.
//
// Scores are held transposed, keys down and query rows across: a group of up to three vectors of
// rows goes through a block of keys as
//
//   S^T = K Q^T              K read unit by unit where it lies, Q^T packed once for the tile
//   m'  = max(m, c max S)    down the columns: no vector is ever summed up or searched across
//   P   = 2^(c S - m')       f = 2^(m - m'),  c = scale log2(e)
//   l   = f l + sum P
//   O^T = f O^T + V^T P      V read unit by unit where it lies
//
// and at the end O / l, LSE = (m + log2 l) log 2, transposed back. So float32 keys and values are
// neither packed nor copied, and what a group streams from the second-level cache is its keys and
// values once, two bytes a cycle.
//
// In pairs of bf16 the products read K as it is, and V with every two rows interleaved; S, the
// statistics and O stay float32, P is rounded to bf16.
#include "kernels/cpu/flash_tile.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/flash_tile.cpp"
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

constexpr auto kRows = static_cast<std::int64_t>(kRowBlock);

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Floats())); }

// The keys of a block as the products read them, for all groups of a tile.
struct BlockRows {
  UnitRows keys;
  UnitRows values;  // for pairs: [pair of keys][e]
};

// One group of query rows: V vectors of them.
template <std::size_t V>
struct Group {
  float* queries;          // [units][V vectors]
  float* accumulator;      // [e][V vectors]
  float* largest;          // [V vectors] m
  float* sum;              // [V vectors]
  std::int64_t units;      // depth of Q K^T
  std::int64_t value_dim;  // e
  float factor;            // c
};

// The two products stand in functions of their own, with what they share in memory: inlined into
// their loops they would be short of registers, and one spilt vector costs a tenth of the speed.

// S^T of R keys; `largest`: [V vectors] the columns' maxima so far.
template <class Units, std::size_t R, std::size_t V>
HWY_NOINLINE void score_keys(const Group<V>& group, const UnitRows& keys, std::int64_t key,
                             float* scores, float* largest) {
  const Floats d;
  Vector sum[R][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  multiply_tile<Units>(d, RowUnits<R>(keys.data + key * keys.stride, keys.stride), group.queries,
                       group.units, sum);
  const std::size_t width = V * hn::Lanes(d);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      hn::Store(sum[r][v], d,
                scores + (static_cast<std::size_t>(key) + r) * width + v * hn::Lanes(d));
    }
#pragma GCC unroll 16
  for (std::size_t v = 0; v < V; ++v) {
    Vector most = hn::Load(d, largest + v * hn::Lanes(d));
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) most = hn::Max(most, sum[r][v]);
    hn::Store(most, d, largest + v * hn::Lanes(d));
  }
}

// O^T = f O^T + V^T P for value columns [x, x + kRowBlock).
// factors: f, [V vectors].
template <class Units, std::size_t V>
HWY_NOINLINE void accumulate_columns(const Group<V>& group, const UnitRows& values, std::int64_t x,
                                     const float* probabilities, std::int64_t depth,
                                     const float* factors) {
  const Floats d;
  const std::size_t width = V * hn::Lanes(d);
  float* const out = group.accumulator + static_cast<std::size_t>(x) * width;
  Vector sum[kRowBlock][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRowBlock; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v)
      sum[r][v] = hn::Mul(hn::Load(d, factors + v * hn::Lanes(d)),
                          hn::Load(d, out + r * width + v * hn::Lanes(d)));
  multiply_tile<Units>(d, ColumnUnits{values.data + x, values.stride}, probabilities, depth, sum);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRowBlock; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) hn::Store(sum[r][v], d, out + r * width + v * hn::Lanes(d));
}

// Scores of keys that a row does not see become -inf; `largest` is found anew. live: [V vectors]
// keys that each row sees, the first all_live of which are seen by every row.
template <std::size_t V>
HWY_INLINE void mask_scores(float* scores, std::int64_t keys, const std::int32_t* live,
                            std::int64_t all_live, float* largest) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const std::size_t width = V * hn::Lanes(d);
  for (std::size_t v = 0; v < V; ++v) {
    const auto rows_live = hn::Load(di, live + v * hn::Lanes(d));
    Vector most = hn::Set(d, kMinusInfinity);
    float* s = scores + v * hn::Lanes(d);
    for (std::int64_t j = 0; j < keys; ++j, s += width) {
      auto score = hn::Load(d, s);
      if (j >= all_live) {
        const auto seen = hn::Gt(rows_live, hn::Set(di, static_cast<std::int32_t>(j)));
        score = hn::IfThenElse(hn::RebindMask(d, seen), score, hn::Set(d, kMinusInfinity));
        hn::Store(score, d, s);
      }
      most = hn::Max(most, score);
    }
    hn::Store(most, d, largest + v * hn::Lanes(d));
  }
}

// P of two keys of one vector of rows, as the second product reads it.
template <class Units>
HWY_INLINE void store_pair(Vector even, Vector odd, std::size_t width, float* to) {
  const Floats d;
  if constexpr (Units::kElements == 1) {
    hn::Store(even, d, to);
    hn::Store(odd, d, to + width);
  } else {
#if HWY_TARGET == HWY_AVX3
    // Interleaves the 16 bf16 of the even key with those of the odd one.
    alignas(64) static constexpr std::uint16_t kInterleave[32] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd.raw, even.raw));
    _mm512_store_si512(to, _mm512_permutexvar_epi16(_mm512_load_si512(kInterleave), both));
#endif
  }
}

// P = 2^(c S - shift) in place (pairs: in half the space), and its sums.
template <class Units, std::size_t V>
HWY_INLINE void exponentiate(float* scores, std::int64_t keys, float factor,
                             const Vector (&shift)[V], Vector (&sum)[V]) {
  const Floats d;
  const std::size_t width = V * hn::Lanes(d);
  const auto c = hn::Set(d, factor);
  for (std::size_t v = 0; v < V; ++v) sum[v] = hn::Zero(d);
  for (std::int64_t j = 0; j < keys; j += 2) {
    const float* const from = scores + static_cast<std::size_t>(j) * width;
    float* const to = scores + static_cast<std::size_t>(j / Units::kElements) * width;
    const bool last = j + 1 == keys;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) {
      const std::size_t at = v * hn::Lanes(d);
      const Vector even = exp2_fast(d, hn::MulSub(hn::Load(d, from + at), c, shift[v]));
      const Vector odd =
          last ? hn::Zero(d)
               : exp2_fast(d, hn::MulSub(hn::Load(d, from + width + at), c, shift[v]));
      sum[v] = hn::Add(sum[v], hn::Add(even, odd));
      store_pair<Units>(even, odd, width, to + at);
    }
  }
}

// `keys` of the block's keys, the most that a row of the group sees, with their masks.
template <class Units, std::size_t V>
HWY_INLINE void attend_block(const Group<V>& group, const BlockRows& block, std::int64_t keys,
                             const std::int32_t* live, std::int64_t all_live, float* scores) {
  const Floats d;
  alignas(64) float largest[kFlashGroupRows];
  alignas(64) float factors[kFlashGroupRows];
  std::fill_n(largest, V * hn::Lanes(d), kMinusInfinity);
  std::int64_t key = 0;
  for (; key + kRows <= keys; key += kRows)
    score_keys<Units, kRowBlock>(group, block.keys, key, scores, largest);
  for (; key < keys; ++key) score_keys<Units, 1>(group, block.keys, key, scores, largest);
  if (all_live < keys) mask_scores<V>(scores, keys, live, all_live, largest);

  const auto c = hn::Set(d, group.factor);
  Vector shift[V];
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = v * hn::Lanes(d);
    const Vector before = hn::Load(d, group.largest + at);
    const Vector most = hn::Max(hn::Mul(hn::Load(d, largest + at), c), before);
    hn::Store(most, d, group.largest + at);
    // While every score is -inf, -inf - 0 is what exp2 takes to 0.
    const auto none = hn::Eq(most, hn::Set(d, kMinusInfinity));
    shift[v] = hn::IfThenElse(none, hn::Zero(d), most);
    // Of two shifts as they were used, so that it is exactly 1 where nothing changes: a ten
    // millionth more a block would be a per mille after ten thousand blocks.
    hn::Store(exp2_fast(d, hn::Sub(before, shift[v])), d, factors + at);
  }
  Vector sum[V];
  exponentiate<Units, V>(scores, keys, group.factor, shift, sum);
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = v * hn::Lanes(d);
    const Vector before = hn::Load(d, group.sum + at);
    hn::Store(hn::MulAdd(before, hn::Load(d, factors + at), sum[v]), d, group.sum + at);
  }
  const std::int64_t depth = (keys + Units::kElements - 1) / Units::kElements;
  for (std::int64_t x = 0; x < group.value_dim; x += kRows)
    accumulate_columns<Units, V>(group, block.values, x, scores, depth, factors);
}

// A tile with its rows cut into groups of kVectorBlock vectors, the last of fewer.
template <class Units>
class Tile {
 public:
  Tile(const FlashTile& tile, const FlashScratch& scratch)
      : tile_(tile),
        scratch_(scratch),
        units_((tile.arguments->q.extent.head_dim + Units::kElements - 1) / Units::kElements),
        value_dim_(tile.arguments->v.extent.head_dim),
        factor_(folded_scale(tile.arguments->scale)) {}

  HWY_INLINE void attend() {
    begin();
    for (const KeySpan& block : tile_.blocks) {
      const BlockRows rows = block_rows(block);
      for (std::int64_t row = 0; row < tile_.rows(); row += group_rows()) {
        with_group(row, [&](const auto& group, std::int64_t width) {
          attend_group(group, row, width, block, rows);
        });
      }
    }
    finish();
  }

 private:
  static HWY_INLINE std::int64_t group_rows() {
    return static_cast<std::int64_t>(kVectorBlock) * lanes();
  }

  // Calls function(group of so many vectors as there are rows, its width) for the group at `row`.
  template <class Function>
  HWY_INLINE void with_group(std::int64_t row, Function function) {
    const std::int64_t vectors = std::min(static_cast<std::int64_t>(kVectorBlock),
                                          (tile_.rows() - row + lanes() - 1) / lanes());
    if (vectors == 1)
      function(group_of<1>(row), lanes());
    else if (vectors == 2)
      function(group_of<2>(row), 2 * lanes());
    else
      function(group_of<kVectorBlock>(row), group_rows());
  }

  template <std::size_t V>
  HWY_INLINE Group<V> group_of(std::int64_t row) {
    return {scratch_.queries + row * round_up(units_, kFlashColumns),
            scratch_.accumulator + row * round_up(value_dim_, kFlashColumns),
            scratch_.largest + row,
            scratch_.sum + row,
            units_,
            value_dim_,
            factor_};
  }

  HWY_INLINE void begin() {
    const AttentionArguments& a = *tile_.arguments;
    const std::int64_t units = round_up(units_, kFlashColumns);
    const std::uint32_t flip = Units::kElements == 2 ? 0x80008000u : 0x80000000u;
    for (std::int64_t row = 0; row < tile_.rows(); row += group_rows())
      with_group(row, [&](const auto& group, std::int64_t width) {
        const std::int64_t count = a.scale == 0.0 ? 0 : std::min(width, tile_.rows() - row);
        transpose_in(
            [&](std::int64_t i) {
              return unit_rows<Units>(a.q, tile_.batch, tile_.head(row + i), tile_.token(row + i),
                                      1, scratch_.keys + i * units)
                  .data;
            },
            count, units, width, a.scale < 0.0 ? flip : 0u, group.queries);
        std::fill_n(group.accumulator, round_up(value_dim_, kFlashColumns) * width, 0.0f);
        std::fill_n(group.largest, width, kMinusInfinity);
        std::fill_n(group.sum, width, 0.0f);
      });
  }

  HWY_INLINE BlockRows block_rows(const KeySpan& block) {
    const AttentionArguments& a = *tile_.arguments;
    const std::int64_t count = block.end - block.begin;
    const UnitRows keys =
        unit_rows<Units>(a.k, tile_.batch, tile_.kv_head(), block.begin, count, scratch_.keys);
    if constexpr (Units::kElements == 2) {
      const std::int64_t stride = round_up(value_dim_, kFlashColumns);
      pair_rows(a.v, tile_.batch, tile_.kv_head(), block.begin, count, stride, scratch_.values);
      return {keys, {scratch_.values, stride}};
    } else {
      return {keys, unit_rows<Units>(a.v, tile_.batch, tile_.kv_head(), block.begin, count,
                                     scratch_.values)};
    }
  }

  template <std::size_t V>
  HWY_INLINE void attend_group(const Group<V>& group, std::int64_t row, std::int64_t width,
                               const KeySpan& block, const BlockRows& rows) {
    alignas(64) std::int32_t live[kFlashGroupRows] = {};
    std::int64_t most = block.end - block.begin;
    std::int64_t least = most;
    if (block.kind != SpanKind::full) {
      most = 0;
      for (std::int64_t i = 0; i < width; ++i) {
        const std::int64_t keys = tile_.live_keys(block, std::min(row + i, tile_.rows() - 1));
        live[i] = static_cast<std::int32_t>(keys);
        most = std::max(most, keys);
        least = std::min(least, keys);
      }
      if (most == 0) return;
    }
    attend_block<Units, V>(group, rows, most, live, least, scratch_.scores);
  }

  HWY_INLINE void finish() {
    for (std::int64_t row = 0; row < tile_.rows(); row += group_rows())
      with_group(row, [&](const auto& group, std::int64_t width) {
        const std::int64_t count = std::min(width, tile_.rows() - row);
        alignas(64) float inverse[kFlashGroupRows];
        for (std::int64_t i = 0; i < width; ++i) {
          const float sum = group.sum[i];
          inverse[i] = sum > 0.0f ? 1.0f / sum : (sum == 0.0f ? 0.0f : sum);
          if (i < count) *lse(row + i) = natural_lse(group.largest[i], sum);
        }
        transpose_out(group.accumulator, count, value_dim_, width, inverse, [&](std::int64_t i) {
          return tile_.out.row_as<float>(tile_.batch, tile_.head(row + i), tile_.token(row + i));
        });
      });
  }

  [[nodiscard]] HWY_INLINE float* lse(std::int64_t row) const {
    return tile_.lse.row_as<float>(tile_.batch, tile_.head(row), tile_.token(row));
  }

  const FlashTile& tile_;
  const FlashScratch& scratch_;
  const std::int64_t units_;
  const std::int64_t value_dim_;
  const float factor_;
};

void attend(const FlashTile& tile, const FlashScratch& scratch) {
#if HWY_TARGET == HWY_AVX3
  if (tile.bf16_pairs) return Tile<Bf16Pairs>(tile, scratch).attend();
#endif
  Tile<Float32Units>(tile, scratch).attend();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(attend);
}  // namespace

void attend_tile(const FlashTile& tile, const FlashScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(attend)(tile, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
