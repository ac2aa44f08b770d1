// SPDX-License-Identifier: Apache-2.0
// This reference computes float64 attention over the global mask, in an obvious and slow way. It
// does not know plans, schedules or tiles, so that it cannot share their mistakes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/tensor.h"

namespace qb {

// Holds some rows of O [b, h, rows, e] and LSE [b, h, rows], in double. LSE is the largest score
// and the log of the sum relative to it, since one number would lose the second beside a large
// first.
struct ReferenceRows {
  std::vector<std::int64_t> rows;
  std::vector<double> out;
  std::vector<double> lse;
  std::vector<double> maximum;
  std::vector<double> log_sum;
};

// Computes attention of the given global query rows to all keys. threads > 1 splits the rows.
// softcap > 0: a score s becomes softcap tanh(s / softcap) before the mask. sinks: of each query
// head a score of every row that has no value; the largest score may be this one. Empty: none.
[[nodiscard]] ReferenceRows reference_rows(const TensorView& q, const TensorView& k,
                                           const TensorView& v, const Mask& mask, double scale,
                                           std::span<const std::int64_t> rows, int threads = 1,
                                           double softcap = 0.0, std::span<const float> sinks = {});

// Shows how far a straightforward implementation in the inputs' own precision may be off: computes
// the same rows two-pass with products and statistics in float32 and probabilities rounded to the
// inputs' type. Tolerances are a factor times its error against reference_rows, never a constant.
// eager: as a framework that keeps every intermediate in the inputs' type, so that the scores are
// rounded to it too, before and after they are scaled.
[[nodiscard]] ReferenceRows naive_rows(const TensorView& q, const TensorView& k,
                                       const TensorView& v, const Mask& mask, double scale,
                                       std::span<const std::int64_t> rows, int threads = 1,
                                       bool eager = false, double softcap = 0.0,
                                       std::span<const float> sinks = {});

}  // namespace qb
