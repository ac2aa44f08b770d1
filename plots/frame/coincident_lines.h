// SPDX-License-Identifier: Apache-2.0
// Lines that lie on one another. Only the last one drawn would be seen, and the legend would name
// lines that nobody finds; so such lines are drawn once and named together: `ring = striped =
// zigzag`. The CSV of a figure still has each of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// The line that is drawn, and those under it, by their places in the series of a panel.
struct Coincidence {
  std::size_t drawn = 0;
  std::vector<std::size_t> hidden{};
  std::string name{};      // one that has points at some x of the drawn one alone says so
  bool in_legend = false;  // the figure's legend has this name, so that the panel need not say it
};

// Finds the lines of panel `p` that agree within a stroke's width at all of their common points,
// with their intervals: those of the one are among the points of the other. Lines of different
// kinds (published, thin, dashed) are never joined.
[[nodiscard]] std::vector<Coincidence> coincident_lines(const Figure& figure, std::size_t p);

}  // namespace qb
