// How token positions are dealt to groups.
#pragma once

#include <optional>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

// n = q * parts + r: the first parts - r groups hold q consecutive tokens, the last r hold q + 1.
// (CQS-Attention section III; the same layout is the ring's shard.) Groups are empty where n <
// parts. `first`: the position of the first token.
[[nodiscard]] std::vector<TokenGroup> contiguous_groups(std::int64_t n, int parts,
                                                        std::int64_t first = 0);

// Token t in group t mod parts (Striped Attention section 3).
[[nodiscard]] std::vector<TokenGroup> striped_groups(std::int64_t n, int parts);

// The pair task of two groups under the problem's mask: nothing where the mask allows no pair.
// Exact for contiguous groups and for strided groups of equal stride; of packed sequences, groups
// must lie within one.
[[nodiscard]] std::optional<PairTask> pair_task(const Problem& problem,
                                                const std::vector<TokenGroup>& q_groups,
                                                const std::vector<TokenGroup>& kv_groups,
                                                int q_group, int kv_group);

}  // namespace qb
