// SPDX-License-Identifier: Apache-2.0
// What the forward and the backward pass of operators in chunks share: the features of a chunk's
// tokens, the products of its queries and keys, and the decay between its tokens.
#if defined(QB_KERNELS_MIXER_CHUNK_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_MIXER_CHUNK_ROWS_INL_H
#undef QB_KERNELS_MIXER_CHUNK_ROWS_INL_H
#else
#define QB_KERNELS_MIXER_CHUNK_ROWS_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <hwy/highway.h>

#include "kernels/mixer/chunks.h"
#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class ChunkRows {
 protected:
  ChunkRows(const ChunkTask& task, const ChunkScratch& scratch)
      : t_(task),
        s_(scratch),
        kind_(task.options.kind),
        exponential_(task.is_exponential()),
        features_(task.features()),
        values_(task.a.v.extent.head_dim),
        f_(round_up(features_, kMixerColumns)),
        p_(round_up(values_, kMixerColumns)),
        c_(chunk_columns(task)) {}

  // q, k := the features of these tokens. Those that are exponential are 2^(exponent - m), m for a
  // key the largest of its feature so far, for a query the largest of its row with the m of the
  // features added: whatever the inputs are, nothing overflows and some products of a row are
  // near 1.
  void load_queries(std::int64_t first, std::int64_t count) {
    if (exponential_)
      load_exponential_queries(first, count);
    else
      load_features(t_.a.q, t_.head, first, count, s_.q);
  }
  void load_keys(std::int64_t first, std::int64_t count) {
    if (exponential_)
      load_exponential_keys(first, count);
    else
      load_features(t_.a.k, t_.kv_head(), first, count, s_.k);
  }

  // Fetches the rows of the next chunk between the products of this one, unless all tensors may lie
  // in the second-level cache.
  void look_ahead(std::int64_t first) {
    constexpr std::int64_t kCachedBytes = 512 * 1024;  // of one tensor
    ahead_ = {};
    if (t_.a.k.bytes() <= kCachedBytes) return;
    const auto add = [&](const TensorView& view, std::int64_t head) {
      const std::int64_t size = size_of(view.dtype);
      ahead_.rows[ahead_.count++] = {view.row(t_.batch, head, first), view.token_stride * size,
                                     view.extent.head_dim * size};
    };
    if (t_.attends) add(t_.a.q, t_.head);
    if (t_.attends && t_.options.causal) add(t_.a.out, t_.head);
    if (t_.absorbs) add(t_.a.k, t_.kv_head());
    if (t_.absorbs) add(t_.a.v, t_.kv_head());
    ahead_.end = std::min(t_.chunk(), t_.a.k.extent.length - first);
    ahead_.at_once = ceil_div(t_.chunk(), t_.options.causal ? 32 : 10);
  }

  void load_decay(std::int64_t first, std::int64_t count) {
    // A factor of 2^-1000 and less is 0, even times the state of a whole sequence.
    constexpr double kReset = -1000.0;
    double sum = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double decay = *t_.a.decay.row_as<float>(t_.batch, t_.head, first + i);
      sum += std::max(decay * std::numbers::log2e, kReset);
      s_.gate[i] = static_cast<float>(sum);
      s_.gate[c_ + i] = static_cast<float>(sum - static_cast<double>(s_.gate[i]));
    }
  }

  void transpose_keys(std::int64_t count) const {
    transpose_in([&](std::int64_t j) { return s_.k + j * f_; }, count, round_up(features_, 4),
                 round_up(count, kMixerColumns), 0u, s_.k_transposed);
  }
  static HWY_INLINE void transpose(const float* rows, std::int64_t stride, std::int64_t count,
                                   std::int64_t columns, std::int64_t width, float* to) {
    transpose_in([&](std::int64_t r) { return rows + r * stride; }, count, round_up(columns, 4),
                 width, 0u, to);
  }
  // weights [rows][c] := the products of q [rows][f] and the first `seen` of the chunk's keys.
  void weigh_keys(const float* q, std::int64_t rows, std::int64_t seen, std::int64_t count,
                  float* weights) {
    sum_products<false>(
        ahead_, rows, seen, weights, c_,
        RowsTerm{q, f_, s_.k_transposed, round_up(count, kMixerColumns), features_});
  }

  // Calls function(first row, rows, end of the columns that they see). W is made and multiplied so.
  template <class Function>
  static HWY_INLINE void for_triangle_rows(std::int64_t count, Function function) {
    for (std::int64_t row = 0; row < count; row += kTriangleRows)
      function(row, std::min(kTriangleRows, count - row), std::min(count, row + kTriangleRows));
  }

  // C [count][stride] += the transpose of a triangle times rows.
  HWY_INLINE void add_columns_of(const float* triangle, const float* rows, std::int64_t stride,
                                 std::int64_t width, std::int64_t count, float* c) {
    for_triangle_rows(count, [&](std::int64_t row, std::int64_t n, std::int64_t) {
      sum_products<true>(
          ahead_, n, width, c + row * stride, stride,
          ColumnsTerm{{triangle + row * c_ + row, c_, rows + row * stride, stride, count - row}});
    });
  }

  // Writes factor times the rows of a chunk, or adds that.
  void put_rows(const float* rows, std::int64_t stride, float factor, const TensorView& to,
                std::int64_t head, std::int64_t first, std::int64_t count, bool adds) const {
    for (std::int64_t i = 0; i < count; ++i, rows += stride) {
      float* const out = to.row_as<float>(t_.batch, head, first + i);
      if (!adds) store_row(rows, to.extent.head_dim, factor, out);
      for (std::int64_t x = 0; x < to.extent.head_dim && adds; ++x) out[x] += factor * rows[x];
    }
  }

  // 2 to the decay from the chunk's begin, or from token j, to token i. Numbers below 2^-126, which
  // would slow every product down, are 0.
  [[nodiscard]] HWY_INLINE Vector gate(std::int64_t i) const {
    return gate(i, hn::Zero(Floats()), hn::Zero(Floats()));
  }
  [[nodiscard]] HWY_INLINE Vector gate(std::int64_t i, Vector high, Vector low) const {
    const Floats d;
    const Vector exponent =
        hn::Add(hn::Sub(hn::Set(d, s_.gate[i]), high), hn::Sub(hn::Set(d, s_.gate[c_ + i]), low));
    const auto none = hn::Lt(exponent, hn::Set(d, -126.0f));
    return exp2_fast(d, hn::IfThenElse(none, hn::Set(d, kMinusInfinity), exponent));
  }

  // 2 to the decay of the whole chunk, in double and rounded once: a state that lasts is multiplied
  // by it in every chunk.
  [[nodiscard]] HWY_INLINE Vector gate_of_chunk(std::int64_t count) const {
    const double sum =
        static_cast<double>(s_.gate[count - 1]) + static_cast<double>(s_.gate[c_ + count - 1]);
    return hn::Set(Floats(), sum < -126.0 ? 0.0f : static_cast<float>(std::exp2(sum)));
  }
  // 2 to the decay from token j to the end of the chunk.
  [[nodiscard]] HWY_INLINE Vector gate_to_end(std::int64_t j, std::int64_t count) const {
    const Floats d;
    return gate(count - 1, hn::Set(d, s_.gate[j]), hn::Set(d, s_.gate[c_ + j]));
  }

  // The columns from j on that row i sees.
  [[nodiscard]] static HWY_INLINE hn::Mask<Floats> seen_by(std::int64_t i, std::int64_t j) {
    return hn::FirstN(Floats(), static_cast<std::size_t>(std::max<std::int64_t>(0, i + 1 - j)));
  }

  // The weights of row i of W from column j on, with the decay of an ssd and masked.
  [[nodiscard]] HWY_INLINE Vector seen_weight(std::int64_t i, std::int64_t j, Vector weight) const {
    const Floats d;
    if (kind_ == Mixer::ssd)
      weight = hn::Mul(weight, gate(i, hn::Load(d, s_.gate + j), hn::Load(d, s_.gate + c_ + j)));
    return hn::IfThenElseZero(seen_by(i, j), weight);
  }

  // The end of the columns of W that its row i has.
  [[nodiscard]] static std::int64_t end_of_row(std::int64_t i, std::int64_t count) {
    return std::min(count, round_up(i + 1, kTriangleRows));
  }

  static constexpr std::int64_t kTriangleRows = 12;

  const ChunkTask& t_;
  const ChunkScratch& s_;
  const Mixer kind_;
  const bool exponential_;
  const std::int64_t features_;
  const std::int64_t values_;
  const std::int64_t f_;
  const std::int64_t p_;
  const std::int64_t c_;
  Ahead ahead_;

 private:
  void load_features(const TensorView& view, std::int64_t head, std::int64_t first,
                     std::int64_t count, float* to) const {
    if (kind_ == Mixer::linear)
      load_changed(view, t_.batch, head, first, count, f_, to, elu_feature);
    else
      load_rows(view, t_.batch, head, first, count, f_, to);
  }

  // Makes k, next_largest and rescaling.
  void load_exponential_keys(std::int64_t first, std::int64_t count) {
    const Floats d;
    const std::int64_t width = round_up(t_.a.k.extent.head_dim, kMixerColumns);
    multiply_omega(t_.a.k, t_.kv_head(), first, count, s_.k);
    std::copy_n(s_.largest, f_, s_.next_largest);
    for (std::int64_t j = 0; j < count; ++j) {
      const float* const x = s_.inputs + j * width;
      const float half = t_.exponential.half;
      const Vector less = hn::Set(d, half == 0.0f ? 0.0f : half * row_dot(x, x, width));
      change_row(s_.k + j * f_, f_, [&](std::int64_t r, Vector exponent) {
        exponent = hn::Sub(exponent, less);
        float* const most = s_.next_largest + r;
        hn::Store(hn::Max(hn::Load(d, most), exponent), d, most);
        return exponent;
      });
    }
    for (std::int64_t j = 0; j < count; ++j)
      change_row(s_.k + j * f_, f_, [&](std::int64_t r, Vector exponent) {
        return feature(hn::Sub(exponent, hn::Load(d, s_.next_largest + r)));
      });
    std::copy_n(s_.largest, f_, s_.rescaling);
    change_row(s_.rescaling, f_, [&](std::int64_t r, Vector before) {
      return exp2_fast(d, hn::Sub(before, hn::Load(d, s_.next_largest + r)));
    });
    // No query has a feature behind the last one.
    std::fill(s_.next_largest + features_, s_.next_largest + f_, kMinusInfinity);
  }

  // Makes q.
  void load_exponential_queries(std::int64_t first, std::int64_t count) {
    const Floats d;
    const float* const largest = t_.absorbs ? s_.next_largest : s_.largest;
    multiply_omega(t_.a.q, t_.head, first, count, s_.q);
    for (std::int64_t i = 0; i < count; ++i) {
      Vector most = hn::Set(d, kMinusInfinity);
      change_row(s_.q + i * f_, f_, [&](std::int64_t r, Vector exponent) {
        exponent = hn::Add(exponent, hn::Load(d, largest + r));
        most = hn::Max(most, exponent);
        return exponent;
      });
      most = hn::MaxOfLanes(d, most);
      change_row(s_.q + i * f_, f_,
                 [&](std::int64_t, Vector exponent) { return feature(hn::Sub(exponent, most)); });
    }
  }

  // Sums of features are 1 and more, so that less than this does not show; numbers below 2^-126
  // would slow every product down.
  static HWY_INLINE Vector feature(Vector exponent) {
    const Floats d;
    return exp2_fast(d, hn::Max(hn::Set(d, -100.0f), exponent));  // in this order NaN is kept
  }

  // exponents [count][f] := rows omega^T; inputs := the rows.
  void multiply_omega(const TensorView& view, std::int64_t head, std::int64_t first,
                      std::int64_t count, float* exponents) {
    const std::int64_t dim = view.extent.head_dim;
    const std::int64_t width = round_up(dim, kMixerColumns);
    load_rows(view, t_.batch, head, first, count, width, s_.inputs);
    const float* const omega = t_.exponential.omega.row_as<float>(t_.batch, t_.state_head(), 0);
    sum_products<false>(ahead_, count, f_, exponents, f_,
                        RowsTerm{s_.inputs, width, omega, f_, dim});
  }
};

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
