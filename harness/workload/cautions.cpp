// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/cautions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/execute/transport/link_model.h"

namespace qb {
namespace {

std::string idle_workers(const Case& c) {
  const std::int64_t tokens = std::max(c.shape.q_len, c.shape.kv_len) * c.shape.batch;
  if (c.workload == WorkloadKind::pipeline || c.workers <= tokens) return "";
  return fmt::format("{} workers share {} tokens, so that some have none", c.workers, tokens);
}

std::string swapped_axes(const Case& c) {
  constexpr std::int64_t kManyHeads = 128;
  if (c.shape.q_heads < kManyHeads || c.shape.q_heads <= 4 * c.shape.kv_len) return "";
  return fmt::format("{} heads over {} tokens: are heads and tokens swapped?", c.shape.q_heads,
                     c.shape.kv_len);
}

std::string free_latency(const Case& c) {
  const auto has_none = [](const std::optional<std::string>& link) {
    return link && parse_link("", *link).first.latency_s == 0.0;
  };
  if (!(c.link_bandwidth_byte_per_s && !c.link_latency_s) && !has_none(c.cluster_inside) &&
      !has_none(c.cluster_between))
    return "";
  return "a link has a bandwidth and no latency, so that messages begin to arrive at once; give "
         "link.latency, or write 50e9,5us";
}

}  // namespace

std::vector<std::string> cautions(std::span<const Case> cases) {
  std::vector<std::string> all;
  for (const auto doubt : {idle_workers, swapped_axes, free_latency}) {
    std::string first;
    std::size_t n = 0;
    for (const Case& c : cases)
      if (std::string said = doubt(c); !said.empty() && n++ == 0)
        first = cases.size() == 1 ? said : fmt::format("{} W={}: {}", c.algorithm, c.workers, said);
    if (n > 1) first += fmt::format(" (and {} more cases)", n - 1);
    if (n > 0) all.push_back(std::move(first));
  }
  return all;
}

}  // namespace qb
