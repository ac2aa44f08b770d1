// SPDX-License-Identifier: Apache-2.0
// Rows of scratch memory and their products. Rows are float32, begin at a multiple of 64 bytes and
// go on to whole vectors of the widest instruction set. Factors on the left and products have room
// for kRowsBehind rows more, so that no product has a remainder; what it computes there is not
// used.
#if defined(QB_KERNELS_MIXER_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_MIXER_ROWS_INL_H
#undef QB_KERNELS_MIXER_ROWS_INL_H
#else
#define QB_KERNELS_MIXER_ROWS_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <utility>

#include <hwy/highway.h>

#include "kernels/cpu/backward_products-inl.h"
#include "kernels/cpu/exp2-inl.h"

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

HWY_INLINE void multiply_row(float* row, std::int64_t width, Vector factor) {
  change_row(row, width, [&](std::int64_t, Vector x) { return hn::Mul(x, factor); });
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

// Computes 2^x for x <= 0 with an error of a rounding, 9e-9 before it, and none at 0. exp2_fast()
// is off by up to 1.5e-7 where x is near 0, to one side, and a state that lasts for thousands of
// tokens is multiplied by as many of its results.
HWY_INLINE Vector exp2_unbiased(Vector x) {
  const Floats d;
  constexpr float kPolynomial[] = {0.00015453163359779865f,
                                   0.0013390863314270973f,
                                   0.009618083015084267f,
                                   0.055503569543361664f,
                                   0.24022650718688965f,
                                   0.6931471824645996f,
                                   1.0f};
#if HWY_TARGET == HWY_AVX3
  const Vector f{_mm512_reduce_ps(x.raw, 0x08)};  // from the nearest integer; 0 if x is infinite
  const Vector n = hn::Sub(x, f);
#else
  x = hn::Max(hn::Set(d, -127.0f), x);  // in this order NaN is kept
  const Vector n = hn::Round(x);
  const Vector f = hn::Sub(x, n);
#endif
  Vector p = hn::Set(d, kPolynomial[0]);
#pragma GCC unroll 8
  for (std::size_t i = 1; i < std::size(kPolynomial); ++i)
    p = hn::MulAdd(p, f, hn::Set(d, kPolynomial[i]));
#if HWY_TARGET == HWY_AVX3
  return Vector{_mm512_scalef_ps(p.raw, n.raw)};
#else
  // The low bits of this sum hold n + 127.
  const hn::RebindToUnsigned<Floats> du;
  const Vector biased = hn::Add(n, hn::Set(d, 12582912.0f + 127.0f));
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, biased))));
#endif
}

// sums [width] += the sum of rows [count][stride], which is made first: of long sequences a row
// alone is less than half a unit in the last place of `sums`.
HWY_INLINE void add_column_sums(const float* rows, std::int64_t count, std::int64_t stride,
                                std::int64_t width, float* sums) {
  const Floats d;
  for (std::int64_t x = 0; x < width; x += lanes()) {
    Vector even = hn::Zero(d);
    Vector odd = hn::Zero(d);
    for (std::int64_t i = 0; i < count; ++i) {
      std::swap(even, odd);
      even = hn::Add(even, hn::Load(d, rows + i * stride + x));
    }
    hn::Store(hn::Add(hn::Load(d, sums + x), hn::Add(even, odd)), d, sums + x);
  }
}

// One term of a sum of products, A [rows][depth] B [depth][columns].
struct RowsTerm {
  const float* a;
  std::int64_t a_stride;
  const float* b;
  std::int64_t b_stride;
  std::int64_t depth;
  template <std::size_t R>
  [[nodiscard]] HWY_INLINE RowUnits<R> units(std::int64_t row) const {
    return {a + row * a_stride, a_stride};
  }
};

// A is the transpose of what is stored, [depth][rows].
struct ColumnsTerm : RowsTerm {
  template <std::size_t R>
  [[nodiscard]] HWY_INLINE ColumnUnits units(std::int64_t row) const {
    return {a + row, a_stride};
  }
};

// As in backward_products-inl.h, the sum is made apart from C and in a function of its own.
template <std::size_t R, std::size_t V, bool kAdd, class... Terms>
HWY_NOINLINE void sum_block(std::int64_t row, std::int64_t x, float* c, std::int64_t c_stride,
                            const Terms&... terms) {
  const Floats d;
  Vector sum[R][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  (multiply_tile<Float32Units>(d, terms.template units<R>(row), terms.b + x,
                               static_cast<std::size_t>(terms.b_stride), terms.depth, sum),
   ...);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      float* const to = c + (row + static_cast<std::int64_t>(r)) * c_stride + x +
                        static_cast<std::int64_t>(v) * lanes();
      hn::Store(kAdd ? hn::Add(hn::Load(d, to), sum[r][v]) : sum[r][v], d, to);
    }
}

// Fetches memory that is read next into the second-level cache, some of it between blocks: products
// leave time for it, and the loads that follow them would wait for each line.
struct Ahead {
  struct Rows {
    const std::byte* first;
    std::int64_t stride;  // in bytes, and so is width
    std::int64_t width;
  };
  Rows rows[4];
  std::int64_t count = 0;  // of these tensors
  std::int64_t next = 0;   // the row to fetch
  std::int64_t end = 0;
  std::int64_t at_once = 0;  // rows between two blocks

  HWY_INLINE void fetch() {
    for (const std::int64_t last = std::min(end, next + at_once); next < last; ++next)
      for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t x = 0; x < rows[t].width; x += 64)
          __builtin_prefetch(rows[t].first + next * rows[t].stride + x, 0, 2);
  }
};

template <std::size_t V, bool kAdd, class... Terms>
HWY_INLINE void sum_panel(Ahead& ahead, std::int64_t rows, std::int64_t x, float* c,
                          std::int64_t c_stride, const Terms&... terms) {
  constexpr std::size_t kMost = std::min<std::size_t>(8, kPanelSums / V);
  constexpr auto kRows = static_cast<std::int64_t>(kMost);
  for (std::int64_t row = 0; row < rows;) {
    ahead.fetch();
    // Two blocks of four rows take less time than one of six and one of four.
    const std::int64_t left = rows - row;
    if (left > 4 && (left >= kRows || kRows == 6) && !(kRows == 6 && (left == 7 || left == 8))) {
      sum_block<kMost, V, kAdd>(row, x, c, c_stride, terms...);
      row += kRows;
    } else {
      sum_block<4, V, kAdd>(row, x, c, c_stride, terms...);
      row += 4;
    }
  }
}

// C [rows][columns] := the sum of the terms, or C += it.
template <bool kAdd, class... Terms>
HWY_INLINE void sum_products(Ahead& ahead, std::int64_t rows, std::int64_t columns, float* c,
                             std::int64_t c_stride, const Terms&... terms) {
  for_each_panel(columns, [&](std::int64_t x, std::int64_t vectors) {
    if (vectors == 1)
      sum_panel<1, kAdd>(ahead, rows, x, c, c_stride, terms...);
    else if (vectors == 2)
      sum_panel<2, kAdd>(ahead, rows, x, c, c_stride, terms...);
    else if (vectors == 3)
      sum_panel<3, kAdd>(ahead, rows, x, c, c_stride, terms...);
    else if constexpr (kPanelVectors == 4)
      sum_panel<4, kAdd>(ahead, rows, x, c, c_stride, terms...);
  });
}

template <bool kAdd, class... Terms>
HWY_INLINE void sum_products(std::int64_t rows, std::int64_t columns, float* c,
                             std::int64_t c_stride, const Terms&... terms) {
  Ahead nothing;
  sum_products<kAdd>(nothing, rows, columns, c, c_stride, terms...);
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
