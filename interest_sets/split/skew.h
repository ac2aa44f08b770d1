// Token groups for workers of unequal speed.
//
// Problem: worker k takes (n_k^2 + 2 * sum of n_a n_b over its kept pairs) / speed_k. Groups may
// have any sizes that sum to N; which minimise the largest time?
//
// Approach: descent on the logarithms of the sizes along the gradient of a power mean of the times,
// whose power grows; then whole tokens. A
// slow worker's groups are in other quorums too, so the gain is less than what moving whole blocks
// would give, and nothing but the group sizes changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interest_sets/split/distillation.h"

namespace qb {

// Query-key pairs of each worker for groups of these sizes.
[[nodiscard]] std::vector<double> worker_loads(const InterestSet& set,
                                               std::span<const std::int64_t> group_sizes,
                                               Distillation distillation);

// max over workers of load / speed.
[[nodiscard]] double slowest_time(const InterestSet& set, std::span<const std::int64_t> group_sizes,
                                  std::span<const double> speeds, Distillation distillation);

// Sizes of the W groups, each 1 or more, summing to n_tokens; never slower than equal groups. One
// speed a worker, above 0. Throws UsageError where the numbers do not fit.
[[nodiscard]] std::vector<std::int64_t> skewed_group_sizes(const InterestSet& set,
                                                           std::int64_t n_tokens,
                                                           std::span<const double> speeds,
                                                           Distillation distillation);

}  // namespace qb
