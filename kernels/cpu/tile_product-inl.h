// The inner product kernel of flash: a block of C kept in registers while it runs over the depth.
//
//   C[r][v] = f_r C[r][v] + sum over k < depth of A(r, k) B[k][v],   r < R rows, v < V vectors
//
// B is row-major (a packed key panel or a value block), one element of A at a time is broadcast.
// R x V + V + 1 vectors must fit the registers: on AVX-512 and NEON 24 accumulators of 32
// registers, on the others 12 of 16, each enough to hide the latency of a fused multiply-add.
#if defined(QB_KERNELS_CPU_TILE_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_TILE_PRODUCT_INL_H
#undef QB_KERNELS_CPU_TILE_PRODUCT_INL_H
#else
#define QB_KERNELS_CPU_TILE_PRODUCT_INL_H
#endif

#include <cstddef>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr std::size_t kRowBlock = 6;
inline constexpr std::size_t kVectorBlock = 4;
#else
inline constexpr std::size_t kRowBlock = 6;
inline constexpr std::size_t kVectorBlock = 2;
#endif

// A(r, k) of rows that lie interleaved, R to a column.
template <std::size_t R>
struct InterleavedRows {
  const float* data;
  HWY_INLINE float operator()(std::size_t r, std::size_t k) const { return data[k * R + r]; }
};

// A(r, k) of row-major rows at a distance known to the compiler.
template <std::size_t kStride>
struct StridedRows {
  const float* data;
  HWY_INLINE float operator()(std::size_t r, std::size_t k) const { return data[r * kStride + k]; }
};

// `factors` null: C is overwritten, whatever was there.
template <std::size_t R, std::size_t V, class D, class A>
HWY_INLINE void tile_product(D d, const A& a, const float* b, std::size_t b_stride,
                             std::size_t depth, const float* factors, float* c,
                             std::size_t c_stride) {
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<D> sum[R][V];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v)
      sum[r][v] = factors == nullptr
                      ? hn::Zero(d)
                      : hn::Mul(hn::Set(d, factors[r]), hn::Load(d, c + r * c_stride + v * lanes));
  }
  for (std::size_t k = 0; k < depth; ++k) {
    hn::Vec<D> columns[V];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) columns[v] = hn::Load(d, b + k * b_stride + v * lanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) {
      const auto element = hn::Set(d, a(r, k));
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(element, columns[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) hn::Store(sum[r][v], d, c + r * c_stride + v * lanes);
  }
}

}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
