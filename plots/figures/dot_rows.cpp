// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/dot_rows.h"

#include "base/statistics.h"
#include "plots/frame/frame.h"

namespace qb {
namespace {

constexpr double kDotSpread = 0.5;  // the share of a row that its kinds of dots take

}  // namespace

double dot_place(std::size_t row, std::size_t slot, std::size_t slots) {
  return static_cast<double>(row) +
         kDotSpread * ((static_cast<double>(slot) + 0.5) / static_cast<double>(slots) - 0.5);
}

Axis dot_rows_axis(ColumnName column, const std::vector<DotRow>& rows) {
  Axis axis{.label = "", .column = std::move(column), .reversed = true};
  for (const DotRow& row : rows)
    axis.tics.push_back({static_cast<double>(axis.tics.size()), row.name});
  return axis;
}

std::vector<Series> dot_row_summaries(const std::vector<DotRow>& rows, const std::string& zero,
                                      double at) {
  if (rows.empty()) return {};
  std::vector<Series> out;
  Series medians{.name = "median", .draw = Draw::points, .style = {kBlack, 4}};
  for (const DotRow& row : rows) {
    const auto [least, most] = std::ranges::minmax(row.values);
    const auto y = static_cast<double>(medians.points.size());
    out.push_back({.name = "range of " + row.name,
                   .draw = Draw::line,
                   .style = {row.colour},
                   .in_legend = false,
                   .points = {{.x = least, .y = y}, {.x = most, .y = y}}});
    medians.points.push_back({.x = median(row.values), .y = y});
  }
  const double end = static_cast<double>(rows.size()) - 0.5;
  out.push_back(std::move(medians));
  out.push_back({.name = zero,
                 .draw = Draw::line,
                 .style = {kGrey, 0, 1},
                 .thin = true,
                 .points = {{.x = at, .y = -0.5}, {.x = at, .y = end}}});
  return out;
}

}  // namespace qb
