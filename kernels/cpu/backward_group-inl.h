// SPDX-License-Identifier: Apache-2.0
// Computes the backward pass of one group of query rows with a run of keys; flash_backward_tile.cpp
// explains how these steps work together.
#if defined(QB_KERNELS_CPU_BACKWARD_GROUP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_BACKWARD_GROUP_INL_H
#undef QB_KERNELS_CPU_BACKWARD_GROUP_INL_H
#else
#define QB_KERNELS_CPU_BACKWARD_GROUP_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "kernels/cpu/backward_products-inl.h"
#include "kernels/cpu/exp2-inl.h"
#include "kernels/cpu/flash_backward.h"
#include "kernels/cpu/flash_group-inl.h"
#include "kernels/cpu/flash_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// One group of query rows, as begin_backward_tile() packed them.
struct BackwardGroup {
  const float* queries_t;  // [units][group rows]
  const float* d_outs_t;   // [value units][group rows]
  const float* queries;    // panels
  const float* d_outs;
  float* d_queries_t;    // [d][group rows]
  const float* maximum;  // [group rows]
  const float* inverse;
  const float* delta;
  std::int64_t rows;  // what lies in the lanes after them is skipped where it can be
  std::int64_t head_dim;
  std::int64_t value_dim;
  float factor;  // |scale| log2(e)
};

// Keys of a block that some row of the group sees, neighbours in memory.
struct BackwardRun {
  UnitRows keys;
  UnitRows values;
  UnitRows
      key_columns;  // for pairs: [pair of keys][d]; for tiles: [d][pair of keys]; else the keys
  std::int64_t count;
  const Run::Mask* mask;  // null: every row of the group sees all of them
  float* d_keys;          // [count][d]
  float* d_values;        // [count][e]
};

struct ScorePair {
  Vector p;
  Vector d_score;
};

// The statistics of a vector of rows.
struct RowNumbers {
  Vector maximum;
  Vector inverse;
  Vector delta;

  // An implicit one would be compiled for the baseline, into which gcc inlines nothing of NEON.
  HWY_INLINE RowNumbers() {}
  HWY_INLINE RowNumbers(const BackwardGroup& group, std::int64_t at)
      : maximum(hn::Load(Floats(), group.maximum + at)),
        inverse(hn::Load(Floats(), group.inverse + at)),
        delta(hn::Load(Floats(), group.delta + at)) {}
};

// P = 2^(c S - maximum) inverse, dS = P (dP - D). The product c S is rounded, as the forward pass
// did, before the maximum is subtracted. A pair that is masked, or in an idle lane, has P = 0, and
// then dS = 0 too, even if dP is not finite.
HWY_INLINE ScorePair differentiate(const float* score, const float* d_p, Vector factor,
                                   const RowNumbers& row) {
  const Floats d;
  const Vector exponent = hn::Sub(hn::Mul(hn::Load(d, score), factor), row.maximum);
  const Vector p = hn::Mul(exp2_fast(d, exponent), row.inverse);
  const Vector product = hn::Mul(p, hn::Sub(hn::Load(d, d_p), row.delta));
  return {p, hn::IfThenZeroElse(hn::Eq(p, hn::Zero(d)), product)};
}

#if HWY_TARGET == HWY_AVX3
// Rounds the lanes of a group to bf16, in their order, so that neighbouring rows are pairs, and
// fills them up with zeros.
template <class Units>
HWY_INLINE void store_rounded(const Vector (&row)[kGroupVectors], float* to) {
  static_assert(kGroupVectors == 3);
  const __m512i two = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(row[1].raw, row[0].raw));
  const __m256i third = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(row[2].raw));
  _mm512_storeu_si512(to, two);
  if constexpr (Units::kTiles)
    _mm512_storeu_si512(to + 16, _mm512_zextsi256_si512(third));
  else
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16), third);
}
#endif

// Turns S and dP of `keys` keys into P and dS in place. For pairs both become rows of bf16, each of
// half the length, and dS also pairs of neighbouring keys.
template <class Units>
HWY_INLINE void differentiate_scores(const BackwardGroup& group, std::int64_t keys, float* scores,
                                     float* d_scores, [[maybe_unused]] float* d_score_pairs) {
  const Floats d;
  const std::int64_t width = group_rows();
  const Vector factor = hn::Set(d, group.factor);
  const auto load_panel = [&](std::int64_t at, RowNumbers(&to)[kVectorBlock]) {
    for (std::size_t v = 0; v < kVectorBlock; ++v)
      to[v] = RowNumbers(group, at + static_cast<std::int64_t>(v) * lanes());
  };
  RowNumbers numbers[kVectorBlock];
  if constexpr (Units::kElements == 1) {
    for_each_group_panel(group.rows, [&](std::int64_t x) {
      load_panel(x, numbers);
      for (std::int64_t key = 0; key < keys; ++key)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectorBlock; ++v) {
          const std::int64_t at = key * width + x + static_cast<std::int64_t>(v) * lanes();
          const ScorePair pair = differentiate(scores + at, d_scores + at, factor, numbers[v]);
          hn::Store(pair.p, d, scores + at);
          hn::Store(pair.d_score, d, d_scores + at);
        }
    });
  } else {
    load_panel(0, numbers);
#if HWY_TARGET == HWY_AVX3
    constexpr std::int64_t kLength = kGroupDepth<Units> / 2;
    // The rows of two keys are read before their results are written: these lie where the keys
    // before were.
    for (std::int64_t key = 0; key < keys; key += 2) {
      const bool last = key + 1 == keys;
      Vector p[2][kVectorBlock];
      Vector d_score[2][kVectorBlock];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectorBlock; ++v) {
        const std::int64_t at = key * width + static_cast<std::int64_t>(v) * lanes();
        const ScorePair even = differentiate(scores + at, d_scores + at, factor, numbers[v]);
        ScorePair odd{hn::Zero(d), hn::Zero(d)};
        if (!last)
          odd = differentiate(scores + width + at, d_scores + width + at, factor, numbers[v]);
        p[0][v] = even.p;
        p[1][v] = odd.p;
        d_score[0][v] = even.d_score;
        d_score[1][v] = odd.d_score;
        store_pair<Units>(even.d_score, odd.d_score, static_cast<std::size_t>(width),
                          d_score_pairs + key / 2 * width + static_cast<std::int64_t>(v) * lanes());
      }
      store_rounded<Units>(p[0], scores + key * kLength);
      store_rounded<Units>(d_score[0], d_scores + key * kLength);
      if (last) break;
      store_rounded<Units>(p[1], scores + (key + 1) * kLength);
      store_rounded<Units>(d_score[1], d_scores + (key + 1) * kLength);
    }
    const std::int64_t pairs = ceil_div(keys, 2);
    if constexpr (Units::kTiles)
      std::fill_n(d_score_pairs + pairs * width, (round_up(pairs, 16) - pairs) * width, 0.0f);
#endif
  }
}

// Sets the scores of pairs that the mask hides to -inf.
HWY_INLINE void hide_scores(const Run::Mask& mask, std::int64_t keys, float* scores) {
  alignas(64) float largest[kFlashGroupRows];  // not needed here
  if (mask.bits)
    mask_scores_by_bits<kGroupVectors>(scores, keys, mask, largest);
  else
    mask_scores<kGroupVectors>(scores, keys, mask, largest);
}

template <class Units>
HWY_INLINE void add_run(const BackwardGroup& group, const BackwardRun& run,
                        const BackwardScratch& scratch) {
  const std::int64_t d = round_up(group.head_dim, kFlashColumns);
  const std::int64_t e = round_up(group.value_dim, kFlashColumns);
  multiply_rows<Units>(run.keys, run.count, group.queries_t,
                       ceil_div(group.head_dim, Units::kElements), group.rows, scratch.scores);
  if (run.mask != nullptr) hide_scores(*run.mask, run.count, scratch.scores);
  multiply_rows<Units>(run.values, run.count, group.d_outs_t,
                       ceil_div(group.value_dim, Units::kElements), group.rows, scratch.d_scores);
  differentiate_scores<Units>(group, run.count, scratch.scores, scratch.d_scores,
                              scratch.d_score_pairs);

  const std::int64_t length = kGroupDepth<Units> / Units::kElements;  // of rows of P and dS
  const std::int64_t depth = Units::kTiles ? length : ceil_div(group.rows, Units::kElements);
  add_rows<Units>({scratch.scores, length}, run.count, group.d_outs, depth, group.value_dim,
                  run.d_values, e);
  add_rows<Units>({scratch.d_scores, length}, run.count, group.queries, depth, group.head_dim,
                  run.d_keys, d);
  const float* const by_keys = Units::kElements == 1 ? scratch.d_scores : scratch.d_score_pairs;
  add_columns<Units>(run.key_columns, group.head_dim, by_keys,
                     ceil_div(run.count, Units::kElements), group.rows, group.d_queries_t);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
