// SPDX-License-Identifier: Apache-2.0
// Finds all difference covers of Z_W of a given size, up to affine symmetry, by exhaustive search,
// in tasks that can run in any order, on any number of threads.
//
// Problem: find m residues whose m (m-1)/2 differences, up to sign, cover the classes 1..W/2.
//
// Symmetry. x -> u x + t maps covers to covers. Any cover has two residues that differ by 1; they
// form a triple with a third one, and by the symmetry that triple is some {0, 1, x}. Triples fall
// into types (orbits), put in a fixed order. A cover whose first type is type i has an image that
// holds the type's {0, 1, x_i} and no triple of an earlier type; case i searches for these. So each
// orbit of covers is met, perhaps several times, and none is lost.
//
// Bounds, at a node with k residues to add and u classes uncovered. A candidate's gain is how many
// uncovered classes it covers with the residues chosen so far. k new residues cover at most the sum
// of the k largest gains, and k (k-1)/2 classes among themselves. Classes that no candidate covers
// are at most k (k-1)/2. The last two residues are searched in pairs, without nodes of their own.
// Candidates carry their mask of classes down the tree, so a gain is an OR and a popcount.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// The symmetry (symmetry.cpp): x -> u x + t, u a unit of Z_W, maps covers to covers. A cover has a
// pair for every difference, and so for each unit. Moving one of those pairs onto (0, 1) gives the
// sets of its orbit that contain 0 and 1: at most m (m - 1) images, whatever W is.

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

inline constexpr int kMostSearchableWorkers = 257;  // Classes 1..W/2 are the bits of two words.

class CoverSearch {
 public:
  virtual ~CoverSearch() = default;

  // Returns how many tasks there are. Their order is a fixed shuffle, so that the share of tasks
  // done is an unbiased estimate of the share of work done.
  [[nodiscard]] virtual std::size_t tasks() const = 0;

  // Runs one task. Returns the representatives (orbit_representative) of what it found, each once,
  // sorted. Tasks of one search may find the same orbit. Adds the nodes visited to `nodes` unless
  // it is null. Several threads may call it.
  [[nodiscard]] virtual std::vector<InterestSet> run(std::size_t task,
                                                     std::uint64_t* nodes = nullptr) const = 0;
};

// Builds the list of tasks, which takes milliseconds. Throws std::invalid_argument unless 3 <=
// modulus <= kMostSearchableWorkers and size >= 2.
[[nodiscard]] std::unique_ptr<const CoverSearch> cover_search(int modulus, int size);

}  // namespace qb
