// SPDX-License-Identifier: Apache-2.0
// The inner product kernel of flash keeps a block of C in registers while it runs over the depth.
//
//   C[r][v] += sum over k < depth of A(r, k) B[k][v],   r < R rows, v < V vectors
//
// One unit of A at a time is broadcast from its place in memory; B is packed, and has V
// vectors in each row. R x V + V + 1 vectors must fit the registers: on AVX-512 and NEON 24
// accumulators of 32 registers, on the others 12 of 16, each enough to hide the latency of a fused
// multiply-add.
//
// A unit is 32 bits: one float, or two neighbouring bf16 of the depth where the instruction set
// multiplies pairs. Both pass through the same loads, so that only the multiplication differs.
#if defined(QB_KERNELS_CPU_TILE_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_TILE_PRODUCT_INL_H
#undef QB_KERNELS_CPU_TILE_PRODUCT_INL_H
#else
#define QB_KERNELS_CPU_TILE_PRODUCT_INL_H
#endif

#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

// AVX-512 here means the sets with bf16 too where the compiler must know it; only Bf16Pairs and
// Bf16Tiles use them, and the host code checks the CPU before it chooses these.
#if HWY_TARGET == HWY_AVX3
#pragma push_macro("HWY_TARGET_STR")
#undef HWY_TARGET_STR
#define HWY_TARGET_STR HWY_TARGET_STR_AVX3 ",avx512bf16,amx-tile,amx-bf16"
#endif

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t kRowBlock = 8;
#else
inline constexpr std::size_t kRowBlock = 4;
#endif
inline constexpr std::size_t kVectorBlock = 3;

HWY_INLINE float load_unit(const float* address) {
  float unit;
  std::memcpy(&unit, address, sizeof unit);  // the memory may hold bf16
  return unit;
}

struct Float32Units {
  static constexpr std::int64_t kElements = 1;  // elements of the depth in a unit
  static constexpr std::int64_t kKeys = 2;      // a run's scores fill a multiple of these
  static constexpr bool kTiles = false;         // whether it has products of its own
  template <class V>
  static HWY_INLINE V multiply_add(V a, V b, V sum) {
    return hn::MulAdd(a, b, sum);
  }
};

#if HWY_TARGET == HWY_AVX3
struct Bf16Pairs {
  static constexpr std::int64_t kElements = 2;
  static constexpr std::int64_t kKeys = 2;
  static constexpr bool kTiles = false;
  template <class V>
  static HWY_INLINE V multiply_add(V a, V b, V sum) {
    return V{_mm512_dpbf16_ps(sum.raw, reinterpret_cast<__m512bh>(a.raw),
                              reinterpret_cast<__m512bh>(b.raw))};
  }
};
#endif

// Reads A(r, k) from row-major rows.
template <std::size_t R>
struct RowUnits {
  const float* rows[R];
  RowUnits(const float* first, std::int64_t stride) {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) rows[r] = first + static_cast<std::int64_t>(r) * stride;
  }
  HWY_INLINE float operator()(std::size_t r, std::int64_t k) const {
    return load_unit(rows[r] + k);
  }
};

// Reads A(r, k) from the transpose of row-major rows.
struct ColumnUnits {
  const float* data;
  std::int64_t stride;
  HWY_INLINE float operator()(std::size_t r, std::int64_t k) const {
    return load_unit(data + k * stride + r);
  }
};

// Rows of B are b_stride floats apart.
template <class Units, std::size_t R, std::size_t V, class D, class A>
HWY_INLINE void multiply_tile(D d, const A& a, const float* b, std::size_t b_stride,
                              std::int64_t depth, hn::Vec<D> (&sum)[R][V]) {
  const std::size_t lanes = hn::Lanes(d);
#pragma GCC unroll 8
  for (std::int64_t k = 0; k < depth; ++k, b += b_stride) {
    hn::Vec<D> columns[V];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) columns[v] = hn::Load(d, b + v * lanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) {
      const auto unit = hn::Set(d, a(r, k));
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v)
        sum[r][v] = Units::multiply_add(unit, columns[v], sum[r][v]);
    }
  }
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
