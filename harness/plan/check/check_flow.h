// The part of check() that follows tensors: who holds what when, and where the partials go.
#pragma once

#include <optional>
#include <string>

#include "harness/plan/plan.h"

namespace qb {

// nullopt, or a sentence that names the first offender. Tasks must name groups that exist.
[[nodiscard]] std::optional<std::string> check_flow(const Plan& plan);

}  // namespace qb
