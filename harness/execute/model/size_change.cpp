// SPDX-License-Identifier: Apache-2.0
// Finds the size at which the answer to a question changes, when every answer is costly.

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "harness/execute/model/advice.h"

namespace qb {

std::optional<Advice::Change> size_change(const SizeSearch& search, const BetterAt& better_at) {
  const auto& [given, up, doublings, most, refine] = search;
  std::int64_t near = given;
  for (int i = 0; i < doublings; ++i) {
    if (up ? near > most / 2 : near == 1) return std::nullopt;
    std::int64_t far = up ? near * 2 : near / 2;
    std::string other = better_at(far);
    if (other.empty()) {
      near = far;
      continue;
    }
    while (refine && std::abs(far - near) > std::max<std::int64_t>(1, std::min(near, far) / 50)) {
      const std::int64_t middle = near + (far - near) / 2;
      std::string here = better_at(middle);
      (here.empty() ? near : far) = middle;
      if (!here.empty()) other = std::move(here);
    }
    return Advice::Change{static_cast<double>(far), other};
  }
  return std::nullopt;
}

}  // namespace qb
