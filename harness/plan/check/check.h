// SPDX-License-Identifier: Apache-2.0
// Proves from the plan alone that it computes exact attention, or exact gradients.
#pragma once

#include <optional>
#include <string>

#include "harness/plan/plan.h"

namespace qb {

// nullopt when each unmasked pair of every head is covered once, tasks and sends use only what
// their worker holds at that step, every send has its receive, and every partial reaches the result
// once; else a sentence that names the first offender. In a backward pass every task's part of dQ,
// dK and dV reaches the result once. Cost and memory grow with tasks, not with N.
[[nodiscard]] std::optional<std::string> check(const Plan& plan);

// Returns true if it proves from worker 0 alone that the plan is exact: what is true of worker 0 is
// true of worker w after a shift by w places. False decides nothing: the plan may be wrong or too
// unusual, and a walk over all workers decides. The plan's groups must tile their sequences.
[[nodiscard]] bool proved_by_rotation(const Plan& plan);

}  // namespace qb
