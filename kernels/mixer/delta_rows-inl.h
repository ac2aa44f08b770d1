// SPDX-License-Identifier: Apache-2.0
// What the forward and the backward pass of gated_delta share. In a chunk, with S the state before
// it and D_ij the decay of the channels from token j to token i, D_i from the chunk's begin,
//
//   A_ij = k_i.(D_ij k_j), j < i              U = beta (V - (D K) S - A U)
//   P_ij = q_i.(D_ij k_j), j <= i             out = c ((D Q) S + P U)
//                                             S := D_c S + (D_c. K)^T U
//
// U is the forward substitution of I + beta A, four rows at a time: what the UT transform of Yang
// et al. 2024 (section 3.3) writes as an inverse, which would be another product. The state of no
// tokens with columns I beside those of values, to which V adds nothing, becomes [S_ext | M].
//
// No factor is divided by another. With one decay a head D_ij is 2 to a difference of sums, as of
// an ssd. With one for each channel it is a product of factors of tokens, which are at most 1: keys
// decay from row to row while the weights are summed channel by channel, in the rows of the
// transposed keys, whose columns are those of the weights.
#if defined(QB_KERNELS_MIXER_DELTA_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_MIXER_DELTA_ROWS_INL_H
#undef QB_KERNELS_MIXER_DELTA_ROWS_INL_H
#else
#define QB_KERNELS_MIXER_DELTA_ROWS_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>

#include <hwy/highway.h>

#include "kernels/mixer/chunk_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class DeltaRows : public ChunkRows {
 protected:
  // with_transitions: the state has columns for M.
  DeltaRows(const ChunkTask& task, const ChunkScratch& scratch, bool with_transitions)
      : ChunkRows(task, scratch),
        has_channels_(task.a.decay.extent.head_dim > 1),
        attends_(task.attends),
        width_(p_ + (with_transitions ? f_ : 0)),
        columns_(with_transitions ? p_ + features_ : values_) {}

  void load_chunk(std::int64_t first, std::int64_t count) {
    load_keys(first, count);
    if (attends_) load_queries(first, count);
    v_ = rows_in_place(t_.a.v, t_.batch, t_.kv_head(), first, count, p_, s_.v);
    for (std::int64_t i = 0; i < count; ++i)
      s_.beta[i] = *t_.a.beta.row_as<float>(t_.batch, t_.head, first + i);
    pitch_ = round_up(count, kMixerColumns);
    transpose_keys(count);
    has_channels_ ? load_factors(first, count) : load_decay(first, count);
  }
  // Makes weights, key_weights and rescaling; q and k become D Q and D K, and k_transposed the keys
  // that decay to the chunk's end.
  void weigh(std::int64_t count) {
    has_channels_ ? weigh_by_channels(count) : weigh_by_heads(count);
  }

  // Makes updates, and errors [c][p] := V - (D K) S - A U unless it is nullptr.
  void solve(std::int64_t count, float* errors) {
    for (std::int64_t row = 0; row < count; row += kSolved) {
      sum_products<false>(ahead_, kSolved, columns_, s_.rest, width_,
                          RowsTerm{s_.k + row * f_, f_, s_.state, width_, features_},
                          RowsTerm{s_.key_weights + row * c_, c_, s_.updates, width_, row});
      solve_rows(row, count - 1 - row, errors);
    }
  }

  // S := D_c S + (D_c. K)^T U
  void absorb(std::int64_t count) {
    for (std::int64_t r = 0; r < features_; ++r)
      multiply_row(s_.state + r * width_, width_, hn::Set(Floats(), s_.rescaling[r]));
    sum_products<true>(ahead_, features_, columns_, s_.state, width_,
                       RowsTerm{s_.k_transposed, pitch_, s_.updates, width_, count});
  }

  // Numbers below 2^-126, which would slow every product down, are 0.
  static HWY_INLINE Vector without_tiny(Vector x) {
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(Floats(), std::numeric_limits<float>::min()));
    return hn::IfThenZeroElse(tiny, x);
  }
  static HWY_INLINE void decay_row(float* row, const float* factors, std::int64_t width) {
    change_row(row, width, [&](std::int64_t x, Vector y) {
      return without_tiny(hn::Mul(y, hn::Load(Floats(), factors + x)));
    });
  }

  static constexpr std::int64_t kSolved = 4;  // rows

  const bool has_channels_;
  bool attends_;                // weights are wanted
  const std::int64_t width_;    // of a row of the state and of the updates
  const std::int64_t columns_;  // of them that are used
  std::int64_t pitch_ = 0;      // of a row of k_transposed

 private:
  // factors := those of the tokens, and 1 behind the last one; sums := their logarithms' sums.
  void load_factors(std::int64_t first, std::int64_t count) {
    const Floats d;
    load_rows(t_.a.decay, t_.batch, t_.head, first, count, f_, s_.factors);
    std::fill_n(s_.sums, f_, 0.0f);
    for (std::int64_t i = 0; i < count; ++i)
      change_row(s_.factors + i * f_, f_, [&](std::int64_t x, Vector decay) {
        decay = hn::Mul(decay, hn::Set(d, static_cast<float>(std::numbers::log2e)));
        decay = hn::Max(hn::Set(d, -1000.0f), decay);  // in this order NaN is kept
        hn::Store(hn::Add(hn::Load(d, s_.sums + x), decay), d, s_.sums + x);
        return factor_of(decay);
      });
    std::fill(s_.factors + count * f_, s_.factors + pitch_ * f_, 1.0f);
  }
  static HWY_INLINE Vector factor_of(Vector exponent) {
    const Floats d;
    return hn::IfThenZeroElse(hn::Lt(exponent, hn::Set(d, -126.0f)), exp2_unbiased(exponent));
  }

  void weigh_by_heads(std::int64_t count) {
    const Floats d;
    for_triangle_rows(count, [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
      weigh_keys(s_.k + row * f_, rows, seen, count, s_.key_weights + row * c_);
      if (attends_) weigh_keys(s_.q + row * f_, rows, seen, count, s_.weights + row * c_);
    });
    for (std::int64_t i = 0; i < count; ++i) {
      float* const weights = s_.weights + i * c_;
      change_row(s_.key_weights + i * c_, end_of_row(i, count), [&](std::int64_t j, Vector x) {
        const Vector factor = gate(i, hn::Load(d, s_.gate + j), hn::Load(d, s_.gate + c_ + j));
        if (attends_) {
          const Vector weight = hn::Mul(factor, hn::Load(d, weights + j));
          hn::Store(hn::IfThenElseZero(seen_by(i, j), weight), d, weights + j);
        }
        return hn::Mul(factor, x);
      });
      for (float* const row : {s_.q + i * f_, s_.k + i * f_}) multiply_row(row, f_, gate(i));
    }
    for (std::int64_t j = 0; j < pitch_; j += lanes())
      hn::Store(gate(count - 1, hn::Load(d, s_.gate + j), hn::Load(d, s_.gate + c_ + j)), d,
                s_.inverse + j);
    for (std::int64_t r = 0; r < features_; ++r)
      change_row(s_.k_transposed + r * pitch_, pitch_,
                 [&](std::int64_t j, Vector x) { return hn::Mul(x, hn::Load(d, s_.inverse + j)); });
    std::fill_n(s_.rescaling, f_, hn::GetLane(gate_of_chunk(count)));
  }

  void weigh_by_channels(std::int64_t count) {
    const Floats d;
    std::fill_n(s_.weights, pitch_ * c_, 0.0f);
    for (std::int64_t column = 0; column < pitch_; column += lanes())
      for (std::int64_t row = column / kTogether * kTogether; row < pitch_; row += kTogether)
        sum_weights(row, column);
    std::fill_n(s_.largest, f_, 1.0f);  // the decay from the chunk's begin
    for (std::int64_t i = 0; i < count; ++i) {
      decay_row(s_.largest, s_.factors + i * f_, f_);
      decay_row(s_.q + i * f_, s_.largest, f_);
      decay_row(s_.k + i * f_, s_.largest, f_);
    }
    change_row(s_.rescaling, f_,
               [&](std::int64_t x, Vector) { return factor_of(hn::Load(d, s_.sums + x)); });
  }

  // The weights of some rows and a vector of columns; its keys decay to the end of these rows.
  HWY_NOINLINE void sum_weights(std::int64_t row, std::int64_t column) const {
    const Floats d;
    Vector of_q[kTogether];
    Vector of_k[kTogether];
    hn::Mask<Floats> earlier[kTogether];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kTogether; ++i) {
      of_q[i] = of_k[i] = hn::Zero(d);
      earlier[i] = seen_by(row + static_cast<std::int64_t>(i) - 1, column);
    }
    const std::int64_t f = f_;  // not read again after each store
    const std::int64_t pitch = pitch_;
    const float* factor = s_.factors + row * f;
    const float* q = s_.q + row * f;
    const float* k = s_.k + row * f;
    float* keys = s_.k_transposed + column;
    float* const end = keys + features_ * pitch;
    for (; keys != end; ++factor, ++q, ++k, keys += pitch) {
      Vector key = hn::Load(d, keys);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kTogether; ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) * f;
        key = hn::IfThenElse(earlier[i], hn::Mul(key, hn::Set(d, factor[at])), key);
        of_q[i] = hn::MulAdd(hn::Set(d, q[at]), key, of_q[i]);
        of_k[i] = hn::MulAdd(hn::Set(d, k[at]), key, of_k[i]);
      }
      hn::Store(without_tiny(key), d, keys);
    }
    float* const weights = s_.weights + row * c_ + column;
    float* const key_weights = s_.key_weights + row * c_ + column;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kTogether; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) * c_;
      const auto seen = seen_by(row + static_cast<std::int64_t>(i), column);
      hn::Store(hn::IfThenElseZero(seen, of_q[i]), d, weights + at);
      hn::Store(of_k[i], d, key_weights + at);
    }
  }

  // What it computes behind the last row, row + last, is not used.
  HWY_NOINLINE void solve_rows(std::int64_t row, std::int64_t last, float* errors) const {
    const Floats d;
    const float* const triangle = s_.key_weights + row * c_ + row;
    Vector weights[kSolved][kSolved];
    Vector beta[kSolved];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kSolved; ++i) {
      beta[i] = hn::Set(d, s_.beta[row + i]);
#pragma GCC unroll 4
      for (std::int64_t j = 0; j < i; ++j) weights[i][j] = hn::Set(d, triangle[i * c_ + j]);
    }
    const float* const values = v_ + row * p_;
    float* const updates = s_.updates + row * width_;
    for (std::int64_t x = 0; x < columns_; x += lanes()) {
      Vector update[kSolved];
#pragma GCC unroll 4
      for (std::int64_t i = 0; i < kSolved; ++i) {
        Vector error = x < p_ ? hn::Load(d, values + std::min(i, last) * p_ + x) : hn::Zero(d);
        error = hn::Sub(error, hn::Load(d, s_.rest + i * width_ + x));
#pragma GCC unroll 4
        for (std::int64_t j = 0; j < i; ++j) error = hn::NegMulAdd(weights[i][j], update[j], error);
        if (errors != nullptr) hn::Store(error, d, errors + (row + i) * p_ + x);
        update[i] = hn::Mul(beta[i], error);
        hn::Store(update[i], d, updates + i * width_ + x);
      }
    }
  }

  // Rows whose sums are in registers.
  static constexpr std::int64_t kTogether = kPanelSums / 3;
  const float* v_ = nullptr;  // [c][p], where they lie or in scratch memory
};

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
