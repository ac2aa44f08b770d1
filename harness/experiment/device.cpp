#include "harness/experiment/device.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/status.h"
#include "harness/plan/strategy.h"
#include "interest_sets/interest_set.h"

namespace qb {
namespace {

// The driver makes one node a GPU; asking the driver itself would start it.
bool gpu_present() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("nvidia") &&
        name.find_first_not_of("0123456789", 6) == std::string::npos && name.size() > 6)
      return true;
  }
  return false;
}

}  // namespace

Case resolve_case(Case c) {
  if (c.device == Device::automatic) c.device = Device::cpu;
  if (c.sequences) {
    Shape sums = c.shape;
    sums.batch = 1;
    sums.q_len = 0;
    sums.kv_len = 0;
    for (const Sequence& sequence : parse_sequences(*c.sequences)) {
      sums.q_len += sequence.new_tokens;
      sums.kv_len += sequence.cached_tokens + sequence.new_tokens;
    }
    if (c.shape.q_len != sums.q_len)
      throw UsageError(fmt::format("sequences hold {} new tokens and n_tokens is {}; make it {}",
                                   sums.q_len, c.shape.q_len, sums.q_len));
    c.shape = sums;
  }
  if (c.workload == Workload::transformer_layer && c.layer_feed_forward_dim == 0)
    c.layer_feed_forward_dim = 4 * c.shape.q_heads * c.shape.head_dim;
  if (c.ranks == Ranks::model && !c.model_device) c.model_device = "here";
  if (takes_interest_set(c.algorithm) && !c.interest_set && c.workers >= 3)
    c.interest_set = to_string(default_interest_set(c.workers));
  return c;
}

void require_device(const Case& c) {
  if (c.device == Device::cuda && !gpu_present())
    throw EnvironmentError(
        "device cuda: this machine has no NVIDIA GPU (no /dev/nvidia0); use --set device=cpu");
}

}  // namespace qb
