// SPDX-License-Identifier: Apache-2.0
// The float64 references of the layer and of its gradients, slow and without blocks, and the
// comparisons with them.
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

// In a backward pass every token and every weight takes part, since the gradient of one token needs
// the whole pass: 6 FLOP in float64 for each multiply-add of the forward pass.
struct LayerGradients {
  std::vector<double> d_x;        // [batch, N, H]
  std::vector<double> d_weights;  // in the order in which LayerWeights holds them
  double largest_lse = 0.0;       // of all rows that see a key, by magnitude
};

// d_y [batch, N, H] is the gradient of a loss with respect to the layer's output.
[[nodiscard]] LayerGradients reference_layer_gradients(const LayerQuestion& question,
                                                       const float* d_y, int threads = 1);

// Computes the same in float32 as a straightforward layer would, which keeps what it needs for the
// backward pass, and gradients between two steps, in question.dtype.
[[nodiscard]] LayerGradients naive_layer_gradients(const LayerQuestion& question, const float* d_y,
                                                   int threads = 1);

// Follows the rule of verify_layer(), tensor by tensor: the tolerance is 4 x the error of a naive
// backward pass, plus a floor of roundoffs of the tensor's largest gradient. Where gradients pass
// through P = exp(S - LSE) a roundoff of LSE is one of P, and the floor grows with LSE. Queries,
// keys and values have one tolerance, since the gradients of keys may cancel to nothing while their
// errors do not; so have W1 and its bias. Every element must be finite and is compared. `rows` are
// tokens; the errors are those of the tensor nearest to its tolerance, and layer_gradients has them
// for d_x and for the weights by themselves.
[[nodiscard]] Verification verify_layer_gradients(const LayerQuestion& question, const float* d_y,
                                                  const float* d_x, const LayerWeights& d_weights,
                                                  int threads);

}  // namespace qb
