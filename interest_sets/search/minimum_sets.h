// Every interest set of the least size, by exhaustive search; resumable, on several threads.
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

// The least m with m (m-1) >= W - 1: no set has fewer residues. Perfect difference sets reach it.
[[nodiscard]] int least_conceivable_size(std::int64_t modulus);

// How far the search for covers of one size is: which tasks of CoverSearch are played, and the
// representatives of the orbits they met.
struct SizeProgress {
  std::vector<bool> played;
  std::set<std::vector<int>> found;

  [[nodiscard]] std::size_t tasks_played() const;
};
struct SearchState {
  int modulus = 0;
  std::map<int, SizeProgress> sizes;
};

struct PlayedTask {
  int size = 0;
  std::size_t task = 0;
  std::vector<InterestSet> found;
};
// Called after each task, one call at a time; false ends the search.
using OnTask = std::function<bool(const SearchState&, const PlayedTask&)>;

// Plays the tasks of one size that `state` does not hold yet. True when none is left. Throws
// UsageError where W is outside 3..kMostSearchableWorkers or the size below 2, or where `state`
// counts other tasks than there are.
[[nodiscard]] bool search_size(SearchState& state, int size, int threads, const OnTask& on_task);

// From the least conceivable size up, each size exhausted, until one has a set. That size; 0 where
// on_task ended the search. The minimality of the result is proved by the sizes before it.
[[nodiscard]] int search_minimum(SearchState& state, int threads, const OnTask& on_task);

// A state as text, to be written line by line and read again:
//
//   search 94           W
//   size 11 8520        begins m = 11, of so many tasks
//   11 417              task 417 is played and met nothing
//   11 418: 0 1 3 9; …  the orbits it met
//
// A last line without its end is left out: the writer died there. Throws UsageError
// `NAME:LINE: …`.
[[nodiscard]] std::string journal_head(const SearchState& state);
[[nodiscard]] std::string journal_line(const SearchState& state, const PlayedTask& played);
[[nodiscard]] SearchState parse_journal(std::string_view text, std::string_view name);

// All sets with 0 and 1 of the orbits of `representatives`, residues ascending, in lexicographic
// order.
[[nodiscard]] std::vector<InterestSet> sets_of_orbits(
    int modulus, const std::set<std::vector<int>>& representatives);

// FNV-1a, 64 bits, of the lines `0 1 3\n` of the sets in their order: what tells two lists apart.
[[nodiscard]] std::uint64_t checksum(std::span<const InterestSet> sets);

// The largest W whose search ends within seconds.
inline constexpr int kMostExhaustiveWorkers = 65;

// All m-subsets of Z_W that contain 0 and 1 and cover every difference, m the least size for which
// there is one; residues ascending, sets in lexicographic order. Throws UsageError unless
// 3 <= W <= kMostExhaustiveWorkers.
[[nodiscard]] std::vector<InterestSet> minimum_interest_sets(int modulus);

}  // namespace qb
