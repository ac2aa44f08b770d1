// SPDX-License-Identifier: Apache-2.0
// For tests only: what workers compute with token groups of unequal sizes, by the definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "interest_sets/split/distillation.h"

namespace qb::testing_support {

// Returns how many query-key pairs each worker computes.
inline std::vector<double> worker_loads(const InterestSet& set, std::span<const std::int64_t> sizes,
                                        Distillation distillation) {
  const auto size = [&](int group) {
    return static_cast<double>(sizes[static_cast<std::size_t>(group)]);
  };
  std::vector<double> loads;
  for (int worker = 0; worker < set.modulus; ++worker) {
    double load = size(worker) * size(worker);
    for (const GroupPair& pair : distill(set, worker, distillation))
      load += (pair.share == Share::whole ? 2.0 : 1.0) * size(pair.first) * size(pair.second);
    loads.push_back(load);
  }
  return loads;
}

// Returns the maximum over workers of load / speed.
inline double slowest_time(const InterestSet& set, std::span<const std::int64_t> sizes,
                           std::span<const double> speeds, Distillation distillation) {
  std::vector<double> times = worker_loads(set, sizes, distillation);
  for (std::size_t worker = 0; worker < times.size(); ++worker) times[worker] /= speeds[worker];
  return std::ranges::max(times);
}

}  // namespace qb::testing_support
