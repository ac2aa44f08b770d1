// SPDX-License-Identifier: Apache-2.0
// The log-sum-exp of a row's scores, and how tensors hold it.
//
// A tensor [b,h,n,1] holds LSE, a natural logarithm, in one float. Where scores are large that
// loses the weights: beside a maximum of 1e8 floats are 8 apart, and the log of two equal keys is
// 0.7. A tensor [b,h,n,2] holds it as two floats, whose sum is LSE / ln 2: the largest score as the
// kernel rounded it, and the rest, the binary logarithm of the sum over the keys relative to that
// score. Differences of such maxima are exact where it matters, so that partials, and a backward
// pass, have the weights that the kernel had.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "kernels/tensor.h"

namespace qb {

// In units of log 2. A row without keys has -inf and 0.
struct RowLse {
  float maximum = -std::numeric_limits<float>::infinity();
  float rest = 0.0f;

  [[nodiscard]] bool is_empty() const { return maximum == -std::numeric_limits<float>::infinity(); }
  [[nodiscard]] double natural() const {
    return (static_cast<double>(maximum) + static_cast<double>(rest)) * std::numbers::ln2;
  }
};

// Returns the LSE of sum 2^maximum: no keys where the sum is 0, NaN where it is NaN.
[[nodiscard]] inline RowLse lse_of_sum(float maximum, float sum) {
  if (sum == 0.0f) return {};
  if (std::isnan(sum)) return {sum, 0.0f};
  return {maximum, static_cast<float>(std::log2(static_cast<double>(sum)))};
}

// Splits a binary logarithm; NaN and infinities stay in the maximum.
[[nodiscard]] inline RowLse split_lse(double log2) {
  const auto maximum = static_cast<float>(log2);
  return {maximum,
          std::isfinite(maximum) ? static_cast<float>(log2 - static_cast<double>(maximum)) : 0.0f};
}

[[nodiscard]] inline RowLse load_lse(const TensorView& lse, std::int64_t batch, std::int64_t head,
                                     std::int64_t row) {
  const float* const numbers = lse.row_as<float>(batch, head, row);
  if (lse.extent.head_dim == 2) return {numbers[0], numbers[1]};
  return split_lse(static_cast<double>(*numbers) * std::numbers::log2e);
}

// Returns a row's LSE, a natural logarithm. One number holds it up to 3.4e38, two up to kMostScore.
[[nodiscard]] inline double natural_lse(const TensorView& lse, std::int64_t batch,
                                        std::int64_t head, std::int64_t row) {
  const float* const numbers = lse.row_as<float>(batch, head, row);
  return lse.extent.head_dim == 2 ? RowLse{numbers[0], numbers[1]}.natural() : double{*numbers};
}

// The largest score that is a float in base 2, as kernels and merges have it.
inline constexpr double kMostScore =
    static_cast<double>(std::numeric_limits<float>::max()) / std::numbers::log2e;

inline void store_lse(const TensorView& lse, std::int64_t batch, std::int64_t head,
                      std::int64_t row, RowLse value) {
  float* const numbers = lse.row_as<float>(batch, head, row);
  numbers[0] = value.maximum;
  if (lse.extent.head_dim == 2)
    numbers[1] = value.rest;
  else
    numbers[0] = static_cast<float>(value.natural());
}

}  // namespace qb
