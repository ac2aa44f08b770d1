// How token positions are dealt to groups.
#pragma once

#include <optional>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

// n = q * parts + r: the first parts - r groups hold q consecutive tokens, the last r hold q + 1.
// (CQS-Attention section III; the same layout is the ring's shard.) Requires n >= parts >= 1.
[[nodiscard]] std::vector<TokenGroup> contiguous_groups(std::int64_t n, int parts);

// The pair task of two groups under the problem's mask: nothing where the mask allows no pair.
// Exact for contiguous groups and for strided groups of equal stride.
[[nodiscard]] std::optional<PairTask> pair_task(const Problem& problem,
                                                const std::vector<TokenGroup>& q_groups,
                                                const std::vector<TokenGroup>& kv_groups,
                                                int q_group, int kv_group);

}  // namespace qb
