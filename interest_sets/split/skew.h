// SPDX-License-Identifier: Apache-2.0
// Chooses token groups for workers of unequal speed.
//
// Problem: worker k takes (n_k^2 + 2 * sum of n_a n_b over its kept pairs) / speed_k. Which group
// sizes that sum to N minimise the largest time?
//
// Approach: gradient descent on the logarithms of the sizes minimises a power mean of the times,
// whose power grows; sizes are rounded last. A slow worker's groups are in other quorums too, so
// the gain is less than that of moving whole blocks, but only the group sizes change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interest_sets/split/distillation.h"

namespace qb {

// Returns W group sizes of 1 or more that sum to n_tokens and are never slower than equal groups.
// Each worker needs one speed above 0. Throws UsageError where the numbers do not fit.
[[nodiscard]] std::vector<std::int64_t> skewed_group_sizes(const InterestSet& set,
                                                           std::int64_t n_tokens,
                                                           std::span<const double> speeds,
                                                           Distillation distillation);

}  // namespace qb
