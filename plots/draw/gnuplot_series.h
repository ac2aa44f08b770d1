// SPDX-License-Identifier: Apache-2.0
// How gnuplot draws one series.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/figure_layout.h"

namespace qb {

// Gives style, width and colour of the series' line or marks, as `plot` and the legend take them.
[[nodiscard]] std::string line_look(const Series& series, const Sheet& sheet);

// Adds the elements of a `plot` command that draw the series. `rows` chooses its rows of the
// figure's CSV, whose columns are given: `every ::0::4`. `place` is that of its line among those
// that have such crosses at one height.
void add_elements(std::vector<std::string>& out, const std::vector<std::string>& columns,
                  const std::string& rows, const Series& series, const Scale& y, const Sheet& sheet,
                  int place);

}  // namespace qb
