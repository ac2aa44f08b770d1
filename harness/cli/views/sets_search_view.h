// What `qb sets search` prints, as pure functions of what was found.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/views/table_form.h"
#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {

// A set with the two figures by which sets of one size differ.
struct RankedSet {
  InterestSet set;
  double asymptotic_ratio = 0.0;    // published distillation
  double longest_share_of_n = 0.0;  // longest subsequence / N, mean over N in [40 W, 41 W)
};

// In the order of `sets`; by two threads or more.
[[nodiscard]] std::vector<RankedSet> ranked_sets(std::vector<InterestSet> sets, int threads);

struct SearchOutcome {
  SearchState state;
  int size = 0;  // of the sets found, or searched for
  std::vector<InterestSet> sets;
  double seconds = 0.0;
  int threads = 1;
};

// W, m, what is proved, counts, checksum, time.
[[nodiscard]] std::string search_summary(const SearchOutcome& outcome);

// The `best` sets by asym-RR and the `best` by longest subsequence.
[[nodiscard]] std::string best_sets(const std::vector<RankedSet>& sets, std::size_t best,
                                    TableForm form);

// `workers,quorum_size,interest_set,asymptotic_responsibility_ratio,longest_subsequence_share`.
[[nodiscard]] std::string ranked_csv(const std::vector<RankedSet>& sets);

// `m = 11: 4210 of 8520 tasks, 3 orbits, 12.0 s, about 12.3 s to go`. The tasks played in this
// sitting took `seconds`.
[[nodiscard]] std::string progress_line(const SearchState& state, int size,
                                        std::size_t played_before, double seconds);

}  // namespace qb
