// SPDX-License-Identifier: Apache-2.0
// The exhaustive search distinguishes cases by the symmetry of difference covers.
#pragma once

#include <bitset>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// The affine symmetry x -> u x + t, u a unit of Z_W, maps difference covers to covers. A cover has
// a pair for every difference, and so for each unit. Moving one of those pairs onto (0, 1) gives
// the sets of its orbit that contain 0 and 1: at most m (m - 1) images, whatever W is.

// Returns inverse with inverse[x] * x = 1 mod W; 0 where x is not a unit. It takes O(W^2).
[[nodiscard]] std::vector<int> unit_inverses(int modulus);

// Returns all sets of the orbit that contain 0 and 1, residues ascending, in lexicographic order.
// Empty where no two residues differ by a unit. The residues must be distinct and in [0, W).
[[nodiscard]] std::vector<InterestSet> orbit_with_zero_and_one(const InterestSet& set);

// Returns the first of them, which is the same for all sets of one orbit. Throws
// std::invalid_argument where there is none.
[[nodiscard]] InterestSet orbit_representative(const InterestSet& set);

using ResidueBits = std::bitset<320>;  // a set of residues

// Orders the types (orbits under x -> u x + t) of triples two of whose members differ by a unit:
// arithmetic progressions first (they repeat a difference), then the types with most triples.
class TripleTypes {
 public:
  explicit TripleTypes(int modulus);

  [[nodiscard]] int count() const { return static_cast<int>(thirds_.size()); }
  // Returns the least x for which {0, 1, x} has this type.
  [[nodiscard]] int third(int type) const { return thirds_[static_cast<std::size_t>(type)]; }
  // Returns the type of the distinct residues {a, b, c}; count() where no two differ by a unit.
  [[nodiscard]] int of(int a, int b, int c) const;

  // Adds to `bits` every residue that makes with a and b a triple of a type before `type`.
  void forbid(int type, int a, int b, ResidueBits& bits) const;

 private:
  [[nodiscard]] std::size_t at(int difference, int other) const {
    return static_cast<std::size_t>(difference) * static_cast<std::size_t>(modulus_) +
           static_cast<std::size_t>(other);
  }

  int modulus_;
  std::vector<int> thirds_;
  std::vector<int> type_;  // type of {0, difference, other}
  // residues that forbid() adds, by type and then pair {a, b}
  std::vector<std::vector<ResidueBits>> forbidden_;
};

}  // namespace qb
