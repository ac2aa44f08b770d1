// SPDX-License-Identifier: Apache-2.0
// Closed forms for the bytes that a worker sends in a pass under each way of splitting attention,
// beside the count of the scheme's own plan, and for the smallest block that hides its transfers.
// Whether a scheme takes a problem is asked of its plan; the forms have no rules.
//
// T new and P cached tokens, W workers, NH and NKV query and key-value heads, d head dim, e bytes
// an element, o of O of a partial, p = 4 of what is float32: LSE and D, and sums of gradients; m
// groups that a worker of CQS has. A shard of T tokens counts as ceil(T / W), the largest. A
// worker's share for itself is not sent. Of a grid of H x R x C, a worker's share of the heads is s
// query heads, which need k key-value heads; KV is the sum of k over the H shares, NKV unless
// several need one head. Ulysses is W x 1 x 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/pass.h"
#include "harness/plan/problem.h"
#include "harness/plan/worker_group.h"

namespace qb {

struct SentBytes {
  Pass pass = Pass::forward;
  std::string scheme;
  std::string transfer;       // `ring hop`, `all-to-all back`, …
  bool received = false;      // received from the root, not sent
  std::int64_t messages = 0;  // of this kind by one worker: W - 1 hops, W home, or one collective
  std::int64_t bytes = 0;     // bytes of each message, by the formula
  std::string formula;
  // What the scheme's plan sends in all its transfers, by the worker that sends most: as the
  // forecasts of `qb advise` count it. All rows of a scheme have the same number.
  std::int64_t planned_bytes = 0;
  std::int64_t formula_bytes = 0;  // what the scheme's formulas add up to, but for what is received
  std::string difference;   // why the formulas of the scheme give another sum; empty if they do not
  std::string unsupported;  // why the scheme has no plan; then the numbers are 0
  [[nodiscard]] std::int64_t total() const { return messages * bytes; }
};
// The plan of `decode` takes one token after another; it is made for at most this many new tokens.
inline constexpr std::int64_t kFewNewTokens = 16;

// Returns a row for each kind of transfer of every scheme in the order of the registry, for a batch
// of one sequence that is not packed, whose P = kv_len - q_len >= 0 and whose values are as wide as
// its keys. It plans every scheme, so its time grows with the square of W, or faster. Throws
// UsageError if there is no worker, or if the bytes exceed 63 bits.
// grid: for grid, usp and mesh.
[[nodiscard]] std::vector<SentBytes> sent_bytes(const Problem& problem, int workers,
                                                Pass pass = Pass::forward,
                                                const GridShape& grid = {});

// Returns the fewest tokens per worker for which a hop of K and V hides behind the block's compute:
// (C/B)(e/2)(NKV/NH) where rounds compute whole blocks (no mask, or the contiguous layout's worst
// worker), twice that for half blocks (causal striped, zigzag). Full multi-head attention in 2-byte
// types gives C/B (Ring Attention, arXiv 2310.01889, section 3).
[[nodiscard]] double min_block_tokens(double compute_flop_per_s, double link_byte_per_s,
                                      std::int64_t element_bytes, std::int64_t q_heads,
                                      std::int64_t kv_heads, bool half_blocks);

}  // namespace qb
