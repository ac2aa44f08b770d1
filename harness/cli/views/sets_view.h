// What `qb sets` prints, as pure functions of interest sets.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/views/table_form.h"
#include "interest_sets/sets/published.h"

namespace qb {

// One row a comparison: W, m, I, asym-RR ours and as published, `agrees` or `differs`.
[[nodiscard]] std::string comparison_table(std::span<const PublishedComparison> rows,
                                           TableForm form);
// One sentence: how many rows agree, and the W of those that do not.
[[nodiscard]] std::string comparison_summary(std::span<const PublishedComparison> rows);

// Both distillations of the published set of W, on the published interval N in [40 W, 41 W).
struct DistillationRow {
  InterestSet set;
  double published = 0.0;  // asym-RR
  double balanced = 0.0;
  std::int64_t published_longest = 0;  // longest subsequence, the largest of the interval
  std::int64_t balanced_longest = 0;
  bool more_tokens = false;  // balanced holds more at some N
};
// W = 3..111.
[[nodiscard]] std::vector<DistillationRow> compare_distillations();
[[nodiscard]] std::string balance_table(std::span<const DistillationRow> rows, TableForm form);
// The least asym-RR / W of both, and where tokens or balance got worse.
[[nodiscard]] std::string balance_summary(std::span<const DistillationRow> rows);

// `  57  8: 0 1 3 13 32 36 43 52` with its line end, as interest-set files have it.
[[nodiscard]] std::string set_line(const InterestSet& set);

struct SetVerdicts {
  std::string text;  // a line a set, `NAME:LINE: …`, then how many of them are good
  bool all_good = true;
};
// Verifies every set of a file (see interest_set_list.h), and its asym-RR where the file gives one.
// Throws UsageError where the text is no such file.
[[nodiscard]] SetVerdicts verify_sets(std::string_view text, std::string_view name);

// The default set for W workers: size, source, asym-RR, and each worker's quorum.
[[nodiscard]] std::string show_set(int workers);

using Sink = std::function<void(std::string_view)>;

// CSV `workers,interest_set,n_tokens,responsibility_ratio`: every minimum set of W at every N in
// [from, to], in pieces. Throws UsageError outside the reach of minimum_interest_sets() and
// responsibility_rows().
void responsibility_csv(int workers, std::int64_t from, std::int64_t to, const Sink& write);
// The same in short: mean, least and greatest ratio of each minimum set over [from, to].
[[nodiscard]] std::string responsibility_table(int workers, std::int64_t from, std::int64_t to);

}  // namespace qb
