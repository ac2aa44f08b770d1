// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/memory_activity.h"

#include <algorithm>
#include <unordered_map>

namespace qb::cuda {

std::uint64_t MemoryActivity::peak_of(std::vector<Operation> operations) {
  // Operations that give memory back go first among those at one time: an address may be reused.
  std::ranges::stable_sort(operations, [](const Operation& a, const Operation& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : !a.allocates && b.allocates;
  });
  std::unordered_map<std::uint64_t, std::uint64_t> live;
  std::uint64_t held = 0;
  std::uint64_t peak = 0;
  for (const Operation& operation : operations) {
    if (operation.allocates) {
      live[operation.address] = operation.bytes;
      held += operation.bytes;
      peak = std::max(peak, held);
    } else if (const auto found = live.find(operation.address); found != live.end()) {
      held -= found->second;
      live.erase(found);
    }
  }
  return peak;
}

}  // namespace qb::cuda
