// SPDX-License-Identifier: Apache-2.0
// Deals token positions to groups.
#pragma once

#include <optional>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

// Let n = q * parts + r: the first parts - r groups hold q consecutive tokens, the last r hold q +
// 1. (CQS-Attention section III; the ring's shards have the same layout.) Groups are empty if n <
// parts. `first`: the position of the first token.
[[nodiscard]] std::vector<TokenGroup> contiguous_groups(std::int64_t n, int parts,
                                                        std::int64_t first = 0);

[[nodiscard]] std::vector<int> every_group(const std::vector<TokenGroup>& groups);

// Puts token first + t in group t mod parts (Striped Attention section 3).
[[nodiscard]] std::vector<TokenGroup> striped_groups(std::int64_t n, int parts,
                                                     std::int64_t first = 0);

// Cuts groups where a packed sequence ends, so that each piece lies within one sequence. `end` says
// whether the groups are of queries or of keys. Returns the pieces of each group in ascending
// order: a group that lies within one sequence is its own only piece, and so is an empty one.
[[nodiscard]] std::vector<std::vector<int>> cut_at_ends(const std::vector<Segment>& sequences,
                                                        std::int64_t Segment::*end,
                                                        std::vector<TokenGroup>& groups);

// What the mask leaves of the pairs of two groups. It fits into registers: plans ask for millions.
struct Left {
  std::int64_t offset = 0;
  Allowed allowed = Allowed::all;
  bool any = false;
};
// It is exact for contiguous groups and for groups of equal stride. Groups must lie within one
// sequence.
[[nodiscard]] Left left_by_mask(const Problem& problem, const TokenGroup& q, const TokenGroup& k);
// Returns the task of two groups, or nullopt if no pair is allowed.
[[nodiscard]] std::optional<PairTask> pair_task(const Problem& problem,
                                                const std::vector<TokenGroup>& q_groups,
                                                const std::vector<TokenGroup>& kv_groups,
                                                int q_group, int kv_group);

}  // namespace qb
