// SPDX-License-Identifier: Apache-2.0
// Exponential features of a chunk of tokens (chunks.h): 2^(exponent - m), m for a key the largest
// of its feature so far, for a query the largest of its row with the m of the features added.
// Whatever the inputs are, nothing overflows and some products of a row are near 1.
#if defined(QB_KERNELS_MIXER_EXPONENTIAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_MIXER_EXPONENTIAL_INL_H
#undef QB_KERNELS_MIXER_EXPONENTIAL_INL_H
#else
#define QB_KERNELS_MIXER_EXPONENTIAL_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/mixer/chunks.h"
#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class Exponential {
 public:
  Exponential(const ChunkTask& task, const ChunkScratch& scratch, Ahead& ahead)
      : t_(task),
        s_(scratch),
        ahead_(ahead),
        f_(round_up(task.features(), kMixerColumns)),
        dim_(task.a.k.extent.head_dim),
        d_(round_up(dim_, kMixerColumns)) {}

  // Makes k, next_largest and rescaling.
  void load_keys(std::int64_t first, std::int64_t count) const {
    const Floats d;
    multiply(t_.a.k, t_.kv_head(), first, count, s_.k);
    std::copy_n(s_.largest, f_, s_.next_largest);
    for (std::int64_t j = 0; j < count; ++j) {
      const float* const x = s_.inputs + j * d_;
      const float half = t_.exponential.half;
      const Vector less = hn::Set(d, half == 0.0f ? 0.0f : half * row_dot(x, x, d_));
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
    std::fill(s_.next_largest + t_.features(), s_.next_largest + f_, kMinusInfinity);
  }

  // Makes q.
  void load_queries(std::int64_t first, std::int64_t count) const {
    const Floats d;
    const float* const largest = t_.absorbs ? s_.next_largest : s_.largest;
    multiply(t_.a.q, t_.head, first, count, s_.q);
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

 private:
  // Sums of features are 1 and more, so that less than this does not show; numbers below 2^-126
  // would slow every product down.
  static HWY_INLINE Vector feature(Vector exponent) {
    const Floats d;
    return exp2_fast(d, hn::Max(hn::Set(d, -100.0f), exponent));  // in this order NaN is kept
  }

  // exponents [count][f] := rows omega^T; inputs := the rows.
  void multiply(const TensorView& view, std::int64_t head, std::int64_t first, std::int64_t count,
                float* exponents) const {
    load_rows(view, t_.batch, head, first, count, d_, s_.inputs);
    const float* const omega = t_.exponential.omega.row_as<float>(t_.batch, t_.state_head(), 0);
    sum_products<false>(ahead_, count, f_, exponents, f_, RowsTerm{s_.inputs, d_, omega, f_, dim_});
  }

  const ChunkTask& t_;
  const ChunkScratch& s_;
  Ahead& ahead_;
  const std::int64_t f_;
  const std::int64_t dim_;
  const std::int64_t d_;
};

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
