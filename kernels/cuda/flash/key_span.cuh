// SPDX-License-Identifier: Apache-2.0
// Says which keys of a span a query row sees, on the device and in tests on the host.
#pragma once

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

}  // namespace qb::cuda
