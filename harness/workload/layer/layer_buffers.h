// How large the buffers of a layer are: what run_layer takes and layer_workspace_bytes counts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/workload/layer/transformer_layer.h"

namespace qb {

// Rows of a multiple of 4 KiB would all fall into the same few sets of a cache; one line more
// spreads them.
inline constexpr std::int64_t kRowPadding = 16;

[[nodiscard]] inline std::int64_t query_stride(const LayerShape& s) {
  return s.hidden() + kRowPadding;
}
[[nodiscard]] inline std::int64_t key_value_stride(const LayerShape& s) {
  return 2 * s.hidden() + kRowPadding;
}
[[nodiscard]] inline std::int64_t key_value_elements(const LayerShape& s) {
  return s.n_tokens * key_value_stride(s);
}
[[nodiscard]] inline std::int64_t query_elements(const LayerShape& s, std::int64_t rows) {
  return rows * query_stride(s);
}
[[nodiscard]] inline std::int64_t lse_floats(const LayerShape& s, std::int64_t rows) {
  return s.heads * rows;
}

// Query tokens that go together.
[[nodiscard]] inline std::int64_t block_of(const LayerShape& s, const LayerOptions& options) {
  if (options.block_tokens == 0) return s.n_tokens;
  return std::min(options.block_tokens, s.n_tokens);
}

}  // namespace qb
