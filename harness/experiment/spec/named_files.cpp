// Checks the files that cases name.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>

#include "base/status.h"
#include "harness/execute/model/device_model.h"
#include "harness/experiment/spec/spec.h"
#include "harness/workload/layer/layer_weights.h"

namespace qb {
namespace {

void require_weights(std::span<const Case> cases) {
  std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const Case& c : cases) {
    if (c.workload != WorkloadKind::transformer_layer || !c.layer_weights) continue;
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

void require_device_models(std::span<const Case> cases) {
  std::set<std::string> seen;
  for (const Case& c : cases) {
    if (!c.model_device || *c.model_device == "here" || !seen.insert(*c.model_device).second)
      continue;
    if (!std::filesystem::is_regular_file(*c.model_device))
      throw UsageError(
          fmt::format("model.device: {}: no such file; give a device file such as "
                      "data/devices/a100.csv, or here",
                      *c.model_device));
    (void)load_device_model(*c.model_device);
  }
}

}  // namespace

void require_named_files(std::span<const Case> cases) {
  require_device_models(cases);
  require_weights(cases);
}

}  // namespace qb
