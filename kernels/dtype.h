// SPDX-License-Identifier: Apache-2.0
// Defines the element types of tensors, and conversions between them, which round to nearest even.
#pragma once

#include <cstdint>

#include "base/words.h"

namespace qb {

enum class DType { f16, bf16, f32, f64 };

QB_WORDS(DType, "dtype", f16, bf16, f32, f64);

[[nodiscard]] constexpr std::int64_t size_of(DType dtype) {
  return dtype == DType::f64 ? 8 : dtype == DType::f32 ? 4 : 2;
}

// Returns the unit roundoff: half the distance from 1 to the next number.
[[nodiscard]] constexpr double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 1.0 / 2048.0;
    case DType::bf16:
      return 1.0 / 256.0;
    case DType::f32:
      return 1.0 / 16777216.0;
    case DType::f64:
      return 1.0 / 9007199254740992.0;
  }
  return 0.0;
}

[[nodiscard]] std::uint16_t f32_to_f16(float value);
[[nodiscard]] float f16_to_f32(std::uint16_t bits);
[[nodiscard]] std::uint16_t f32_to_bf16(float value);
[[nodiscard]] float bf16_to_f32(std::uint16_t bits);

// These read or write the element of type `dtype` at `address` as a double, for references and I/O.
[[nodiscard]] double load_element(const void* address, DType dtype);
void store_element(void* address, DType dtype, double value);

// Converts `count` contiguous elements, through float where one of the types has 16 bits.
void convert(const void* source, DType from, void* destination, DType to, std::int64_t count);

}  // namespace qb
