// SPDX-License-Identifier: Apache-2.0
#include "harness/run/transport/link_lanes.h"

#include <algorithm>

namespace qb {

LinkLanes::LinkLanes(const LinkLimit& between, const Hosts& hosts, int n_workers)
    : between_(between),
      hosts_(hosts),
      n_workers_(n_workers),
      out_free_s_(2 * static_cast<std::size_t>(n_workers + 1), 0.0),
      in_free_s_(out_free_s_.size(), 0.0) {}

// A root that is no worker has a link of its own to every host.
bool LinkLanes::is_inside(int from, int to) const {
  return hosts_.workers_per_host > 0 && std::max(place_of(from), place_of(to)) < n_workers_ &&
         !hosts_.are_apart(place_of(from), place_of(to));
}

bool LinkLanes::takes_no_time(int from, int to) const {
  const LinkLimit& limit = limit_of(from, to);
  return place_of(from) == place_of(to) ||
         (limit.bandwidth_byte_per_s <= 0.0 && limit.latency_s <= 0.0);
}

std::int64_t LinkLanes::order(int from, int to) const {
  const std::int64_t n_nodes = n_workers_ + 1;
  return (to - from + n_nodes) % n_nodes * n_nodes + from;
}

// Nodes have the first lanes. On hosts these lead to the same host, and NICs have lanes behind
// them.
std::size_t LinkLanes::lane_of(int node, bool inside) const {
  const int place = place_of(node);
  if (hosts_.workers_per_host == 0 || inside || place == n_workers_)
    return static_cast<std::size_t>(place);
  return static_cast<std::size_t>(n_workers_ + 1 + hosts_.nic_of(place));
}

double LinkLanes::occupy(double& free_s, const LinkLimit& limit, std::int64_t bytes,
                         double at_s) const {
  const double bandwidth = limit.bandwidth_byte_per_s;
  const double begin_s = std::max(at_s, free_s);
  free_s = begin_s + (bandwidth > 0.0 ? static_cast<double>(bytes) / bandwidth : 0.0);
  return begin_s;
}

double LinkLanes::leave(int from, int to, std::int64_t bytes, double at_s) {
  const LinkLimit& limit = limit_of(from, to);
  return occupy(out_free_s_[lane_of(from, is_inside(from, to))], limit, bytes, at_s) +
         limit.latency_s;
}

double LinkLanes::arrive(int from, int to, std::int64_t bytes, double at_s) {
  double& free_s = in_free_s_[lane_of(to, is_inside(from, to))];
  (void)occupy(free_s, limit_of(from, to), bytes, at_s);
  return free_s;
}

}  // namespace qb
