// SPDX-License-Identifier: Apache-2.0
// Which series of a figure have an entry in its legend, and in which order.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// Names, each once: algorithms in the order of their registry, worker counts ascending, limits
// last. Without those of crosses, and of published series that share one entry.
[[nodiscard]] std::vector<std::string> legend_order(const Figure& figure);

// Says whether the series marks cases without a value: out_of_memory or not_tried.
[[nodiscard]] bool is_cross(const Series& series);

}  // namespace qb
