// The partition of the N x N pairs as a table of rectangles, for drawing.
#pragma once

#include "harness/base/csv.h"
#include "harness/plan/plan.h"

namespace qb {

// One record a task: worker, q_begin, q_end, k_begin, k_end, allowed (all | causal), offset; token
// positions are global, ends exclusive. Groups must be contiguous (throws Unsupported).
[[nodiscard]] CsvTable partition_rectangles(const Plan& plan);

}  // namespace qb
