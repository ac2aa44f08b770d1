// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/score_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/every_set-inl.h"

#include "kernels/cpu/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// row[j] := function(row[j]) for j < n. The rest of the last vector goes through a buffer, filled
// up with `padding`, because masked loads and stores access memory after the row on some
// instruction sets.
template <class D, class Function>
HWY_INLINE void update_row(D d, float* row, std::int64_t n, float padding, Function function) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) hn::StoreU(function(hn::LoadU(d, row + j)), d, row + j);
  if (j == n) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)];
  std::fill(std::copy(row + j, row + n, rest), rest + lanes, padding);
  hn::Store(function(hn::Load(d, rest)), d, rest);
  std::copy_n(rest, n - j, row + j);
}

template <class D>
HWY_INLINE float row_max(D d, const float* row, std::int64_t n) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto largest = hn::Set(d, kMinusInfinity);
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) largest = hn::Max(largest, hn::LoadU(d, row + j));
  float result = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; j < n; ++j) result = std::max(result, row[j]);
  return result;
}

void scale(float* row, std::int64_t n, float factor) {
  const hn::ScalableTag<float> d;
  update_row(d, row, n, 0.0f, [&](auto s) { return hn::Mul(s, hn::Set(d, factor)); });
}

RowLse softmax(float* row, std::int64_t n) {
  const hn::ScalableTag<float> d;
  const float largest = row_max(d, row, n);
  // For a row whose scores are all -inf the shift is 0, because exp2 takes -inf - 0 to 0.
  const auto shift = hn::Set(d, largest == kMinusInfinity ? 0.0f : largest);
  auto sum = hn::Zero(d);
  update_row(d, row, n, kMinusInfinity, [&](auto s) {
    const auto p = exp2_fast(d, hn::Sub(s, shift));
    sum = hn::Add(sum, p);
    return p;
  });
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  const RowLse lse = lse_of_sum(largest, total);
  if (lse.is_empty()) return lse;
  const auto divisor = hn::Set(d, total);
  update_row(d, row, n, 0.0f, [&](auto p) { return hn::Div(p, divisor); });
  return lse;
}

void exponentiate(float* row, std::int64_t n, RowLse lse) {
  const hn::ScalableTag<float> d;
  const auto maximum = hn::Set(d, lse.maximum);
  const auto inverse = hn::Set(d, std::exp2(-lse.rest));
  update_row(d, row, n, 0.0f,
             [&](auto s) { return hn::Mul(exp2_fast(d, hn::Sub(s, maximum)), inverse); });
}

// A plain loop, in which the product is made for every key so that the compiler vectorises it.
void differentiate(const float* HWY_RESTRICT p, std::int64_t n, float delta, float scale,
                   float* HWY_RESTRICT d_p) {
  for (std::int64_t j = 0; j < n; ++j) {
    const float product = p[j] * (d_p[j] - delta) * scale;
    d_p[j] = p[j] == 0.0f ? 0.0f : product;
  }
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(scale);
HWY_EXPORT(softmax);
HWY_EXPORT(exponentiate);
HWY_EXPORT(differentiate);

void scale_row(float* row, std::int64_t n, float factor) {
  HWY_DYNAMIC_DISPATCH(scale)(row, n, factor);
}

RowLse softmax_row(float* row, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(softmax)(row, n); }

void exponentiate_row(float* row, std::int64_t n, RowLse lse) {
  HWY_DYNAMIC_DISPATCH(exponentiate)(row, n, lse);
}

void differentiate_row(const float* p, std::int64_t n, float delta, float scale, float* d_p) {
  HWY_DYNAMIC_DISPATCH(differentiate)(p, n, delta, scale, d_p);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
