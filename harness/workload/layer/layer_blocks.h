// SPDX-License-Identifier: Apache-2.0
// The blocks of query tokens that a layer is computed in, and how the tensors of its attention lie
// in memory: heads side by side in a token's row, keys and values in one row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/workload/layer/transformer_layer.h"
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

}  // namespace qb
