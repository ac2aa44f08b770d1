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

#include <hwy/highway.h>

#include "kernels/cpu/exp2-inl.h"
#include "kernels/mixer/products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// to [count][stride] := rows of one head of any type, filled up with zeros.
HWY_INLINE void load_rows(const TensorView& view, std::int64_t batch, std::int64_t head,
                          std::int64_t first, std::int64_t count, std::int64_t stride, float* to) {
  const std::int64_t dim = view.extent.head_dim;
  if (dim == stride && view.token_stride == dim)
    return convert(view.row(batch, head, first), view.dtype, to, DType::f32, count * dim);
  for (std::int64_t i = 0; i < count; ++i, to += stride) {
    convert(view.row(batch, head, first + i), view.dtype, to, DType::f32, dim);
    std::fill(to + dim, to + stride, 0.0f);
  }
}

// to [dim] := factor * row, at any address.
HWY_INLINE void store_row(const float* row, std::int64_t dim, float factor, float* to) {
  const Floats d;
  const Vector by = hn::Set(d, factor);
  std::int64_t x = 0;
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

// rows [count][stride] := elu(rows) + 1, and 0 behind the last feature.
HWY_INLINE void elu_features(std::int64_t count, std::int64_t features, std::int64_t stride,
                             float* rows) {
  const Floats d;
  const Vector zero = hn::Zero(d);
  const Vector log2e = hn::Set(d, static_cast<float>(std::numbers::log2e));
  change_row(rows, count * stride, [&](std::int64_t, Vector x) {
    // In this order NaN is kept.
    const Vector negative = exp2_fast(d, hn::Mul(log2e, hn::Min(zero, x)));
    return hn::Add(negative, hn::Max(zero, x));
  });
  for (std::int64_t i = 0; i < count && features < stride; ++i)
    std::fill(rows + i * stride + features, rows + (i + 1) * stride, 0.0f);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
