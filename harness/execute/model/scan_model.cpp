// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/scan_model.h"

#include <algorithm>
#include <vector>

#include "harness/execute/transport/link_lanes.h"

namespace qb {

// The messages of a plan are in the order in which they leave and arrive.
double scan_time_s(const ScanPlan& plan, const Network& network,
                   const std::function<std::int64_t(int block)>& bytes_of) {
  LinkLanes lanes(network.limit, network.hosts, plan.workers);
  // When each worker has the messages of all earlier rounds, and of this one too.
  std::vector<double> ready_s(static_cast<std::size_t>(plan.workers), 0.0);
  std::vector<double> next_s = ready_s;
  int round = 0;
  for (const ScanMessage& m : plan.messages) {
    if (m.round != round) ready_s = next_s;
    round = m.round;
    const std::int64_t bytes = bytes_of(m.block);
    const double at_s = lanes.leave(m.from, m.to, bytes, ready_s[static_cast<std::size_t>(m.from)]);
    double& to_s = next_s[static_cast<std::size_t>(m.to)];
    to_s = std::max(to_s, lanes.arrive(m.from, m.to, bytes, at_s));
  }
  return std::ranges::max(next_s);
}

}  // namespace qb
