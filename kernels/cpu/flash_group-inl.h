// SPDX-License-Identifier: Apache-2.0
// Computes flash attention of one group of query rows with a block of keys; flash_tile.cpp explains
// how these steps work together.
#if defined(QB_KERNELS_CPU_FLASH_GROUP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_FLASH_GROUP_INL_H
#undef QB_KERNELS_CPU_FLASH_GROUP_INL_H
#else
#define QB_KERNELS_CPU_FLASH_GROUP_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/flash_tile.h"
#include "kernels/cpu/tile_product-inl.h"
#include "kernels/cpu/tile_registers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

constexpr auto kRows = static_cast<std::int64_t>(kRowBlock);

// Keys of a piece that some row of a group sees, neighbours in memory and among the scores.
struct Run {
  // Holds the keys of a piece as the products read them, for all groups of a tile.
  struct Rows {
    UnitRows keys;
    UnitRows values;  // for pairs: [pair of keys][e]; for tiles: [e][pair of keys]
  };

  struct Mask {
    alignas(64) std::int32_t first[kFlashGroupRows];  // counted from the run's first key
    alignas(64) std::int32_t end[kFlashGroupRows];
    std::int32_t latest_first;  // over the rows: keys [latest_first, earliest_end) need no mask
    std::int32_t earliest_end;
    // For spans of bits, each row has its words and the bit of the run's first key instead.
    const std::uint64_t* words[kFlashGroupRows];
    std::int64_t first_bit;
    bool bits;
  };

  Rows rows;
  std::int64_t count;
  std::int64_t at;  // position of the first score; a multiple of Units::kKeys
  // Keys from seen[v] on are seen by no row of the vectors up to v: of a causal mask's last keys
  // most vectors see none. Steps of keys, the last one ends with the run.
  std::int64_t seen[kVectorBlock];
};

// One group of query rows fills V vectors.
template <std::size_t V>
struct Group {
  float* queries;          // [units][V vectors]
  float* accumulator;      // [e][V vectors]
  float* largest;          // [V vectors] m, the largest c S
  float* sum;              // [V vectors]
  std::int64_t units;      // depth of Q K^T
  std::int64_t value_dim;  // e
  float factor;            // c
};

// The two products are functions of their own that share data through memory: inlined into their
// loops they would be short of registers, and one spilled vector costs a tenth of the speed.

// Computes S^T of R keys and of the vectors from First on. `largest` [V vectors] holds the maxima
// of the columns so far.
template <class Units, std::size_t R, std::size_t First, std::size_t V>
HWY_NOINLINE void score_keys(const Group<V>& group, const UnitRows& keys, std::int64_t key,
                             float* scores, float* largest) {
  const Floats d;
  constexpr std::size_t kVectors = V - First;
  const std::size_t width = V * hn::Lanes(d);
  scores += First * hn::Lanes(d);
  largest += First * hn::Lanes(d);
  Vector sum[R][kVectors];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  multiply_tile<Units>(d, RowUnits<R>(keys.data + key * keys.stride, keys.stride),
                       group.queries + First * hn::Lanes(d), width, group.units, sum);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(sum[r][v], d,
                scores + (static_cast<std::size_t>(key) + r) * width + v * hn::Lanes(d));
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) {
    Vector most = hn::Load(d, largest + v * hn::Lanes(d));
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) most = hn::Max(most, sum[r][v]);
    hn::Store(most, d, largest + v * hn::Lanes(d));
  }
}

// Computes O^T = f O^T + V^T P for value columns [x, x + kRowBlock) and the vectors from First on.
// `factors` is f, [V vectors].
// V^T P is summed apart: its many small terms would lose digits beside an O that has grown for a
// whole sequence.
template <class Units, std::size_t First, std::size_t V>
HWY_NOINLINE void accumulate_columns(const Group<V>& group, const UnitRows& values, std::int64_t x,
                                     const float* probabilities, std::int64_t depth,
                                     const float* factors) {
  const Floats d;
  const std::size_t width = V * hn::Lanes(d);
  constexpr std::size_t kVectors = V - First;
  const std::size_t first = First * hn::Lanes(d);
  float* const out = group.accumulator + static_cast<std::size_t>(x) * width + first;
  Vector sum[kRowBlock][kVectors];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRowBlock; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  multiply_tile<Units>(d, ColumnUnits{values.data + x, values.stride}, probabilities + first, width,
                       depth, sum);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRowBlock; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* const to = out + r * width + v * hn::Lanes(d);
      const Vector factor = hn::Load(d, factors + first + v * hn::Lanes(d));
      hn::Store(hn::MulAdd(factor, hn::Load(d, to), sum[r][v]), d, to);
    }
}

// Sets the scores of keys that a row does not see to -inf and computes `largest` again.
template <std::size_t V>
HWY_INLINE void mask_scores(float* scores, std::int64_t keys, const Run::Mask& mask,
                            float* largest) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const std::size_t width = V * hn::Lanes(d);
  const auto none = hn::Set(d, kMinusInfinity);
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t lane = v * hn::Lanes(d);
    const auto first = hn::Load(di, mask.first + lane);
    const auto end = hn::Load(di, mask.end + lane);
    Vector most = none;
    float* s = scores + lane;
    for (std::int64_t j = 0; j < keys; ++j, s += width) {
      Vector score = hn::Load(d, s);
      if (j < mask.latest_first || j >= mask.earliest_end) {
        const auto key = hn::Set(di, static_cast<std::int32_t>(j));
        const auto seen = hn::AndNot(hn::Lt(key, first), hn::Lt(key, end));
        score = hn::IfThenElse(hn::RebindMask(d, seen), score, none);
        hn::Store(score, d, s);
      }
      most = hn::Max(most, score);
    }
    hn::Store(most, d, largest + lane);
  }
}

template <std::size_t V>
HWY_INLINE void mask_scores_by_bits(float* scores, std::int64_t keys, const Run::Mask& mask,
                                    float* largest) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const std::size_t width = V * hn::Lanes(d);
  const auto none = hn::Set(d, kMinusInfinity);
  Vector most[V];
  for (std::size_t v = 0; v < V; ++v) most[v] = none;
  alignas(64) std::int32_t halves[kFlashGroupRows];
  for (std::int64_t j = 0; j < keys;) {
    const std::int64_t bit = mask.first_bit + j;
    for (std::size_t i = 0; i < width; ++i)
      halves[i] = static_cast<std::int32_t>(mask.words[i][bit / 64] >> (bit % 64 / 32 * 32));
    for (std::int64_t b = bit % 32; b < 32 && j < keys; ++b, ++j) {
      const auto one = hn::Set(di, static_cast<std::int32_t>(std::uint32_t{1} << b));
      float* const s = scores + static_cast<std::size_t>(j) * width;
      for (std::size_t v = 0; v < V; ++v) {
        const std::size_t lane = v * hn::Lanes(d);
        const auto seen = hn::TestBit(hn::Load(di, halves + lane), one);
        const Vector score = hn::IfThenElse(hn::RebindMask(d, seen), hn::Load(d, s + lane), none);
        hn::Store(score, d, s + lane);
        most[v] = hn::Max(most[v], score);
      }
    }
  }
  for (std::size_t v = 0; v < V; ++v) hn::Store(most[v], d, largest + v * hn::Lanes(d));
}

// Packs P of two keys of one vector of rows, as the second product reads it.
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

// Computes P = 2^(c S - shift) in place (for pairs in half the space), and its sums. c S is rounded
// before the shift is subtracted: a difference of a product that is not rounded and of a maximum
// that is would be off by half of the maximum's last place. `keys` is even.
template <class Units, std::size_t V>
HWY_INLINE void exponentiate(float* scores, std::int64_t keys, float c, const Vector (&shift)[V],
                             Vector (&sum)[V]) {
  const Floats d;
  const std::size_t width = V * hn::Lanes(d);
  const Vector factor = hn::Set(d, c);
  for (std::size_t v = 0; v < V; ++v) sum[v] = hn::Zero(d);
  for (std::int64_t j = 0; j < keys; j += 2) {
    const float* const from = scores + static_cast<std::size_t>(j) * width;
    float* const to = scores + static_cast<std::size_t>(j / Units::kElements) * width;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) {
      const std::size_t at = v * hn::Lanes(d);
      const Vector first = hn::Mul(hn::Load(d, from + at), factor);
      const Vector second = hn::Mul(hn::Load(d, from + width + at), factor);
      const Vector even = exp2_fast(d, hn::Sub(first, shift[v]));
      const Vector odd = exp2_fast(d, hn::Sub(second, shift[v]));
      sum[v] = hn::Add(sum[v], hn::Add(even, odd));
      store_pair<Units>(even, odd, width, to + at);
    }
  }
}

// Fills in which keys of a run the vectors see.
template <std::size_t V>
HWY_INLINE void find_seen(const Run::Mask* mask, Run& run) {
  std::fill_n(run.seen, V, run.count);
  if (mask == nullptr || mask->bits) return;
  const std::size_t lanes_each = hn::Lanes(Floats());
  std::int64_t seen = 0;
  for (std::size_t v = 0; v + 1 < V; ++v) {
    for (std::size_t i = v * lanes_each; i < (v + 1) * lanes_each; ++i)
      seen = std::max(seen, std::int64_t{mask->end[i]});
    run.seen[v] = std::min(run.count, round_up(seen, kFlashKeyStep));
  }
}

// Calls function(first vector, its keys) for the parts of a run whose keys the vectors from that
// one on see.
template <std::size_t V, std::size_t First = 0, class Function>
HWY_INLINE void for_each_part(const Run& run, Function function) {
  const std::int64_t begin = First == 0 ? 0 : run.seen[First - 1];
  if (First == 0 || begin < run.seen[First])
    function(std::integral_constant<std::size_t, First>(), Range{begin, run.seen[First]});
  if constexpr (First + 1 < V) for_each_part<V, First + 1>(run, function);
}

// Computes the scores of a run, masked where `mask` is set; `largest` covers the block so far.
template <class Units, std::size_t V>
HWY_INLINE void score_run(const Group<V>& group, Run& run, const Run::Mask* mask, float* scores,
                          float* largest) {
  const Floats d;
  alignas(64) float of_run[kFlashGroupRows];
  std::fill_n(of_run, V * hn::Lanes(d), kMinusInfinity);
  if constexpr (Units::kTiles) {
    Units::template score<V>(group.queries, group.units, run.rows.keys, run.count, scores, of_run);
  } else {
    find_seen<V>(mask, run);
    for_each_part<V>(run, [&](auto first, const Range& keys) {
      constexpr std::size_t kFirst = decltype(first)::value;
      std::int64_t key = keys.begin;
      for (; key + kRows <= keys.end; key += kRows)
        score_keys<Units, kRowBlock, kFirst>(group, run.rows.keys, key, scores, of_run);
      for (; key < keys.end; ++key)
        score_keys<Units, 1, kFirst>(group, run.rows.keys, key, scores, of_run);
    });
  }
  if (mask != nullptr && mask->bits)
    mask_scores_by_bits<V>(scores, run.count, *mask, of_run);
  else if (mask != nullptr)
    mask_scores<V>(scores, run.count, *mask, of_run);
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = v * hn::Lanes(d);
    hn::Store(hn::Max(hn::Load(d, largest + at), hn::Load(d, of_run + at)), d, largest + at);
  }
}

// Handles the runs of a block that is scored already: `keys` scores, whose maxima are `largest`.
template <class Units, std::size_t V>
HWY_INLINE void attend_scored(const Group<V>& group, std::span<const Run> runs, std::int64_t keys,
                              const float* largest, float* scores) {
  const Floats d;
  alignas(64) float factors[kFlashGroupRows];
  const Vector factor = hn::Set(d, group.factor);
  Vector shift[V];
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = v * hn::Lanes(d);
    const Vector before = hn::Load(d, group.largest + at);
    const Vector most = hn::Max(hn::Mul(hn::Load(d, largest + at), factor), before);
    hn::Store(most, d, group.largest + at);
    // While every score is -inf the shift is 0, because exp2 takes -inf - 0 to 0.
    const auto none = hn::Eq(most, hn::Set(d, kMinusInfinity));
    shift[v] = hn::IfThenElse(none, hn::Zero(d), most);
    // The factor is made of the two shifts as they were used, so that it is exactly 1 where they
    // are equal: an error of 1e-7 a block would be 1e-3 after ten thousand blocks.
    hn::Store(exp2_fast(d, hn::Sub(before, shift[v])), d, factors + at);
  }
  Vector sum[V];
  exponentiate<Units, V>(scores, keys, group.factor, shift, sum);
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = v * hn::Lanes(d);
    const Vector before = hn::Load(d, group.sum + at);
    hn::Store(hn::MulAdd(before, hn::Load(d, factors + at), sum[v]), d, group.sum + at);
  }
  const auto no_more_factors = [&] { std::fill_n(factors, V * hn::Lanes(d), 1.0f); };
  for (const Run& run : runs) {
    const auto p = [&](std::int64_t key) {
      return scores +
             static_cast<std::size_t>((run.at + key) / Units::kElements) * V * hn::Lanes(d);
    };
    if constexpr (Units::kTiles) {
      const std::int64_t depth = ceil_div(run.count, Units::kElements);
      for (std::int64_t x = 0; x < group.value_dim; x += kFlashColumns)
        Units::template accumulate<V>(group.accumulator, run.rows.values, x, p(0), depth, factors);
      no_more_factors();
    } else {
      for_each_part<V>(run, [&](auto first, const Range& part) {
        UnitRows values = run.rows.values;
        values.data += part.begin / Units::kElements * values.stride;
        for (std::int64_t x = 0; x < group.value_dim; x += kRows)
          accumulate_columns<Units, decltype(first)::value>(
              group, values, x, p(part.begin), ceil_div(part.count(), Units::kElements), factors);
        no_more_factors();
      });
    }
  }
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
