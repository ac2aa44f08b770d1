// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/plain_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/plain_loops.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void products(const T* q, const T* k_t, std::int64_t stride, std::int64_t d,
                         std::int64_t n, T* HWY_RESTRICT scores) {
  for (std::int64_t x = 0; x < d; ++x) {
    const T* HWY_RESTRICT row = k_t + x * stride;
    const T factor = q[x];
    for (std::int64_t j = 0; j < n; ++j) scores[j] += factor * row[j];
  }
}

template <class T>
HWY_INLINE void weighted_rows(const T* p, const T* v, std::int64_t n, std::int64_t e,
                              T* HWY_RESTRICT out) {
  for (std::int64_t j = 0; j < n; ++j) {
    const T* HWY_RESTRICT row = v + j * e;
    const T factor = p[j];
    if (factor == T{0}) continue;
    for (std::int64_t x = 0; x < e; ++x) out[x] += factor * row[x];
  }
}

void products_f64(const double* q, const double* k_t, std::int64_t stride, std::int64_t d,
                  std::int64_t n, double* scores) {
  products(q, k_t, stride, d, n, scores);
}
void products_f32(const float* q, const float* k_t, std::int64_t stride, std::int64_t d,
                  std::int64_t n, float* scores) {
  products(q, k_t, stride, d, n, scores);
}
void weighted_rows_f64(const double* p, const double* v, std::int64_t n, std::int64_t e,
                       double* out) {
  weighted_rows(p, v, n, e, out);
}
void weighted_rows_f32(const float* p, const float* v, std::int64_t n, std::int64_t e, float* out) {
  weighted_rows(p, v, n, e, out);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(products_f64);
HWY_EXPORT(products_f32);
HWY_EXPORT(weighted_rows_f64);
HWY_EXPORT(weighted_rows_f32);

}  // namespace

void add_products(const double* q, const double* k_t, std::int64_t stride, std::int64_t d,
                  std::int64_t n, double* scores) {
  HWY_DYNAMIC_DISPATCH(products_f64)(q, k_t, stride, d, n, scores);
}
void add_products(const float* q, const float* k_t, std::int64_t stride, std::int64_t d,
                  std::int64_t n, float* scores) {
  HWY_DYNAMIC_DISPATCH(products_f32)(q, k_t, stride, d, n, scores);
}
void add_weighted_rows(const double* p, const double* v, std::int64_t n, std::int64_t e,
                       double* out) {
  HWY_DYNAMIC_DISPATCH(weighted_rows_f64)(p, v, n, e, out);
}
void add_weighted_rows(const float* p, const float* v, std::int64_t n, std::int64_t e, float* out) {
  HWY_DYNAMIC_DISPATCH(weighted_rows_f32)(p, v, n, e, out);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
