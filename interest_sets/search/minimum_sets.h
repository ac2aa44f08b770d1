// SPDX-License-Identifier: Apache-2.0
// Finds every interest set of the least size by exhaustive search, which runs on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// Returns the least m with m (m-1) >= W - 1: none is smaller; perfect difference sets reach it.
[[nodiscard]] int least_conceivable_size(std::int64_t modulus);

struct SearchState {
  // Counts the tasks of CoverSearch for one size, and holds the representatives of what they found.
  struct Size {
    std::size_t tasks = 0;
    std::size_t played = 0;
    std::set<std::vector<int>> found;
  };
  int modulus = 0;
  std::map<int, Size> sizes;
};

// Called after each task of a size, one call at a time; what it throws ends the search.
using OnTask = std::function<void(const SearchState&, int size)>;

// Runs all tasks of one size. Throws UsageError unless W is in 3..kMostSearchableWorkers and size
// >= 2.
void search_size(SearchState& state, int size, int threads, const OnTask& on_task);

// Searches every size completely, from the least conceivable one up, until one has a set, which is
// then proved minimal. Returns that size.
[[nodiscard]] int search_minimum(SearchState& state, int threads, const OnTask& on_task);

// Returns the orbits' sets with 0 and 1, residues ascending, in lexicographic order.
[[nodiscard]] std::vector<InterestSet> sets_of_orbits(
    int modulus, const std::set<std::vector<int>>& representatives);

// Returns the 64-bit FNV-1a hash of the lines `0 1 3\n` of the sets, in their order.
[[nodiscard]] std::uint64_t checksum(std::span<const InterestSet> sets);

inline constexpr int kMostExhaustiveWorkers = 65;  // Up to here, a search takes seconds.

// Returns all interest sets of the least size, residues ascending, sets in lexicographic order.
// Throws UsageError unless 3 <= W <= kMostExhaustiveWorkers.
[[nodiscard]] std::vector<InterestSet> minimum_interest_sets(int modulus);

// Results of exhaustive search are stored. minimum.txt has all minimum sets of W = 3..64, a head
// and the sets of each W (interest_sets/testing/minimum_lists.h). searches.txt has one line for
// each search, also of larger W, whose sizes it excludes or counts: W m orbits sets nodes
// cpu_seconds
struct SearchRecord {
  int modulus = 0;
  int size = 0;
  std::int64_t orbits = 0;
  std::int64_t sets = 0;
  double cpu_s = 0.0;  // of searches.txt only
};
// Returns the heads of minimum.txt, W ascending from 3.
[[nodiscard]] std::span<const SearchRecord> stored_minimum_lists();
[[nodiscard]] std::span<const SearchRecord> stored_searches();

// Returns the least size that is not excluded by counting, or by a search that found nothing.
[[nodiscard]] int proved_lower_bound(int modulus);

}  // namespace qb
