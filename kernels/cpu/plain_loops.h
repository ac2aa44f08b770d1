// SPDX-License-Identifier: Apache-2.0
// These are the two inner loops of the float64 reference, compiled for each instruction set: plain
// sums, which the compiler vectorises over their independent index, so that no sum is reordered.
#pragma once

#include <cstdint>

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

}  // namespace qb::cpu
