// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/result.h"

#include <utility>

namespace qb {

std::vector<std::size_t> counted_samples(const std::vector<Sample>& samples, int min_repeats) {
  std::vector<std::size_t> all;
  std::vector<std::size_t> undisturbed;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].warmup) continue;
    all.push_back(i);
    if (!samples[i].disturbed_by) undisturbed.push_back(i);
  }
  return std::cmp_less(undisturbed.size(), min_repeats) ? all : undisturbed;
}

}  // namespace qb
