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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

inline constexpr int kMostSearchableWorkers = 257;  // Classes 1..W/2 are the bits of two words.

class CoverSearch {
 public:
  // Builds the list of tasks, which takes milliseconds. Throws std::invalid_argument unless 3 <=
  // modulus <= kMostSearchableWorkers and size >= 2.
  CoverSearch(int modulus, int size);

  // Returns how many tasks there are. Their order is a fixed shuffle, so that the share of tasks
  // done is an unbiased estimate of the share of work done.
  [[nodiscard]] std::size_t tasks() const;

  // Runs one task. Returns the representatives (orbit_representative) of what it found, each once,
  // sorted. Tasks of one search may find the same orbit. Adds the nodes visited to `nodes` unless
  // it is null. Several threads may call it.
  [[nodiscard]] std::vector<InterestSet> run(std::size_t task,
                                             std::uint64_t* nodes = nullptr) const;

 private:
  struct Interface;
  template <class Mask>
  class Engine;
  std::shared_ptr<const Interface> engine_;
};

}  // namespace qb
