// Workers slower than the machine: their speeds as a case says them, and the token groups that
// lessen their critical path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/schema/case.h"
#include "interest_sets/sets/interest_set.h"

namespace qb {

// `0.5 1`, separated by spaces or commas: parts of the machine's speed, above 0 and at most 1.
// Throws UsageError.
[[nodiscard]] std::vector<double> parse_worker_speeds(std::string_view text);
[[nodiscard]] std::string to_string(std::span<const double> worker_speeds);

// One of each worker, 1 for those that the case does not name; empty where it names none. Throws
// UsageError where it names more than there are.
[[nodiscard]] std::vector<double> worker_speeds_of(const Case& c);

// Tokens of each group for `group_sizes: by_speed`: the sizes that lessen the work of all query-key
// pairs over the speeds, whatever the mask, since under a causal one each worker's share halves.
// Throws Unsupported where queries and keys are not as many.
[[nodiscard]] std::vector<std::int64_t> group_sizes_by_speed(const Case& c, const InterestSet& set);

}  // namespace qb
