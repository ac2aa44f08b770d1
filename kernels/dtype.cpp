// SPDX-License-Identifier: Apache-2.0
// Conversions are plain branch-free loops, compiled once for each instruction set and chosen at run
// time; the scalar functions are loops of one, so that both give the same bits.
//
// The f16 formulas let the floating-point unit do the rounding: adding a number whose last bit has
// the weight of the result's last bit rounds to nearest even at just that bit, subnormal or not
// (M. Dukhan, FP16 library).
#include "kernels/dtype.h"

#include <bit>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dtype.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace qb::HWY_NAMESPACE {
namespace {

HWY_INLINE float widen_f16(std::uint16_t half) {
  const std::uint32_t shifted = static_cast<std::uint32_t>(half) << 16;
  const std::uint32_t sign = shifted & 0x80000000u;
  const std::uint32_t magnitude = shifted + shifted;  // exponent and mantissa, at the top
  const float normal = std::bit_cast<float>((magnitude >> 4) + (0xE0u << 23)) * 0x1.0p-112f;
  const float subnormal = std::bit_cast<float>((magnitude >> 17) | (126u << 23)) - 0.5f;
  const std::uint32_t bits = magnitude < (1u << 27) ? std::bit_cast<std::uint32_t>(subnormal)
                                                    : std::bit_cast<std::uint32_t>(normal);
  return std::bit_cast<float>(sign | bits);
}

HWY_INLINE std::uint16_t round_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000u;
  const std::uint32_t twice = bits + bits;
  // Values that round above 65504 become infinite in the first product.
  const float magnitude = (std::bit_cast<float>(bits & 0x7FFFFFFFu) * 0x1.0p+112f) * 0x1.0p-110f;
  const std::uint32_t exponent = twice & 0xFF000000u;
  const std::uint32_t bias = exponent < 0x71000000u ? 0x71000000u : exponent;
  const std::uint32_t rounded =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>((bias >> 1) + 0x07800000u) + magnitude);
  const std::uint32_t finite = ((rounded >> 13) & 0x7C00u) + (rounded & 0x0FFFu);
  return static_cast<std::uint16_t>((sign >> 16) | (twice > 0xFF000000u ? 0x7E00u : finite));
}

HWY_INLINE float widen_bf16(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

HWY_INLINE std::uint16_t round_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return static_cast<std::uint16_t>((bits + bits) > 0xFF000000u ? quiet_nan : rounded);
}

// Rounds to odd: towards zero, and the last bit set where something was cut off. A number of 16
// bits that is rounded from that one is as if it were rounded once from `value`.
HWY_INLINE float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const std::uint32_t towards_zero =
      bits - static_cast<std::uint32_t>(std::abs(back) > std::abs(value));
  return back == value || value != value ? nearest : std::bit_cast<float>(towards_zero | 1U);
}

template <class From, class To, class Function>
HWY_INLINE void map(const void* source, void* destination, std::int64_t count, Function function) {
  const From* HWY_RESTRICT from = static_cast<const From*>(source);
  To* HWY_RESTRICT to = static_cast<To*>(destination);
  for (std::int64_t i = 0; i < count; ++i) to[i] = function(from[i]);
}

void to_f32(const void* source, DType from, float* destination, std::int64_t count) {
  switch (from) {
    case DType::f16:
      return map<std::uint16_t, float>(source, destination, count,
                                       [](auto x) { return widen_f16(x); });
    case DType::bf16:
      return map<std::uint16_t, float>(source, destination, count,
                                       [](auto x) { return widen_bf16(x); });
    case DType::f32:
      return void(std::memcpy(destination, source, 4 * static_cast<std::size_t>(count)));
    case DType::f64:
      return map<double, float>(source, destination, count,
                                [](auto x) { return static_cast<float>(x); });
  }
}

void to_odd_f32(const void* source, float* destination, std::int64_t count) {
  map<double, float>(source, destination, count, [](auto x) { return round_to_odd(x); });
}

void from_f32(const float* source, void* destination, DType to, std::int64_t count) {
  switch (to) {
    case DType::f16:
      return map<float, std::uint16_t>(source, destination, count,
                                       [](auto x) { return round_f16(x); });
    case DType::bf16:
      return map<float, std::uint16_t>(source, destination, count,
                                       [](auto x) { return round_bf16(x); });
    case DType::f32:
      return void(std::memcpy(destination, source, 4 * static_cast<std::size_t>(count)));
    case DType::f64:
      return map<float, double>(source, destination, count,
                                [](auto x) { return static_cast<double>(x); });
  }
}

// These serve callers outside, into which code for an instruction set cannot be inlined.
float f16_to_f32_one(std::uint16_t half) { return widen_f16(half); }
std::uint16_t f32_to_f16_one(float value) { return round_f16(value); }
float bf16_to_f32_one(std::uint16_t half) { return widen_bf16(half); }
std::uint16_t f32_to_bf16_one(float value) { return round_bf16(value); }

}  // namespace
}  // namespace qb::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb {
namespace {

HWY_EXPORT(to_f32);
HWY_EXPORT(to_odd_f32);
HWY_EXPORT(from_f32);

}  // namespace

std::uint16_t f32_to_f16(float value) { return HWY_STATIC_DISPATCH(f32_to_f16_one)(value); }
float f16_to_f32(std::uint16_t bits) { return HWY_STATIC_DISPATCH(f16_to_f32_one)(bits); }
std::uint16_t f32_to_bf16(float value) { return HWY_STATIC_DISPATCH(f32_to_bf16_one)(value); }
float bf16_to_f32(std::uint16_t bits) { return HWY_STATIC_DISPATCH(bf16_to_f32_one)(bits); }

double load_element(const void* address, DType dtype) {
  if (dtype == DType::f64) {
    double value;
    std::memcpy(&value, address, sizeof(value));
    return value;
  }
  float value;
  HWY_DYNAMIC_DISPATCH(to_f32)(address, dtype, &value, 1);
  return static_cast<double>(value);
}

void store_element(void* address, DType dtype, double value) {
  if (dtype == DType::f64) return void(std::memcpy(address, &value, sizeof(value)));
  convert(&value, DType::f64, address, dtype, 1);
}

void convert(const void* source, DType from, void* destination, DType to, std::int64_t count) {
  if (from == to) {
    const auto bytes = static_cast<std::size_t>(count * size_of(from));
    if (bytes != 0) std::memcpy(destination, source, bytes);
    return;
  }
  if (to == DType::f32)
    return HWY_DYNAMIC_DISPATCH(to_f32)(source, from, static_cast<float*>(destination), count);
  if (from == DType::f32)
    return HWY_DYNAMIC_DISPATCH(from_f32)(static_cast<const float*>(source), destination, to,
                                          count);
  // Conversions without float32 go through a buffer that stays in the first-level cache.
  constexpr std::int64_t kChunk = 1024;
  float buffer[kChunk];
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    const std::int64_t n = count - begin < kChunk ? count - begin : kChunk;
    const std::byte* const at = static_cast<const std::byte*>(source) + begin * size_of(from);
    if (from == DType::f64)
      HWY_DYNAMIC_DISPATCH(to_odd_f32)(at, buffer, n);
    else
      HWY_DYNAMIC_DISPATCH(to_f32)(at, from, buffer, n);
    HWY_DYNAMIC_DISPATCH(from_f32)
    (buffer, static_cast<std::byte*>(destination) + begin * size_of(to), to, n);
  }
}

}  // namespace qb
#endif  // HWY_ONCE
