// SPDX-License-Identifier: Apache-2.0
// What the softmax of a row takes, on the device and in tests on the host: which keys of a span the
// row sees, and a sum made piece by piece.
#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"
#include "kernels/tile_schedule.h"

namespace qb::cuda {

QB_HOST_DEVICE std::int64_t clamped(std::int64_t value, std::int64_t low, std::int64_t high) {
  return value < low ? low : (value < high ? value : high);
}

// Does the same as KeySpan::live; for bits, returns all keys, seen or not.
QB_HOST_DEVICE Range live_keys(const KeySpan& span, std::int64_t row) {
  if (span.kind == SpanKind::full || span.kind == SpanKind::bits) return {span.begin, span.end};
  const std::int64_t end = clamped(row + span.offset + 1, span.begin, span.end);
  return {span.kind == SpanKind::band ? clamped(row + span.low, span.begin, end) : span.begin, end};
}

// `words` are the schedule's; the span must be one of bits.
QB_HOST_DEVICE bool bit_is_set(const std::uint64_t* words, const KeySpan& span, std::int64_t row,
                               std::int64_t key) {
  const std::int64_t row_words = (span.end - span.begin + 63) / 64;
  const std::int64_t bit = key - span.begin;
  return (words[span.words + row * row_words + bit / 64] >> (bit % 64) & 1) != 0;
}

// Holds the largest of some numbers, and the sum of exp(number - largest). Exp computes the
// exponential: float operator()(float).
struct SoftmaxSum {
  float largest;
  float sum;

  // Returns whether there is no number, or each is -inf.
  [[nodiscard]] QB_HOST_DEVICE bool empty() const { return largest == -INFINITY && sum == 0.0F; }
};

QB_HOST_DEVICE SoftmaxSum sum_of_none() { return {-INFINITY, 0.0F}; }

template <class Exp>
QB_HOST_DEVICE SoftmaxSum join(const SoftmaxSum& a, const SoftmaxSum& b, Exp exp) {
  const float largest = fmaxf(a.largest, b.largest);
  if (largest == -INFINITY) return {largest, a.sum + b.sum};  // 0, or NaN that stays
  return {largest, a.sum * exp(a.largest - largest) + b.sum * exp(b.largest - largest)};
}

// NaN and +inf make the sum NaN.
template <class Exp>
QB_HOST_DEVICE void add(SoftmaxSum& sum, float value, Exp exp) {
  if (value == -INFINITY) return;
  if (value > sum.largest) {
    sum.sum = sum.sum * exp(sum.largest - value) + (1.0F + (value - value));  // +inf - +inf: NaN
    sum.largest = value;
  } else {
    sum.sum += exp(value - sum.largest);  // NaN gives NaN, whatever is the largest
  }
}

// Adds several numbers at once, with one factor for the sum so far.
template <std::size_t kCount, class Exp>
QB_HOST_DEVICE void add(SoftmaxSum& sum, const float (&values)[kCount], Exp exp) {
  float largest = sum.largest;
  for (std::size_t i = 0; i < kCount; ++i) largest = fmaxf(largest, values[i]);
  if (largest == -INFINITY) {  // all are -inf, or NaN, which stays
    for (std::size_t i = 0; i < kCount; ++i)
      if (values[i] != -INFINITY) sum.sum += values[i];
    return;
  }
  sum.sum *= exp(sum.largest - largest);
  for (std::size_t i = 0; i < kCount; ++i) sum.sum += exp(values[i] - largest);
  sum.largest = largest;
}

QB_HOST_DEVICE float lse_of(const SoftmaxSum& sum) {
  return sum.empty() ? -INFINITY : sum.largest + logf(sum.sum);
}

}  // namespace qb::cuda
