// Proves a plan whose workers differ by rotation from worker 0 alone.
#pragma once

#include "harness/plan/plan.h"

namespace qb {

// Returns true if it proves that the plan is exact in the sense of check(): what is true of worker
// 0 is true of worker w after a shift by w places. False decides nothing: the plan may be wrong or
// too unusual, and a walk over all workers decides. The plan's groups must tile their sequences.
[[nodiscard]] bool proved_by_rotation(const Plan& plan);

}  // namespace qb
