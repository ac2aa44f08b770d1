// The files that cases name are looked at before any of them runs, and in dry runs too.
#pragma once

#include <span>

#include "harness/experiment/schema/case.h"

namespace qb {

// Throws UsageError where a device of the cost model is missing or is no such file, and where the
// weights of a transformer layer are missing, do not have the shapes of its case, or cannot be read
// as finite numbers.
void require_named_files(std::span<const Case> cases);

}  // namespace qb
