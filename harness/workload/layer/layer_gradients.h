// SPDX-License-Identifier: Apache-2.0
// The float64 reference of a layer's gradients, slow and without blocks, and the comparison of a
// backward pass with it. Every token and every weight takes part, since the gradient of one token
// needs the whole backward pass: 6 FLOP in float64 for each multiply-add of the forward pass.
#pragma once

#include <vector>

#include "harness/verify/verify.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/layer_weights.h"

namespace qb {

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
