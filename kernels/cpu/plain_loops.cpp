// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/plain_loops.h"

#include <cstddef>

#include "kernels/cpu/every_set-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A block of C is kept in registers, so that what is loaded of B serves several rows. It has to
// hold enough sums to hide the latency of an addition.
constexpr std::size_t kRowBlock = 4;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr std::size_t kVectorBlock = 4;
#else
constexpr std::size_t kVectorBlock = 2;
#endif

// Adds R rows and V vectors of columns, from (i, j) on.
template <std::size_t R, std::size_t V, bool kLeavesOutZeros, class D, class T>
HWY_INLINE void add_block(D tag, const PlainProducts<T>& of, std::int64_t i, std::int64_t j) {
  using Vector = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(tag);
  const T* const a = of.a + i * of.a_stride;
  const T* b = of.b + j;
  T* const c = of.c + i * of.c_stride + j;
  Vector sum[R][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v)
      sum[r][v] = hn::LoadU(tag, c + static_cast<std::int64_t>(r) * of.c_stride + v * lanes);
  for (std::int64_t k = 0; k < of.depth; ++k, b += of.b_stride) {
    Vector columns[V];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) columns[v] = hn::LoadU(tag, b + v * lanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) {
      const T factor = a[static_cast<std::int64_t>(r) * of.a_stride + k];
      if (kLeavesOutZeros && factor == T{0}) continue;
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v)
        sum[r][v] = hn::MulAdd(hn::Set(tag, factor), columns[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v)
      hn::StoreU(sum[r][v], tag, c + static_cast<std::int64_t>(r) * of.c_stride + v * lanes);
}

// Goes over all rows, so that these columns of B come from the cache after the first of them.
template <std::size_t V, bool kLeavesOutZeros, class D, class T>
HWY_INLINE void add_columns(D tag, const PlainProducts<T>& of, std::int64_t j) {
  constexpr auto kRows = static_cast<std::int64_t>(kRowBlock);
  std::int64_t i = 0;
  for (; i + kRows <= of.rows; i += kRows) add_block<kRowBlock, V, kLeavesOutZeros>(tag, of, i, j);
  for (; i < of.rows; ++i) add_block<1, V, kLeavesOutZeros>(tag, of, i, j);
}

template <bool kLeavesOutZeros, class T>
HWY_INLINE void add_all(const PlainProducts<T>& of) {
  const hn::ScalableTag<T> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  constexpr auto kVectors = static_cast<std::int64_t>(kVectorBlock);
  std::int64_t j = 0;
  for (; j + kVectors * lanes <= of.columns; j += kVectors * lanes)
    add_columns<kVectorBlock, kLeavesOutZeros>(tag, of, j);
  for (; j + lanes <= of.columns; j += lanes) add_columns<1, kLeavesOutZeros>(tag, of, j);
  for (; j < of.columns; ++j) add_columns<1, kLeavesOutZeros>(hn::CappedTag<T, 1>(), of, j);
}

void products_f64(const PlainProducts<double>& of) { add_all<false>(of); }
void products_f32(const PlainProducts<float>& of) { add_all<false>(of); }
void weighted_rows_f64(const PlainProducts<double>& of) { add_all<true>(of); }
void weighted_rows_f32(const PlainProducts<float>& of) { add_all<true>(of); }

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(products_f64);
HWY_EXPORT(products_f32);
HWY_EXPORT(weighted_rows_f64);
HWY_EXPORT(weighted_rows_f32);

void add_products(const PlainProducts<double>& of) { HWY_DYNAMIC_DISPATCH(products_f64)(of); }
void add_products(const PlainProducts<float>& of) { HWY_DYNAMIC_DISPATCH(products_f32)(of); }
void add_weighted_rows(const PlainProducts<double>& of) {
  HWY_DYNAMIC_DISPATCH(weighted_rows_f64)(of);
}
void add_weighted_rows(const PlainProducts<float>& of) {
  HWY_DYNAMIC_DISPATCH(weighted_rows_f32)(of);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
