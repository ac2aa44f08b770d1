// SPDX-License-Identifier: Apache-2.0
// What a layer keeps of its forward pass for its backward pass (layer_backward.h), over all
// sequences of the batch. It has the layer's type, but for LSE, and is taken from the ledger under
// the names here.
//
// Norms and the GELU are cheap, so the plain layer keeps what they are computed from and not what
// they give. In blocks the layer keeps only what attention's backward pass reads, because attention
// alone is too dear to be computed again: of BERT's layer 4.1 H elements a token in place of 10.1.
#pragma once

#include <cstdint>

#include "harness/workload/layer/layer_blocks.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"

namespace qb {

struct LayerKept {
  // Throws OutOfMemory.
  LayerKept(const LayerShape& shape, DType dtype, const LayerOptions& options,
            Allocator& allocator);

  Tensor queries;      // [batch, 1, N, query_stride()]
  Tensor keys_values;  // [batch, 1, N, key_value_stride()]
  Tensor context;      // O, [batch, 1, N, query width]
  Tensor lse;          // f32 [batch, heads, N, 1], where lse_of() says
  // The products before their biases, residual sums, norms and GELU; in blocks these are empty.
  Tensor attention_output;     // O Wo, [batch, 1, N, H]
  Tensor pre_activation;       // a W1, [batch, 1, N, F]
  Tensor feed_forward_output;  // gelu W2, [batch, 1, N, H]

  // Rows of one of them that are not lse: those of a block of a sequence, [1, 1, rows, width].
  [[nodiscard]] static TensorView rows_of(const Tensor& tensor, std::int64_t sequence,
                                          const Range& block);
  // LSE of a block, [1, heads, rows, 1]. Blocks follow one another, so that this is contiguous.
  [[nodiscard]] TensorView lse_of(std::int64_t sequence, const Range& block) const;
  [[nodiscard]] std::int64_t bytes() const;
};

}  // namespace qb
