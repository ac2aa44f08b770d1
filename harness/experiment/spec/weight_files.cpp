#include "harness/experiment/spec/weight_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "base/status.h"
#include "harness/experiment/process/device.h"
#include "harness/workload/layer/layer_weights.h"

namespace qb {

void require_weights(std::span<const Case> cases) {
  std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const Case& given : cases) {
    if (given.workload != Workload::transformer_layer || !given.layer_weights) continue;
    const Case c = resolve_case(given);
    const LayerShape shape{1, 1, c.shape.q_heads, c.shape.head_dim, c.layer_feed_forward_dim};
    if (!seen.emplace(*c.layer_weights, shape.heads, shape.head_dim, shape.feed_forward_dim).second)
      continue;
    try {
      (void)read_weights(*c.layer_weights, shape, heap_allocator());
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("layer.weights: {}", problem.what()));
    }
  }
}

}  // namespace qb
