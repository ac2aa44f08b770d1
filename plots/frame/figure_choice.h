// SPDX-License-Identifier: Apache-2.0
// What a user keeps of a figure's marks. The renderer chooses panels and series.
#pragma once

#include "plots/frame/figure.h"

namespace qb {

// Leaves out points whose x is outside, and panels without any; both ends are kept. Throws
// UsageError if no point is left.
[[nodiscard]] Figure within(Figure figure, double low, double high);

}  // namespace qb
