// SPDX-License-Identifier: Apache-2.0
// The mistakes that the field's programs are known to make, for diagnosis.h to try.
#pragma once

#include <string>
#include <vector>

#include "harness/execute/verify/mistaken_rows.h"
#include "harness/plan/plan.h"

namespace qb {

using Mistakes = std::vector<Mistake>;

// Those that are the same for all rows, each beside `asked`. workers: for so many are layouts
// tried.
[[nodiscard]] Mistakes known_mistakes(const Plan& plan, const Mistake& asked,
                                      const std::vector<int>& workers);
// Those that a group of queries may have by itself (of_keys: of keys, in dK and dV): a partial that
// is left out or counted twice, or a shard of keys that is its neighbour's.
[[nodiscard]] Mistakes mistakes_of_group(const Plan& plan, const Mistake& asked, int group,
                                         bool of_keys);
// What may stand for LSE where the weights are right.
[[nodiscard]] Mistakes lse_mistakes(const Mistake& asked);
// Those of a backward pass alone. heads: how many query heads share a key, for dK and dV.
[[nodiscard]] Mistakes gradient_mistakes(const Mistake& asked, std::int64_t heads);

// Such as "3 to 63 (every 4th)".
[[nodiscard]] std::string tokens_text(const TokenGroup& group);

}  // namespace qb
