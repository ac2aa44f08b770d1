// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/cautions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "harness/run/transport/link_model.h"

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
  return "a link has a bandwidth and no latency, so that messages begin to arrive at once; write "
         "the latency too, such as 5us";
}

// Of the order of 50 bytes/s or 5 s: was a unit forgotten?
std::string slow_link(const Case& c) {
  constexpr LinkLimit kOdd{1e6, 1e-2};
  LinkLimit link{c.link_bandwidth_byte_per_s.value_or(kOdd.bandwidth_byte_per_s),
                 c.link_latency_s.value_or(0.0)};
  for (const auto& text : {c.cluster_inside, c.cluster_between})
    if (const auto limit = text ? parse_link("", *text).first : link;
        limit.bandwidth_byte_per_s < kOdd.bandwidth_byte_per_s || limit.latency_s > kOdd.latency_s)
      return fmt::format("a link of {} bytes/s and {}: is a unit missing, as in 50GB/s,5us?",
                         format_si(limit.bandwidth_byte_per_s), format_seconds(limit.latency_s));
  return "";
}

}  // namespace

std::vector<std::string> cautions(std::span<const Case> cases) {
  std::vector<std::string> all;
  for (const auto doubt : {idle_workers, swapped_axes, free_latency, slow_link}) {
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
