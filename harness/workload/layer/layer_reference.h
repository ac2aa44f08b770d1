// SPDX-License-Identifier: Apache-2.0
// The float64 reference of the layer, slow and without blocks, and the comparison with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/verify/verify.h"
#include "harness/workload/layer/layer_weights.h"
#include "kernels/mask/mask.h"

namespace qb {

struct LayerQuestion {
  const LayerShape& shape;
  const LayerWeights& weights;
  const float* x = nullptr;  // [batch, N, H]
  const Mask& mask;
  double scale = 1.0;
  // Weights, x and what a naive layer keeps between two steps have this type: f32, f16 or bf16.
  DType dtype = DType::f32;
  bool eager = false;  // a naive layer rounds its scores too, see naive_rows()
};

// Computes rows of y, [batch, rows, H]: keys and values of every token, the rest for the given
// tokens.
[[nodiscard]] std::vector<double> reference_layer_rows(const LayerQuestion& question,
                                                       std::span<const std::int64_t> rows,
                                                       int threads = 1);

// Computes the same in float32, kept in question.dtype, as a straightforward layer would.
[[nodiscard]] std::vector<double> naive_layer_rows(const LayerQuestion& question,
                                                   std::span<const std::int64_t> rows,
                                                   int threads = 1);

// The rows to compare: all if at most max_rows, else the blocks' edges and seeded random rows.
[[nodiscard]] std::vector<std::int64_t> layer_rows_to_verify(std::int64_t n_tokens,
                                                             std::int64_t block_tokens,
                                                             std::int64_t max_rows,
                                                             std::uint64_t seed);

// Follows the rule of harness/verify/verify.h: the tolerance is 4 x the error of a naive
// layer of the same type, plus a floor of a few roundoffs. Every element of y [batch, N, H] must be
// finite; then the given rows are compared. A layer has no log-sum-exp: its error is NaN.
[[nodiscard]] Verification verify_layer(const LayerQuestion& question, const float* y,
                                        const std::vector<std::int64_t>& rows, int threads);

}  // namespace qb
