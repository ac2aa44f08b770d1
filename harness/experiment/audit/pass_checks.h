// What a row says of a backward pass, and whether it holds.
#pragma once

#include "harness/experiment/audit/audited_row.h"

namespace qb {

// The gradients of an ok row's backward pass must be there and within their tolerances. The times
// of two passes must be those that the samples give, and must add up to the wall clock of each
// repeat. Rows of other passes have none of these.
void check_passes(AuditedRow& row);

}  // namespace qb
