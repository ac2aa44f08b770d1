// SPDX-License-Identifier: Apache-2.0
// Looks at the files that the cases of a spec name.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "base/status.h"
#include "harness/execute/model/device_model.h"
#include "harness/experiment/spec/spec.h"
#include "harness/workload/layer/layer_weights.h"

namespace qb {
namespace {

void require_weights(std::span<const Case> cases) {
  std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const Case& c : cases) {
    if (c.workload != WorkloadKind::transformer_layer || !c.layer_weights) continue;
    const LayerShape shape{
        1, 1, c.shape.q_heads, c.shape.head_dim, c.layer_feed_forward_dim, c.shape.kv_heads};
    if (!seen.emplace(*c.layer_weights, shape.heads, shape.head_dim, shape.feed_forward_dim,
                      shape.kv_heads)
             .second)
      continue;
    try {
      (void)read_weights(*c.layer_weights, shape, heap_allocator());
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("layer.weights: {}", problem.what()));
    }
  }
}

void require_device_models(std::span<const Case> cases) {
  std::set<std::string> seen;
  for (const Case& c : cases) {
    if (!c.model_device || *c.model_device == "here" || !seen.insert(*c.model_device).second)
      continue;
    try {
      (void)load_device_model(*c.model_device);
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("model.device: {}", problem.what()));
    }
  }
}

}  // namespace

void require_named_files(std::span<const Case> cases) {
  require_device_models(cases);
  require_weights(cases);
}

}  // namespace qb
