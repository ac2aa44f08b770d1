// What `qb bounds` prints, as pure functions.
#pragma once

#include <span>
#include <string>

#include "harness/cli/views/table_form.h"
#include "harness/plan/theory/published_bounds.h"
#include "harness/plan/theory/sent_bytes.h"

namespace qb {

// One row a printed theoretical max speed-up: ours by both counts of the dense products, verdicts.
[[nodiscard]] std::string speed_up_table(std::span<const PublishedSpeedUp> rows, TableForm form);
// How many rows agree by either count, and what the fit of w says.
[[nodiscard]] std::string speed_up_summary(std::span<const PublishedSpeedUp> rows);

// One row a host of Ring Attention's Table 2: printed and recomputed c and s, in thousands of
// tokens.
[[nodiscard]] std::string min_block_table(std::span<const PublishedMinBlock> rows, TableForm form);
[[nodiscard]] std::string min_block_summary(std::span<const PublishedMinBlock> rows);

struct RingMachine {
  double compute_flop_per_s = 0.0;  // of one worker
  double link_byte_per_s = 0.0;     // that one worker sends
  std::int64_t element_bytes = 2;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
};
// Least tokens a worker on a machine of one's own, for whole and for balanced causal blocks. Throws
// UsageError where kv_heads does not divide q_heads.
[[nodiscard]] std::string own_min_block_table(const RingMachine& machine, TableForm form);

// One row a kind of transfer of each scheme. Throws UsageError for an impossible problem.
[[nodiscard]] std::string sent_bytes_table(const SplitProblem& problem, TableForm form);
// What a worker sends in all, a scheme.
[[nodiscard]] std::string sent_bytes_summary(const SplitProblem& problem);

}  // namespace qb
