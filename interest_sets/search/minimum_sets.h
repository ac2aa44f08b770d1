// SPDX-License-Identifier: Apache-2.0
// Finds every interest set of the least size by exhaustive search, which can be resumed and runs on
// several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interest_sets/sets/interest_set.h"

namespace qb {

// Returns the least m with m (m-1) >= W - 1: none is smaller; perfect difference sets reach it.
[[nodiscard]] int least_conceivable_size(std::int64_t modulus);

struct SearchState {
  // Holds the tasks of CoverSearch done for one size, and the representatives of what they found.
  struct Size {
    std::vector<bool> played;
    std::set<std::vector<int>> found;

    [[nodiscard]] std::size_t tasks_played() const;
  };
  int modulus = 0;
  std::map<int, Size> sizes;
};

struct PlayedTask {
  int size = 0;
  std::size_t task = 0;
  std::vector<InterestSet> found;
};
// Called after each task, one call at a time; what it throws ends the search.
using OnTask = std::function<void(const SearchState&, const PlayedTask&)>;

// Runs the tasks of one size that `state` lacks. Throws UsageError unless W is in
// 3..kMostSearchableWorkers and size >= 2, and where `state` counts other tasks.
void search_size(SearchState& state, int size, int threads, const OnTask& on_task);

// Searches every size completely, from the least conceivable one up, until one has a set, which is
// then proved minimal. Returns that size.
[[nodiscard]] int search_minimum(SearchState& state, int threads, const OnTask& on_task);

// A state is written as text, line by line, and read again:
//
//   search 94           W
//   size 11 8520        begins m = 11, which has 8520 tasks
//   11 417              task 417 is done and found nothing
//   11 418: 0 1 3 9; …  the orbits it found
//
// A last line without an end is ignored: the writer was stopped. Throws UsageError `NAME:LINE: …`.
[[nodiscard]] std::string journal_head(const SearchState& state);
[[nodiscard]] std::string journal_line(const SearchState& state, const PlayedTask& played);
[[nodiscard]] SearchState parse_journal(std::string_view text, std::string_view name);

// Returns the orbits' sets with 0 and 1, residues ascending, in lexicographic order.
[[nodiscard]] std::vector<InterestSet> sets_of_orbits(
    int modulus, const std::set<std::vector<int>>& representatives);

// Returns the 64-bit FNV-1a hash of the lines `0 1 3\n` of the sets, in their order.
[[nodiscard]] std::uint64_t checksum(std::span<const InterestSet> sets);

inline constexpr int kMostExhaustiveWorkers = 65;  // Up to here, a search takes seconds.

// Returns all interest sets of the least size, residues ascending, sets in lexicographic order.
// Throws UsageError unless 3 <= W <= kMostExhaustiveWorkers.
[[nodiscard]] std::vector<InterestSet> minimum_interest_sets(int modulus);

// Results of exhaustive search are stored. minimum.txt has all minimum sets of W = 3..64, one
// record for each W, which `qb sets search --workers W --compact` writes:
//
//   8 4 3 10 ad31a8e428f4906d:         W m orbits sets checksum
//   01 02 10                           representatives
//
// A representative (symmetry.h) is written as its gaps after 0 and 1, one letter each: 0..9 for
// gaps 1..10, then a..z, A..Z; `-` is {0, 1}. Sets and checksum are of the whole list in order.
//
// searches.txt has one line for each search, also of larger W, whose sizes it excludes or counts: W
// m orbits sets nodes cpu_seconds

struct MinimumList {
  int modulus = 0;
  int size = 0;
  std::uint64_t sets = 0;
  std::uint64_t checksum = 0;
  std::set<std::vector<int>> representatives;
};

// Returns one record with its line ends. Throws UsageError where a gap has no letter (W above 64).
[[nodiscard]] std::string compact_record(const MinimumList& list);
// Throws UsageError `NAME:LINE: …` on text that is not a record.
[[nodiscard]] std::vector<MinimumList> parse_minimum_lists(std::string_view text,
                                                           std::string_view name);

// Returns the lists of minimum.txt, W ascending from 3.
[[nodiscard]] std::span<const MinimumList> stored_minimum_lists();

struct SearchRecord {
  int modulus = 0;
  int size = 0;
  std::int64_t orbits = 0;
  std::int64_t sets = 0;
  std::int64_t nodes = 0;
  double cpu_s = 0.0;
};
[[nodiscard]] std::span<const SearchRecord> stored_searches();

// Returns the least size that is not excluded by counting, or by a search that found nothing.
[[nodiscard]] int proved_lower_bound(int modulus);

}  // namespace qb
