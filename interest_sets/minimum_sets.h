// Every interest set of the least size, by exhaustive search.
#pragma once

#include <vector>

#include "interest_sets/interest_set.h"

namespace qb {

// The largest W whose search ends within seconds: at most m = 9 residues. The tenth, needed from
// W = 66, makes it about thirty times as long.
inline constexpr int kMostExhaustiveWorkers = 65;

// All m-subsets of Z_W that contain 0 and 1 and cover every difference, m the least size for which
// there is one; residues ascending, sets in lexicographic order, all verified by construction.
// Throws UsageError unless 3 <= W <= kMostExhaustiveWorkers.
[[nodiscard]] std::vector<InterestSet> minimum_interest_sets(int modulus);

}  // namespace qb
