// What `qb bounds` prints, as pure functions.
#pragma once

#include <span>
#include <string>

#include "harness/cli/views/table_form.h"
#include "harness/plan/theory/published_bounds.h"
#include "harness/plan/theory/sent_bytes.h"

namespace qb {

// Has one row per published theoretical max speed-up: ours by both counts of the dense products,
// verdicts.
[[nodiscard]] std::string speed_up_table(std::span<const PublishedSpeedUp> rows, TableForm form);
// Says how many rows agree by either count, and what the fit of w says.
[[nodiscard]] std::string speed_up_summary(std::span<const PublishedSpeedUp> rows);

// Has one row per host of Ring Attention's Table 2: printed and recomputed c and s, in thousands of
// tokens.
[[nodiscard]] std::string min_block_table(std::span<const PublishedMinBlock> rows, TableForm form);
[[nodiscard]] std::string min_block_summary(std::span<const PublishedMinBlock> rows);

struct RingMachine {
  double compute_flop_per_s = 0.0;  // of one worker
  double link_byte_per_s = 0.0;     // sent by one worker
  std::int64_t element_bytes = 2;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
};
// Gives the least tokens per worker on the user's machine, for whole and for balanced causal
// blocks. Throws UsageError if kv_heads does not divide q_heads.
[[nodiscard]] std::string own_min_block_table(const RingMachine& machine, TableForm form);

// Has one row per kind of transfer of each scheme. Throws UsageError for an impossible problem.
[[nodiscard]] std::string sent_bytes_table(const SplitProblem& problem, TableForm form);
// Says what a worker sends in total, per scheme.
[[nodiscard]] std::string sent_bytes_summary(const SplitProblem& problem);

}  // namespace qb
