// What `qb sets` prints, as pure functions of interest sets.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "harness/cli/table_form.h"
#include "interest_sets/published.h"

namespace qb {

// One row a comparison: W, m, I, asym-RR ours and as published, `agrees` or `differs`.
[[nodiscard]] std::string comparison_table(std::span<const PublishedComparison> rows,
                                           TableForm form);
// One sentence: how many rows agree, and the W of those that do not.
[[nodiscard]] std::string comparison_summary(std::span<const PublishedComparison> rows);

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
