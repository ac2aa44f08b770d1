// SPDX-License-Identifier: Apache-2.0
// Rows of dots: each row is a named set of values of one quantity, with their range as a line and
// their median as a black mark. The dots themselves are lines of the figure.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

struct DotRow {
  std::string name{};
  std::uint32_t colour = kBlack;
  std::vector<double> values{};  // at least one
};

// Gives the place of a dot: the `slots` kinds of dots of one row are above each other.
[[nodiscard]] double dot_place(std::size_t row, std::size_t slot = 0, std::size_t slots = 1);

// Makes an axis with the name of each row, the first on top.
[[nodiscard]] Axis dot_rows_axis(ColumnName column, const std::vector<DotRow>& rows);

// Draws the range and the median of each row, and a vertical line named `zero` at `at`.
[[nodiscard]] std::vector<Series> dot_row_summaries(const std::vector<DotRow>& rows,
                                                    const std::string& zero, double at = 0.0);

}  // namespace qb
