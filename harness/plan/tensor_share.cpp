// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/tensor_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/status.h"

namespace qb {

TensorShare tensor_share(const TensorShare& whole, std::int64_t workers) {
  const auto require = [&](bool divides, std::int64_t count, std::string_view what) {
    if (!divides)
      throw Unsupported(fmt::format(
          "tensor_parallel deals whole heads and columns to workers: {} {} do not divide among {}",
          count, what, workers));
  };
  require(whole.q_heads % workers == 0, whole.q_heads, "query heads");
  require(whole.kv_heads % workers == 0 || workers % whole.kv_heads == 0, whole.kv_heads,
          "key-value heads");
  require(whole.feed_forward_dim % workers == 0, whole.feed_forward_dim,
          "columns of the feed-forward");
  return {whole.q_heads / workers, std::max<std::int64_t>(whole.kv_heads / workers, 1),
          whole.feed_forward_dim / workers};
}

}  // namespace qb
