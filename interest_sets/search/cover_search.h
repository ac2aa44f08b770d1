// All difference covers of Z_W of a given size, up to affine symmetry: exhaustive search, cut into
// tasks that can be played in any order, by any number of threads, in any number of sittings.
//
// Problem: m residues whose m (m-1)/2 differences, up to sign, cover the classes 1..W/2.
//
// Symmetry. x -> u x + t keeps covers covers. Any cover has two residues that differ by 1, with a
// third one a triple, and by the symmetry that triple is some {0, 1, x}. Triples fall into types
// (orbits), put in a fixed order. A cover whose first type is type i has an image that holds the
// type's {0, 1, x_i} and no triple of an earlier type; case i searches for these. So each orbit of
// covers is met, several times perhaps, and nothing else is lost.
//
// Bounds, at a node with k residues to come and u classes open. A candidate's gain is how many
// open classes it closes with the residues chosen so far. k new residues close at most the sum of
// the k largest gains, and k (k-1)/2 classes among themselves. Classes that no candidate closes
// are at most k (k-1)/2. The last two residues are looked for in pairs, with no node of their own.
// Candidates carry their mask of classes down the tree, so a gain is an OR and a popcount.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// Classes 1..W/2 are the bits of two words.
inline constexpr int kMostSearchableWorkers = 257;

class CoverSearch {
 public:
  // 3 <= modulus <= kMostSearchableWorkers, size >= 2, else std::invalid_argument. Builds the list
  // of tasks: milliseconds.
  CoverSearch(int modulus, int size);
  ~CoverSearch();
  CoverSearch(CoverSearch&&) noexcept;
  CoverSearch& operator=(CoverSearch&&) noexcept;

  // How many tasks there are. They stand in a fixed shuffled order, so that the share of tasks done
  // is an unbiased estimate of the share of work done.
  [[nodiscard]] std::size_t tasks() const;

  // Plays one task: the representatives (orbit_representative) of what it met, each once, sorted.
  // Tasks of one search may meet the same orbit. Adds the nodes visited to `nodes` where given.
  // Safe to call from several threads.
  [[nodiscard]] std::vector<InterestSet> run(std::size_t task,
                                             std::uint64_t* nodes = nullptr) const;

 private:
  struct Interface;
  template <class Mask>
  class Engine;
  std::unique_ptr<const Interface> engine_;
};

}  // namespace qb
