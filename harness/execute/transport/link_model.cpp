// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/transport/link_model.h"

#include <vector>

#include "base/status.h"
#include "base/words.h"

namespace qb {
namespace {

// Bandwidth in one direction, for one device.
constexpr struct {
  std::string_view name;
  LinkLimit limit;
  std::string_view source;
} kLinks[] = {
    {"nvlink",
     {300e9, 2e-6},
     "A100 NVLink, one way: Ring Attention (arXiv 2310.01889) Table 2; latency assumed"},
    {"nvlink4", {450e9, 2e-6}, "H100 NVLink 4, one way: NVIDIA's datasheet; latency assumed"},
    {"hdr", {25e9, 33.8e-6}, "InfiniBand HDR, 200 Gbit/s a port; latency as infiniband's"},
    {"ndr", {50e9, 33.8e-6}, "InfiniBand NDR, 400 Gbit/s a port; latency as infiniband's"},
    {"infiniband",
     {12.5e9, 33.8e-6},
     "A100 InfiniBand, HDR100, one way: Ring Attention (arXiv 2310.01889) Table 2; latency of a "
     "hop fit to Context Parallelism (arXiv 2411.01783) Table 8, batch 1"},
    {"ethernet", {1.25e9, 30e-6}, "10 Gbit/s line rate, without protocol; latency assumed"},
};

}  // namespace

std::pair<LinkLimit, std::string> named_link(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& link : kLinks) {
    if (link.name == name) return {link.limit, std::string(link.source)};
    names.push_back(link.name);
  }
  throw UsageError(unknown_word("link", name, names));
}

}  // namespace qb
