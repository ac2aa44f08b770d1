// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/worker_group.h"

#include "base/interruption.h"

namespace qb {

int WorkerGroup::count(const PlaceSet& set) const {
  int count = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (spans(set.axes, axis)) count *= sizes_[axis];
  return count - (set.others ? 1 : 0);
}

std::vector<int> WorkerGroup::places(const PlaceSet& set, int worker) const {
  poll_interrupt();
  const Digits at = digits(plus(set.at, worker));
  const auto begin = [&](std::size_t axis) { return spans(set.axes, axis) ? 0 : at[axis]; };
  const auto end = [&](std::size_t axis) {
    return spans(set.axes, axis) ? sizes_[axis] : at[axis] + 1;
  };
  std::vector<int> places;
  for (int x = begin(2); x < end(2); ++x)
    for (int y = begin(1); y < end(1); ++y)
      for (int h = begin(0); h < end(0); ++h)
        if (const int one = place({h, y, x}); !set.others || one != worker) places.push_back(one);
  return places;
}

}  // namespace qb
