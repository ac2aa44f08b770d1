// The weights that cases name are looked at before any of them runs.
#pragma once

#include <span>

#include "harness/experiment/schema/case.h"

namespace qb {

// Throws UsageError where the weights of a transformer layer are missing, do not have the shapes of
// its case, or cannot be read as finite numbers.
void require_weights(std::span<const Case> cases);

}  // namespace qb
