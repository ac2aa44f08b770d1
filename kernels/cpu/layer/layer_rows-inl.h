// SPDX-License-Identifier: Apache-2.0
// Passes over single rows of float32 that the forward and the backward parts of a transformer layer
// share: the normal distribution, and the deviations of a row from its mean.
#if defined(QB_KERNELS_CPU_LAYER_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_LAYER_ROWS_INL_H
#undef QB_KERNELS_CPU_LAYER_ROWS_INL_H
#else
#define QB_KERNELS_CPU_LAYER_ROWS_INL_H
#endif

#include <cmath>
#include <cstdint>
#include <iterator>

#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {

// Calls vector_step(j) for whole vectors of [0, n) and scalar_step(j) for the rest.
template <class D, class VectorStep, class ScalarStep>
HWY_INLINE void for_elements(D d, std::int64_t n, VectorStep vector_step, ScalarStep scalar_step) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) vector_step(j);
  for (; j < n; ++j) scalar_step(j);
}

// Calls step(tag, j) for both.
template <class Step>
HWY_INLINE void for_elements(std::int64_t n, Step step) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  for_elements(
      d, n, [&](std::int64_t j) { step(d, j); }, [&](std::int64_t j) { step(one, j); });
}

// y[j] += x[j]
HWY_INLINE void add_to_row(float* HWY_RESTRICT y, const float* HWY_RESTRICT x, std::int64_t n) {
  for_elements(n, [&](auto d, std::int64_t j) {
    hn::StoreU(hn::Add(hn::LoadU(d, y + j), hn::LoadU(d, x + j)), d, y + j);
  });
}

// Returns Phi(-a) for a >= 0, and sets `exponential` to exp(-a^2 / 2).
//
// Phi(-a) = exp(-a^2 / 2) t Q(t) with t = 1 / (1 + 0.3 a). Q interpolates erfcx(a / sqrt 2) / (2 t)
// at the Chebyshev nodes of a in [0, 14], beyond which the exponential is 0; relative error 4.3e-9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_tail(D d, V a, V& exponential) {
  constexpr float kQ[] = {-0.020914359728848045f, 0.11404027207372557f,  -0.2320384829357822f,
                          0.19694067701667847f,   -0.08374254901620627f, 0.09848074018345122f,
                          0.07758906437735161f,   0.11040517984663449f,  0.11955176322872275f,
                          0.11968769313517995f};
  constexpr float kHalfLog2E = 0.72134752044448170368f;
  const V one = hn::Set(d, 1.0f);
  const V t = hn::Div(one, hn::MulAdd(a, hn::Set(d, 0.3f), one));
  V q = hn::Set(d, kQ[0]);
  for (std::size_t i = 1; i < std::size(kQ); ++i) q = hn::MulAdd(q, t, hn::Set(d, kQ[i]));
  exponential = exp2_fast(d, hn::Mul(hn::Mul(a, hn::Set(d, -kHalfLog2E)), a));
  return hn::Mul(hn::Mul(exponential, t), q);
}

// y := the deviations of y + bias + residual from their mean. Returns 1 / sqrt(variance + epsilon).
HWY_INLINE float deviations(float* HWY_RESTRICT y, const float* HWY_RESTRICT bias,
                            const float* HWY_RESTRICT residual, std::int64_t n, double epsilon) {
  const hn::ScalableTag<float> d;
  auto sums = hn::Zero(d);
  float rest = 0.0f;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto value = hn::Add(hn::Add(hn::LoadU(d, y + j), hn::LoadU(d, bias + j)),
                                   hn::LoadU(d, residual + j));
        hn::StoreU(value, d, y + j);
        sums = hn::Add(sums, value);
      },
      [&](std::int64_t j) { rest += y[j] += bias[j] + residual[j]; });
  const float mean = (hn::GetLane(hn::SumOfLanes(d, sums)) + rest) / static_cast<float>(n);
  auto squares = hn::Zero(d);
  rest = 0.0f;
  for_elements(
      d, n,
      [&](std::int64_t j) {
        const auto deviation = hn::Sub(hn::LoadU(d, y + j), hn::Set(d, mean));
        hn::StoreU(deviation, d, y + j);
        squares = hn::MulAdd(deviation, deviation, squares);
      },
      [&](std::int64_t j) {
        y[j] -= mean;
        rest += y[j] * y[j];
      });
  const double variance =
      static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares)) + rest) / static_cast<double>(n);
  return static_cast<float>(1.0 / std::sqrt(variance + epsilon));
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
