// SPDX-License-Identifier: Apache-2.0
// What `qb sets` prints, as pure functions.
#pragma once

#include <functional>

#include "base/csv.h"
#include "harness/cli/views/table_form.h"
#include "interest_sets/search/minimum_sets.h"
#include "interest_sets/sets/known_sets.h"

namespace qb {

// Writes `{0,1,3}` for people, and `0 1 3` in a CSV, as the published table does and without
// quotes.
[[nodiscard]] std::string braces(std::span<const int> residues);
[[nodiscard]] std::string csv_residues(const InterestSet& set);

// Both distillations of the published set of W, on the published interval N in [40 W, 41 W).
struct DistillationRow {
  InterestSet set;
  double published = 0.0;  // asym-RR
  double balanced = 0.0;
  std::int64_t published_longest = 0;  // longest subsequence, the largest of the interval
  std::int64_t balanced_longest = 0;
  bool more_tokens = false;  // balanced holds more at some N
};
// Covers W = 3..111.
[[nodiscard]] std::vector<DistillationRow> compare_distillations();
// For people, with how many sets of the least size there are; and for programs, with the longest
// subsequences.
[[nodiscard]] Table distillation_table(std::span<const DistillationRow> rows);
[[nodiscard]] CsvTable distillation_csv(std::span<const DistillationRow> rows);
// Gives the least asym-RR / W of both, and where tokens or balance got worse.
[[nodiscard]] std::string balance_summary(std::span<const DistillationRow> rows);

// Shows the default set for W workers: size, source, asym-RR, and each worker's quorum.
[[nodiscard]] std::string show_set(int workers);

using Sink = std::function<void(std::string_view)>;

// Writes CSV `workers,interest_set,n_tokens,responsibility_ratio` in pieces: every minimum set of W
// at every N in [from, to]. Throws UsageError outside the reach of minimum_interest_sets() and
// responsibility_rows().
void responsibility_csv(int workers, std::int64_t from, std::int64_t to, const Sink& write);
// Summarizes the same: mean, least and greatest ratio of each minimum set over [from, to].
[[nodiscard]] std::string responsibility_table(int workers, std::int64_t from, std::int64_t to);

// Writes `m = 11: 4210 of 8520 tasks, 3 orbits, 12.0 s, about 12.3 s to go`. The tasks run, of
// which there is one at least, took `seconds`.
[[nodiscard]] std::string progress_line(const SearchState& state, int size, double seconds);

}  // namespace qb
