// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plots/frame/lines.h"

namespace qb {

// Says whether a case mixes tokens by an operator.
[[nodiscard]] bool has_operators(const CsvTable& cases);
// Time of operators against N, of random inputs where there are others.
[[nodiscard]] Figure operators_figure(const PlottedRun& run);

}  // namespace qb
