// SPDX-License-Identifier: Apache-2.0
// How the workers of a grid fill the hosts of a cluster.
#pragma once

#include <vector>

#include "base/words.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

// The orders of the heads (h), rows (r) and columns (c) of a grid: the first letter varies fastest.
enum class GridOrder { hrc, rhc, hcr, chr, rch, crh };

QB_WORDS(GridOrder, "order", hrc, rhc, hcr, chr, rch, crh);

// The slot of each worker; worker (column x, row y, head group h) is (x R + y) H + h. Empty for the
// order hrc, in which worker w stands at slot w.
[[nodiscard]] std::vector<int> grid_slots(GridOrder order, const GridShape& shape);

}  // namespace qb
