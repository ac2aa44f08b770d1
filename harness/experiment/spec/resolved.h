// The resolved spec: what ran, with every default written out.
#pragma once

#include <string>

#include "harness/experiment/spec/spec.h"

namespace qb {

// Canonical YAML of name, description, figures and cases (all of one Measure). Parameters that are
// the same in every case stand at the top level, the others in `cases:`. parse_spec of it gives the
// same cases in the same order.
[[nodiscard]] std::string write_resolved(const Spec& spec);

}  // namespace qb
