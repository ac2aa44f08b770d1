// SPDX-License-Identifier: Apache-2.0
// The references compute in float64, and also in float32 with intermediates rounded to the inputs'
// type, which shows how large an error a straightforward implementation makes.
#pragma once

#include "kernels/dtype.h"

namespace qb::cpu {

// The type of tensors whose elements are T.
template <class T>
inline constexpr DType kTypeOf = sizeof(T) == 8 ? DType::f64 : DType::f32;

// Returns the value rounded to a 16-bit type, and unchanged for the others.
template <class T>
[[nodiscard]] T rounded(T value, DType type) {
  if (type == DType::f16) return f16_to_f32(f32_to_f16(static_cast<float>(value)));
  if (type == DType::bf16) return bf16_to_f32(f32_to_bf16(static_cast<float>(value)));
  return value;
}

}  // namespace qb::cpu
