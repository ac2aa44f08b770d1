// A plan as JSON and as a readable table.
#pragma once

#include <string>

#include "harness/plan/plan.h"
#include "harness/plan/work/work.h"

namespace qb {

// Above this many local tokens over all workers `tokens` lists are replaced by half-open
// `token_ranges`, and above kMaxListedPairs pairs a list of pairs is refused (UsageError).
inline constexpr std::int64_t kMaxListedTokens = 10'000'000;
inline constexpr std::int64_t kMaxListedPairs = 10'000'000;

// {"longest_subsequence", "shortest_subsequence", "responsibility_ratio", "critical_path_pairs",
//  "workers": [{"worker", "tokens": [global, ascending], "pairs_count", "pairs": [[q, k], …]}]}
[[nodiscard]] std::string plan_json(const Plan& plan, const Work& work, bool with_pairs);

[[nodiscard]] std::string plan_table(const Plan& plan, const Work& work, Kernel kernel);

}  // namespace qb
