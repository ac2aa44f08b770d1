// SPDX-License-Identifier: Apache-2.0
// What is allowed in a case, and hardly ever meant.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/workload/case.h"

namespace qb {

// A sentence for each kind of doubt, which names its first case and counts the others: more workers
// than tokens and keys, heads and tokens that look swapped, a bandwidth without a latency.
[[nodiscard]] std::vector<std::string> cautions(std::span<const Case> cases);

}  // namespace qb
