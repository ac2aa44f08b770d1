// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_blocks.h"

#include <algorithm>

#include "kernels/mask/mask_tiles.h"

namespace qb {
namespace {

// Rows of a multiple of 4 KiB would share the same few sets of a cache; one more line spreads them.
constexpr std::int64_t kRowPadding = 16;

}  // namespace

std::vector<Range> query_blocks(const LayerShape& shape, const LayerOptions& options) {
  const std::int64_t rows = is_blockwise(shape, options) ? options.block_tokens : shape.n_tokens;
  std::vector<Range> blocks;
  for (std::int64_t begin = 0; begin < shape.n_tokens; begin += rows)
    blocks.push_back({begin, std::min(shape.n_tokens, begin + rows)});
  return blocks;
}

bool is_blockwise(const LayerShape& shape, const LayerOptions& options) {
  return options.block_tokens != 0 && options.block_tokens < shape.n_tokens;
}

TileSchedule block_schedule(const LayerShape& shape, const LayerOptions& options,
                            const KernelTiles& tiles, const Range& block) {
  const std::int64_t rows = block.count();
  if (options.mask.kind == MaskKind::pattern)
    return build_mask_schedule(options.mask, rows, shape.n_tokens,
                               {{0, 0, {block.begin, rows}, {0, shape.n_tokens}}}, tiles.query_tile,
                               {tiles.residue_classes, options.threads});
  const bool causal = options.mask.kind == MaskKind::causal;
  const KeySpan keys{0, shape.n_tokens, causal ? SpanKind::causal : SpanKind::full,
                     causal ? block.begin + options.mask.offset : 0};
  return build_schedule(rows, shape.n_tokens, {{0, rows, keys}}, tiles.query_tile);
}

std::int64_t query_stride(const LayerShape& shape) { return shape.query_width() + kRowPadding; }

std::int64_t key_value_stride(const LayerShape& shape) {
  return 2 * shape.key_width() + kRowPadding;
}

TensorView side_by_side(void* data, DType dtype, std::int64_t heads, std::int64_t rows,
                        std::int64_t head_dim, std::int64_t stride) {
  return {data, dtype, {1, heads, rows, head_dim}, rows * stride, head_dim, stride};
}

TensorView queries_of(const LayerShape& shape, void* data, DType dtype, std::int64_t rows) {
  return side_by_side(data, dtype, shape.heads, rows, shape.head_dim, query_stride(shape));
}

TensorView context_of(const LayerShape& shape, void* data, DType dtype, std::int64_t rows) {
  return side_by_side(data, dtype, shape.heads, rows, shape.head_dim, shape.query_width());
}

std::pair<TensorView, TensorView> keys_values_of(const LayerShape& shape, void* data, DType dtype) {
  const auto from = [&](std::int64_t first_element) {
    return side_by_side(static_cast<std::byte*>(data) + first_element * size_of(dtype), dtype,
                        shape.key_heads(), shape.n_tokens, shape.head_dim, key_value_stride(shape));
  };
  return {from(0), from(shape.key_width())};
}

}  // namespace qb
