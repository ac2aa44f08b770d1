// SPDX-License-Identifier: Apache-2.0
// What the references compute with. They compute in float64, and also in float32 with intermediates
// rounded to the inputs' type, which shows how large an error a straightforward implementation
// makes. Their two inner loops are compiled for each instruction set: plain sums, which the
// compiler vectorises over their independent index, so that no sum is reordered.
#pragma once

#include <cstdint>

#include "kernels/dtype.h"

namespace qb::cpu {

// scores[j] += sum over x < d of q[x] * k_t[x * stride + j], for j < n.
void add_products(const double* q, const double* k_t, std::int64_t stride, std::int64_t d,
                  std::int64_t n, double* scores);
void add_products(const float* q, const float* k_t, std::int64_t stride, std::int64_t d,
                  std::int64_t n, float* scores);

// out[x] += sum over j < n of p[j] * v[j * e + x], for x < e, leaving out p[j] == 0.
void add_weighted_rows(const double* p, const double* v, std::int64_t n, std::int64_t e,
                       double* out);
void add_weighted_rows(const float* p, const float* v, std::int64_t n, std::int64_t e, float* out);

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
