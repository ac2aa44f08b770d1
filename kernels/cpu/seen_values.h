// The products of `materialized` and `staged` multiply what a row does not see by 0, which is NaN
// where V holds NaN or infinity there. Such rows are found by their output and made anew, from the
// keys that they see.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/attention.h"

namespace qb::cpu {

[[nodiscard]] inline bool holds_nan(const float* row, std::int64_t count) {
  return std::any_of(row, row + count, [](float value) { return std::isnan(value); });
}

// out[x] := sum over the keys of `spans` that the row sees of p V[x], where of_span(span) says
// where p of the span's first key stands. values: float32, of one head.
template <class Probabilities>
void weigh_seen_values(const TileSchedule& schedule, std::span<const KeySpan> spans,
                       std::int64_t row, Probabilities of_span, const TensorView& values,
                       float* out) {
  const std::int64_t dim = values.extent.head_dim;
  std::fill_n(out, dim, 0.0f);
  for (const KeySpan& span : spans) {
    const float* const p = of_span(span);
    schedule.for_each_run(span, row, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t key = begin; key < end; ++key) {
        const float* const value = values.row_as<float>(0, 0, key);
        for (std::int64_t x = 0; x < dim; ++x) out[x] += p[key - span.begin] * value[x];
      }
    });
  }
}

}  // namespace qb::cpu
