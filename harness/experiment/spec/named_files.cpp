// Looks at the files that the cases of a spec name.
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <tuple>

#include "base/source_root.h"
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
    if (!std::filesystem::is_regular_file(*c.model_device))
      throw UsageError(fmt::format("model.device: {}: no such file; known: {}", *c.model_device,
                                   known_devices()));
    (void)load_device_model(*c.model_device);
  }
}

}  // namespace

std::string known_devices() {
  std::set<std::string> files;
  try {
    std::error_code missing;
    for (const auto& file :
         std::filesystem::directory_iterator(source_path("data/devices"), missing))
      if (file.path().extension() == ".csv")
        files.insert("data/devices/" + file.path().filename().string());
  } catch (const EnvironmentError&) {
    // An installed program may have no checkout beside it.
  }
  return fmt::format("here (this machine){}{}; `qb calibrate --out FILE` measures another machine",
                     files.empty() ? "" : ", ", fmt::join(files, ", "));
}

void require_named_files(std::span<const Case> cases) {
  require_device_models(cases);
  require_weights(cases);
}

}  // namespace qb
