// Finds the size at which the answer to a question changes, when every answer is costly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace qb {

// Returns the scheme that is better than the winner for a size, or an empty name.
using BetterAt = std::function<std::string(std::int64_t)>;

struct SizeSearch {
  std::int64_t given = 1;  // the winner is the answer here
  bool up = true;
  int doublings = 1;      // or halvings, at most
  std::int64_t most = 1;  // no larger size is asked about, and none below 1
  bool refine = false;
};

struct SizeChange {
  std::int64_t at = 0;  // the nearest size that was found to have another answer
  std::string scheme;
};

// Doubles or halves the size until the answer changes; `refine` then searches until the two sizes
// on either side of the change are at most 2 % apart, or neighbours.
[[nodiscard]] std::optional<SizeChange> size_change(const SizeSearch& search,
                                                    const BetterAt& better_at);

}  // namespace qb
