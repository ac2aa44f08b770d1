// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/between_hosts.h"

#include <algorithm>
#include <vector>

#include "harness/plan/rotation.h"

namespace qb {

std::int64_t bytes_between_hosts(std::span<const Plan* const> passes, const Hosts& hosts) {
  if (hosts.workers_per_host == 0) return 0;
  const auto n = static_cast<int>(passes.front()->workers.size());
  std::vector<std::int64_t> bytes(passes.front()->workers.size(), 0);
  const auto add = [&](int w, int peer, std::int64_t sent_bytes) {
    if (hosts.are_apart(w, peer)) bytes[static_cast<std::size_t>(w)] += sent_bytes;
  };
  for (const Plan* const plan : passes) {
    const Rotation* const rotation = plan->workers.rotation();
    if (rotation != nullptr && rotation->has_equal_messages()) {
      std::vector<std::int64_t> to(bytes.size(), 0);  // by place: what worker 0 sends there
      for (const Rotation::StepOfZero& step : rotation->steps)
        for (const Transfer& sent : step.sends)
          to[static_cast<std::size_t>(sent.peer)] += rotation->turned(sent, 0).bytes;
      for (int place = 0; place < n; ++place)
        for (int w = 0; w < n && to[static_cast<std::size_t>(place)] > 0; ++w)
          add(w, rotation->group.plus(place, w), to[static_cast<std::size_t>(place)]);
      continue;
    }
    Worker scratch;
    for (int w = 0; w < n; ++w)
      for (const Step& step :
           plan->workers.read(static_cast<std::size_t>(w), scratch, Workers::Parts::messages).steps)
        for (const Transfer& sent : step.sends)
          if (sent.peer >= 0) add(w, sent.peer, sent.bytes);
  }
  return std::ranges::max(bytes);
}

}  // namespace qb
