#include <algorithm>

#include "harness/workload/layer/layer_buffers.h"

namespace qb {
namespace {

// Peak of one block of `rows`, in floats above what is held before it and the kernel's own bytes.
struct BlockPeak {
  std::int64_t attending = 0;  // keys and values are there
  std::int64_t after = 0;      // when, after the last block's attention, they are not
};

BlockPeak block_peak(const LayerShape& shape, const LayerOptions& options, std::int64_t rows) {
  const std::int64_t context = rows * shape.hidden();
  const std::int64_t workspace = kernel_workspace_bytes(
      options.kernel, {1, shape.heads, rows, shape.head_dim},
      {1, shape.heads, shape.n_tokens, shape.head_dim}, DType::f32, options.threads);
  const auto floats = static_cast<std::int64_t>(sizeof(float));
  return {floats * (context + query_elements(shape, rows) + lse_floats(shape, rows)) + workspace,
          floats * (context + rows * std::max(shape.hidden(), shape.feed_forward_dim))};
}

}  // namespace

std::int64_t layer_workspace_bytes(const LayerShape& shape, const LayerOptions& options) {
  const std::int64_t keys_values =
      static_cast<std::int64_t>(sizeof(float)) * key_value_elements(shape);
  const std::int64_t block = block_of(shape, options);
  const std::int64_t last = (shape.n_tokens - 1) % block + 1;
  const BlockPeak at_last = block_peak(shape, options, last);
  std::int64_t peak = std::max(keys_values + at_last.attending, at_last.after);
  if (last == shape.n_tokens) return peak;
  const BlockPeak before = block_peak(shape, options, block);
  return std::max(peak, keys_values + std::max(before.attending, before.after));
}

}  // namespace qb
