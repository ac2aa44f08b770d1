// SPDX-License-Identifier: Apache-2.0
// Rows of scratch memory: they are float32, begin at a multiple of 64 bytes and go on to whole
// vectors of the widest instruction set.
#if defined(QB_KERNELS_MIXER_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_MIXER_ROWS_INL_H
#undef QB_KERNELS_MIXER_ROWS_INL_H
#else
#define QB_KERNELS_MIXER_ROWS_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <utility>

#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"
#include "kernels/mixer/products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// to [count][stride] := change(rows) of one head of any type, filled up with zeros. change maps
// vectors.
template <class Change>
HWY_INLINE void load_changed(const TensorView& view, std::int64_t batch, std::int64_t head,
                             std::int64_t first, std::int64_t count, std::int64_t stride, float* to,
                             Change change) {
  const Floats d;
  const std::int64_t dim = view.extent.head_dim;
  for (std::int64_t i = 0; i < count; ++i, to += stride) {
    const float* row = to;
    if (view.dtype == DType::f32 && dim % lanes() == 0)
      row = view.row_as<float>(batch, head, first + i);
    else
      convert(view.row(batch, head, first + i), view.dtype, to, DType::f32, dim);
    for (std::int64_t x = 0; x < dim; x += lanes())
      hn::Store(change(hn::LoadU(d, row + x)), d, to + x);
    std::fill(to + dim, to + stride, 0.0f);
  }
}

HWY_INLINE void load_rows(const TensorView& view, std::int64_t batch, std::int64_t head,
                          std::int64_t first, std::int64_t count, std::int64_t stride, float* to) {
  load_changed(view, batch, head, first, count, stride, to, [](Vector x) { return x; });
}

// Returns such rows in place where products can read them there.
HWY_INLINE const float* rows_in_place(const TensorView& view, std::int64_t batch, std::int64_t head,
                                      std::int64_t first, std::int64_t count, std::int64_t stride,
                                      float* buffer) {
  const float* const rows = view.row_as<float>(batch, head, first);
  const bool aligned = reinterpret_cast<std::uintptr_t>(rows) % 64 == 0;
  if (view.dtype == DType::f32 && aligned && view.extent.head_dim == stride &&
      view.token_stride == stride)
    return rows;
  load_rows(view, batch, head, first, count, stride, buffer);
  return buffer;
}

// to [dim] := factor * row, at any address. Past the caches where `streams` and the address allow
// it.
HWY_INLINE void store_row(const float* row, std::int64_t dim, float factor, float* to,
                          bool streams = false) {
  const Floats d;
  const Vector by = hn::Set(d, factor);
  std::int64_t x = 0;
  if (streams && reinterpret_cast<std::uintptr_t>(to) % 64 == 0)
    for (; x + lanes() <= dim; x += lanes())
      hn::Stream(hn::Mul(by, hn::Load(d, row + x)), d, to + x);
  for (; x + lanes() <= dim; x += lanes()) hn::StoreU(hn::Mul(by, hn::Load(d, row + x)), d, to + x);
  for (; x < dim; ++x) to[x] = factor * row[x];
}

// row[x] := change(x, row[x]) for whole vectors of [0, width).
template <class Change>
HWY_INLINE void change_row(float* row, std::int64_t width, Change change) {
  const Floats d;
  for (std::int64_t x = 0; x < width; x += lanes())
    hn::Store(change(x, hn::Load(d, row + x)), d, row + x);
}

HWY_INLINE float row_dot(const float* a, const float* b, std::int64_t width) {
  const Floats d;
  Vector sum = hn::Zero(d);
  for (std::int64_t x = 0; x < width; x += lanes())
    sum = hn::MulAdd(hn::Load(d, a + x), hn::Load(d, b + x), sum);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// elu(x) + 1
HWY_INLINE Vector elu_feature(Vector x) {
  const Floats d;
  const Vector zero = hn::Zero(d);
  const Vector log2e = hn::Set(d, static_cast<float>(std::numbers::log2e));
  // In this order NaN is kept.
  const Vector negative = exp2_fast(d, hn::Mul(log2e, hn::Min(zero, x)));
  return hn::Add(negative, hn::Max(zero, x));
}

// sums [width] += the sum of rows [count][stride]
HWY_INLINE void add_column_sums(const float* rows, std::int64_t count, std::int64_t stride,
                                std::int64_t width, float* sums) {
  const Floats d;
  for (std::int64_t x = 0; x < width; x += lanes()) {
    Vector even = hn::Load(d, sums + x);
    Vector odd = hn::Zero(d);
    for (std::int64_t i = 0; i < count; ++i) {
      std::swap(even, odd);
      even = hn::Add(even, hn::Load(d, rows + i * stride + x));
    }
    hn::Store(hn::Add(even, odd), d, sums + x);
  }
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
