// SPDX-License-Identifier: Apache-2.0
// What a user keeps of a figure, and for what it is drawn.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

struct FigureChoice {
  std::vector<std::string> series{};                   // names of the legend; none: all
  std::optional<std::pair<double, double>> x_range{};  // both ends are kept
  std::vector<int> panels{};                           // counted from 1; none: all
  double paper_width_in = 0.0;                         // 0: a screen
};

// Leaves out what was not chosen; a panel without series goes, too. Throws UsageError if there is
// no such panel or series (it lists those that there are), or if no point is in the range.
[[nodiscard]] Figure chosen(Figure figure, const FigureChoice& choice);

}  // namespace qb
