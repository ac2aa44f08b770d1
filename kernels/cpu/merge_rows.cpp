#include "kernels/cpu/score_rows.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/merge_rows.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// This include must come after foreach_target.h.
#include <hwy/contrib/math/math-inl.h>

#include "kernels/cpu/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
// The weights of this many rows are computed together.
constexpr std::int64_t kRows = 64;

struct Weights {
  alignas(64) float acc_lse[kRows];
  alignas(64) float part_lse[kRows];
  alignas(64) float acc[kRows];
  alignas(64) float part[kRows];
};

// With t = exp(smaller - larger): weights 1 / (1 + t) and t / (1 + t), LSE = larger + log(1 + t).
// acc_lse becomes the merged LSE. Weights are at most 1, so that nothing overflows.
HWY_INLINE void weigh(Weights& w) {
  constexpr float kLog2E = 1.44269504088896340736f;
  const hn::ScalableTag<float> d;
  const auto minus_infinity = hn::Set(d, kMinusInfinity);
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < kRows; i += hn::Lanes(d)) {
    const auto a = hn::Load(d, w.acc_lse + i);
    const auto p = hn::Load(d, w.part_lse + i);
    const auto larger = hn::Max(a, p);
    const auto distance = hn::Abs(hn::Sub(a, p));  // NaN in either gives NaN
    const auto t = exp2_fast(d, hn::Mul(distance, hn::Set(d, -kLog2E)));
    const auto larger_weight = hn::Div(one, hn::Add(one, t));
    const auto smaller_weight = hn::Mul(t, larger_weight);
    const auto acc_larger = hn::Ge(a, p);
    hn::Store(hn::IfThenElse(acc_larger, larger_weight, smaller_weight), d, w.acc + i);
    hn::Store(hn::IfThenElse(acc_larger, smaller_weight, larger_weight), d, w.part + i);
    const auto lse = hn::Add(larger, hn::Log1p(d, t));
    // Max() of NaN and -inf may be -inf.
    const auto empty = hn::And(hn::Eq(a, minus_infinity), hn::Eq(p, minus_infinity));
    hn::Store(hn::IfThenElse(empty, minus_infinity, lse), d, w.acc_lse + i);
  }
}

HWY_INLINE void add_weighted(float* HWY_RESTRICT acc, float acc_weight,
                             const float* HWY_RESTRICT part, float part_weight, std::int64_t dim) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, acc_weight);
  const auto p = hn::Set(d, part_weight);
  std::int64_t x = 0;
  for (; x + lanes <= dim; x += lanes)
    hn::StoreU(hn::MulAdd(hn::LoadU(d, part + x), p, hn::Mul(hn::LoadU(d, acc + x), a)), d,
               acc + x);
  for (; x < dim; ++x) acc[x] = acc[x] * acc_weight + part[x] * part_weight;
}

void merge(const PartialRows& acc, const PartialRows& part, std::int64_t count, std::int64_t dim) {
  Weights w;
  for (std::int64_t first = 0; first < count; first += kRows) {
    const std::int64_t rows = std::min(kRows, count - first);
    float before[kRows];
    for (std::int64_t i = 0; i < kRows; ++i) {
      const std::int64_t row = first + std::min(i, rows - 1);
      w.acc_lse[i] = before[i] = acc.lse[row * acc.lse_stride];
      w.part_lse[i] = part.lse[row * part.lse_stride];
    }
    weigh(w);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (w.part_lse[i] == kMinusInfinity) continue;
      float* const to = acc.out + (first + i) * acc.out_stride;
      const float* const from = part.out + (first + i) * part.out_stride;
      if (before[i] == kMinusInfinity)
        std::copy_n(from, dim, to);
      else
        add_weighted(to, w.acc[i], from, w.part[i], dim);
      acc.lse[(first + i) * acc.lse_stride] = w.acc_lse[i];
    }
  }
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(merge);
}  // namespace

void merge_rows(const PartialRows& acc, const PartialRows& part, std::int64_t count,
                std::int64_t dim) {
  HWY_DYNAMIC_DISPATCH(merge)(acc, part, count, dim);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
