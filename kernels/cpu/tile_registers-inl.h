// SPDX-License-Identifier: Apache-2.0
// The products of flash in AMX's tile registers, each of 16 rows of 64 bytes:
//
//   C [16][16] += A [16][32] B [32][16]     float32 += bf16 bf16, 16 cycles
//
// A has rows of bf16, any distance apart; B has rows of units, the pairs of neighbouring depth in
// the place of floats, as the packed operand of the other products (tile_product-inl.h). So S^T = K
// Q^T reads K where it lies, and only O^T = V^T P needs another copy of its first operand.
#if defined(QB_KERNELS_CPU_TILE_REGISTERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QB_KERNELS_CPU_TILE_REGISTERS_INL_H
#undef QB_KERNELS_CPU_TILE_REGISTERS_INL_H
#else
#define QB_KERNELS_CPU_TILE_REGISTERS_INL_H
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <hwy/highway.h>

#include "base/integers.h"
#include "kernels/cpu/flash_rows-inl.h"
#include "kernels/cpu/tile_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3

// Holds this thread's tile registers, 16 rows of 64 bytes each; other code must not find them in
// use, since the system saves them then.
class TileRegisters {
 public:
  TileRegisters() { _tile_loadconfig(&kAll); }
  ~TileRegisters() { _tile_release(); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;

 private:
  struct alignas(64) Configuration {  // as LDTILECFG reads it
    std::uint8_t palette;
    std::uint8_t start_row;
    std::uint8_t reserved[14];
    std::uint16_t row_bytes[16];
    std::uint8_t rows[16];
  };
  static constexpr Configuration kAll{
      1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
};

struct Bf16Tiles : Bf16Pairs {
  static constexpr bool kTiles = true;
  static constexpr std::int64_t kKeys = kFlashTileKeys;

  // Computes C [16][V vectors] := A B, or += where kAdd is set, of `steps` times 16 units of depth.
  // Distances of rows are in floats or units.
  template <std::size_t V, bool kAdd = false>
  static HWY_INLINE void multiply(const float* a, std::int64_t a_stride, const float* b,
                                  std::int64_t b_stride, std::int64_t steps, float* c,
                                  std::int64_t c_stride) {
    static_assert(V <= 4);
    constexpr std::int64_t kFloat = sizeof(float);
    // The compiler does not know that tile loads read memory.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if constexpr (kAdd) {
      _tile_loadd(0, c, c_stride * kFloat);
      if constexpr (V > 1) _tile_loadd(1, c + 16, c_stride * kFloat);
      if constexpr (V > 2) _tile_loadd(2, c + 32, c_stride * kFloat);
      if constexpr (V > 3) _tile_loadd(3, c + 48, c_stride * kFloat);
    } else {
      _tile_zero(0);
      if constexpr (V > 1) _tile_zero(1);
      if constexpr (V > 2) _tile_zero(2);
      if constexpr (V > 3) _tile_zero(3);
    }
    for (std::int64_t step = 0; step < steps; ++step, a += 16, b += 16 * b_stride) {
      _tile_loadd(6, a, a_stride * kFloat);
      _tile_loadd(4, b, b_stride * kFloat);
      _tile_dpbf16ps(0, 6, 4);
      if constexpr (V > 1) {
        _tile_loadd(5, b + 16, b_stride * kFloat);
        _tile_dpbf16ps(1, 6, 5);
      }
      if constexpr (V > 2) {
        _tile_loadd(7, b + 32, b_stride * kFloat);
        _tile_dpbf16ps(2, 6, 7);
      }
      if constexpr (V > 3) {
        _tile_loadd(4, b + 48, b_stride * kFloat);
        _tile_dpbf16ps(3, 6, 4);
      }
    }
    _tile_stored(0, c, c_stride * kFloat);
    if constexpr (V > 1) _tile_stored(1, c + 16, c_stride * kFloat);
    if constexpr (V > 2) _tile_stored(2, c + 32, c_stride * kFloat);
    if constexpr (V > 3) _tile_stored(3, c + 48, c_stride * kFloat);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  // Computes four products of registers in a round, and returns their FLOP.
  static HWY_INLINE double multiply_registers(std::int64_t rounds) {
    const TileRegisters registers;
    for (std::int64_t round = 0; round < rounds; ++round) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    return static_cast<double>(rounds) * 4.0 * (16 * 16 * 32) * 2.0;
  }

  // Computes S^T of `count` keys, whose rows go on to a multiple of 16, and adds its maxima to
  // `largest` [V vectors].
  template <std::size_t V>
  static HWY_NOINLINE void score(const float* queries, std::int64_t units, const UnitRows& keys,
                                 std::int64_t count, float* scores, float* largest) {
    const Floats d;
    constexpr std::int64_t kWidth = 16 * V;
    Vector most[V];
    for (std::size_t v = 0; v < V; ++v) most[v] = hn::Load(d, largest + 16 * v);
    for (std::int64_t key = 0; key < count; key += 16) {
      float* const to = scores + key * kWidth;
      multiply<V>(keys.data + key * keys.stride, keys.stride, queries, kWidth, ceil_div(units, 16),
                  to, kWidth);
      const std::int64_t rows = std::min<std::int64_t>(16, count - key);
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::size_t v = 0; v < V; ++v)
          most[v] = hn::Max(most[v], hn::Load(d, to + r * kWidth + 16 * v));
    }
    for (std::size_t v = 0; v < V; ++v) hn::Store(most[v], d, largest + 16 * v);
  }

  // Computes O^T = f O^T + V^T P of 16 value columns, whose values are rows.
  template <std::size_t V>
  static HWY_NOINLINE void accumulate(float* out, const UnitRows& values, std::int64_t column,
                                      const float* probabilities, std::int64_t depth,
                                      const float* factors) {
    const Floats d;
    constexpr std::int64_t kWidth = 16 * V;
    alignas(64) float sum[16 * kWidth];
    multiply<V>(values.data + column * values.stride, values.stride, probabilities, kWidth,
                ceil_div(depth, 16), sum, kWidth);
    Vector factor[V];
    for (std::size_t v = 0; v < V; ++v) factor[v] = hn::Load(d, factors + 16 * v);
    float* const to = out + column * kWidth;
    for (std::int64_t x = 0; x < 16 * kWidth; x += kWidth)
      for (std::size_t v = 0; v < V; ++v)
        hn::Store(
            hn::MulAdd(factor[v], hn::Load(d, to + x + 16 * v), hn::Load(d, sum + x + 16 * v)), d,
            to + x + 16 * v);
  }
};

#endif  // HWY_AVX3

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
