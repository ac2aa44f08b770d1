// SPDX-License-Identifier: Apache-2.0
// The blocks of query tokens that a layer is computed in, how the tensors of its attention lie in
// memory (heads side by side in a token's row, keys and values in one row), and what is kept of
// them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"
#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb {

// The rows of the sequence that are computed together. The plain layer has one block. Without
// tokens there is none.
[[nodiscard]] std::vector<Range> query_blocks(const LayerShape& shape, const LayerOptions& options);
[[nodiscard]] bool is_blockwise(const LayerShape& shape, const LayerOptions& options);

// The spans of a block's rows over all keys, for a kernel with these tiles.
[[nodiscard]] TileSchedule block_schedule(const LayerShape& shape, const LayerOptions& options,
                                          const KernelTiles& tiles, const Range& block);

// Elements from one row of queries, or of keys and values, to the next.
[[nodiscard]] std::int64_t query_stride(const LayerShape& shape);
[[nodiscard]] std::int64_t key_value_stride(const LayerShape& shape);

// Heads of width head_dim that lie side by side in rows.
[[nodiscard]] TensorView side_by_side(void* data, DType dtype, std::int64_t heads,
                                      std::int64_t rows, std::int64_t head_dim,
                                      std::int64_t stride);

// Queries, or gradients of them, with the stride above.
[[nodiscard]] TensorView queries_of(const LayerShape& shape, void* data, DType dtype,
                                    std::int64_t rows);
// Attention's output, or its gradient, without padding.
[[nodiscard]] TensorView context_of(const LayerShape& shape, void* data, DType dtype,
                                    std::int64_t rows);

// Keys and values of a whole sequence, or gradients of them.
[[nodiscard]] std::pair<TensorView, TensorView> keys_values_of(const LayerShape& shape, void* data,
                                                               DType dtype);

// What a layer keeps of its forward pass for its backward pass (layer_backward.h), over all
// sequences of the batch. It has the layer's type, but for LSE, and is taken from the ledger under
// the names here.
//
// Norms and the GELU are cheap, so the plain layer keeps what they are computed from and not what
// they give. In blocks the layer keeps only what attention's backward pass reads, because attention
// alone is too dear to be computed again: of BERT's layer 4.1 H elements a token in place of 10.1.
struct LayerKept {
  // Throws OutOfMemory.
  LayerKept(const LayerShape& shape, DType dtype, const LayerOptions& options,
            Allocator& allocator) {
    const auto of_tokens = [&](std::int64_t width, std::string_view label) {
      return Tensor(allocator, dtype, {shape.batch, 1, shape.n_tokens, width}, label);
    };
    queries = of_tokens(query_stride(shape), "kept_queries");
    keys_values = of_tokens(key_value_stride(shape), "kept_keys_values");
    context = of_tokens(shape.query_width(), "kept_context");
    lse = Tensor(allocator, DType::f32, {shape.batch, shape.heads, shape.n_tokens, 1}, "kept_lse");
    if (is_blockwise(shape, options)) return;
    attention_output = of_tokens(shape.hidden(), "kept_attention_output");
    pre_activation = of_tokens(shape.feed_forward_dim, "kept_pre_activation");
    feed_forward_output = of_tokens(shape.hidden(), "kept_feed_forward_output");
  }

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
                                          const Range& block) {
    TensorView rows = tensor.view().tokens(block.begin, block.count());
    rows.data = rows.row(sequence, 0, 0);
    rows.extent.batch = 1;
    return rows;
  }
  // LSE of a block, [1, heads, rows, 1]. Blocks follow one another, so that this is contiguous.
  [[nodiscard]] TensorView lse_of(std::int64_t sequence, const Range& block) const {
    const std::int64_t heads = lse.view().extent.heads;
    return contiguous_view(lse.view().row_as<float>(sequence, 0, 0) + heads * block.begin,
                           DType::f32, {1, heads, block.count(), 1});
  }
};

}  // namespace qb
