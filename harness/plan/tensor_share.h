// SPDX-License-Identifier: Apache-2.0
// What one of W workers computes of a transformer layer that is split by heads and columns (tensor
// parallelism; Shoeybi et al., arXiv 1909.08053). Q, K, V and the products into the feed-forward
// are split by their output columns; the products out of attention and out of the feed-forward by
// their input columns, so that each worker has a part of every sum of these two, and two
// all-reduces a layer add the parts. Every worker holds all tokens.
#pragma once

#include <cstdint>

namespace qb {

// The parts of a layer that are split: of the whole layer, or of one worker.
struct TensorShare {
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t feed_forward_dim = 0;
  friend bool operator==(const TensorShare&, const TensorShare&) = default;
};

// Returns the share of each worker. Where there are fewer key-value heads than workers, several
// workers hold the same one. Throws Unsupported where heads or columns do not divide.
[[nodiscard]] TensorShare tensor_share(const TensorShare& whole, std::int64_t workers);

// Returns the first key-value head of the worker, in the whole layer.
[[nodiscard]] inline std::int64_t first_kv_head(const TensorShare& whole, std::int64_t workers,
                                                std::int64_t worker) {
  return worker * whole.kv_heads / workers;
}

}  // namespace qb
