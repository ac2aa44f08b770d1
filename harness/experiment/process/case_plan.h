// The plan of a case. Every command that plans goes through here, so that none forgets a parameter.
#pragma once

#include "harness/experiment/schema/case.h"
#include "harness/plan/plan.h"

namespace qb {

// Throws UsageError where mask, sequences and shape do not fit each other.
[[nodiscard]] Problem problem_of(const Case& c);

// Throws Unsupported / UsageError as make_plan does. The plan is not checked.
[[nodiscard]] Plan plan_of(const Case& c);

}  // namespace qb
