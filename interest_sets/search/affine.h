// Affine symmetry of difference covers: x -> u x + t, u a unit of Z_W, maps covers to covers.
//
// A cover has a pair of every difference, of each unit too, so its orbit holds the sets with 0 and
// 1 in it that come from moving one of those pairs onto (0, 1): at most m (m - 1) images to look
// at, whatever W is.
#pragma once

#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// inverse[x] * x = 1 mod W; 0 where x is no unit. O(W^2) for each of the few W that ask.
[[nodiscard]] std::vector<int> unit_inverses(int modulus);

// All sets of the orbit that contain 0 and 1, residues ascending, in lexicographic order. Empty
// where no two residues differ by a unit. The residues must be distinct and in [0, W).
[[nodiscard]] std::vector<InterestSet> orbit_with_zero_and_one(const InterestSet& set);

// The first of them: the same for all sets of one orbit. Throws std::invalid_argument where there
// is none.
[[nodiscard]] InterestSet orbit_representative(const InterestSet& set);

}  // namespace qb
