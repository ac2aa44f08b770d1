// A plan as JSON and as a readable table.
#pragma once

#include <string>

#include "harness/execute/device/device_rehearsal.h"
#include "harness/plan/plan.h"
#include "harness/plan/work/work.h"

namespace qb {

// Above this many local tokens over all workers, half-open `token_ranges` replace the `tokens`
// lists. Above kMaxListedPairs pairs, a list of pairs is refused (UsageError).
inline constexpr std::int64_t kMaxListedTokens = 10'000'000;
inline constexpr std::int64_t kMaxListedPairs = 10'000'000;

// {"longest_subsequence", "shortest_subsequence", "responsibility_ratio", "critical_path_pairs",
//  "workers": [{"worker", "tokens": [global, ascending], "pairs_count", "pairs": [[q, k], …]}]}
// `memory` assumes kernels on one thread.
[[nodiscard]] std::string plan_json(const Plan& plan, const Work& work, const PlanMemory& memory,
                                    bool with_pairs);

[[nodiscard]] std::string plan_table(const Plan& plan, const Work& work, const PlanMemory& memory,
                                     Kernel kernel);

}  // namespace qb
