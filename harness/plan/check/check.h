// Proves from the plan alone that it computes exact attention.
#pragma once

#include <optional>
#include <string>

#include "harness/plan/plan.h"

namespace qb {

// nullopt when each unmasked pair of every head is covered exactly once, each task and each send
// uses only what its worker holds at that step, every send has its receive, and every partial
// reaches the place of the result once; otherwise one sentence that names the first offender. Works
// on groups: cost and memory grow with the number of tasks, not with N.
[[nodiscard]] std::optional<std::string> check(const Plan& plan);

}  // namespace qb
