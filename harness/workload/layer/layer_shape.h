// The sizes of an encoder layer: N n_tokens, H = heads * head_dim the hidden width, F the width of
// the feed-forward.
#pragma once

#include <cstdint>

#include "kernels/tensor.h"

namespace qb {

struct LayerShape {
  std::int64_t batch = 1;
  std::int64_t n_tokens = 0;
  std::int64_t heads = 1;
  std::int64_t head_dim = 64;
  std::int64_t feed_forward_dim = 0;

  [[nodiscard]] std::int64_t hidden() const { return heads * head_dim; }
  // Of the hidden states that go in and come out, [batch, N, H].
  [[nodiscard]] Extent states() const { return {batch, 1, n_tokens, hidden()}; }
  friend bool operator==(const LayerShape&, const LayerShape&) = default;
};

}  // namespace qb
