// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/scan_model.h"

#include <algorithm>

#include "harness/run/transport/link_lanes.h"

namespace qb {

double rounds_time_s(const std::vector<SizedMessage>& messages, int workers,
                     const Network& network) {
  LinkLanes lanes(network.limit, network.hosts, workers);
  // When each worker has the messages of all earlier rounds, and of this one too.
  std::vector<double> ready_s(static_cast<std::size_t>(workers), 0.0);
  std::vector<double> next_s = ready_s;
  int round = 0;
  for (const SizedMessage& m : messages) {
    if (m.round != round) ready_s = next_s;
    round = m.round;
    const double at_s =
        lanes.leave(m.from, m.to, m.bytes, ready_s[static_cast<std::size_t>(m.from)]);
    double& to_s = next_s[static_cast<std::size_t>(m.to)];
    to_s = std::max(to_s, lanes.arrive(m.from, m.to, m.bytes, at_s));
  }
  return std::ranges::max(next_s);
}

}  // namespace qb
