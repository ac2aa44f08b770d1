// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/dot_rows.h"

#include "base/statistics.h"
#include "plots/frame/frame.h"

namespace qb {
namespace {

constexpr double kDotSpread = 0.5;  // the share of a row that its kinds of dots take

double dot_place(std::size_t row, std::size_t slot, std::size_t slots) {
  return static_cast<double>(row) +
         kDotSpread * ((static_cast<double>(slot) + 0.5) / static_cast<double>(slots) - 0.5);
}

Axis names_axis(const DotFigure& declared) {
  Axis axis{.label = "", .column = declared.y_column, .reversed = true};
  for (const Group& row : declared.rows)
    axis.tics.push_back({static_cast<double>(axis.tics.size()), listed(row.key)});
  return axis;
}

// Makes the marks of each row, a line for each of its kinds.
Groups marks_of(const DotFigure& declared, const Groups& kinds) {
  Groups lines;
  for (std::size_t row = 0; row < declared.rows.size(); ++row)
    for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
      const std::string& algorithm = declared.rows[row].key[0];
      const std::string& kind = kinds[slot].key[0];
      Group marks{.rows = where(declared.rows[row].rows,
                                [&](const Row& one) { return one.at(declared.told_by) == kind; }),
                  .name = listed({algorithm, kind}),
                  .style = {algorithm_style(algorithm).colour, declared.mark(slot, kind)},
                  .thin = declared.hollow,
                  .in_legend = false,
                  .draw = Draw::points};
      marks.value = [&declared, y = dot_place(row, slot, kinds.size())](const Row& one) {
        return Point{.x = declared.value(one), .y = y, .more = values_of(one, declared.more)};
      };
      lines.push_back(std::move(marks));
    }
  return lines;
}

std::vector<Series> summaries_of(const DotFigure& declared) {
  if (declared.rows.empty()) return {};
  std::vector<Series> out;
  Series medians{.name = "median", .draw = Draw::points, .style = {kBlack, 4}};
  for (const Group& row : declared.rows) {
    const std::vector<double> values = numbers_of(row.rows, declared.value);
    const auto [least, most] = std::ranges::minmax(values);
    const auto y = static_cast<double>(medians.points.size());
    out.push_back({.name = "range of " + listed(row.key),
                   .draw = Draw::line,
                   .style = {algorithm_style(row.key[0]).colour},
                   .in_legend = false,
                   .points = {{.x = least, .y = y}, {.x = most, .y = y}}});
    medians.points.push_back({.x = median(values), .y = y});
  }
  const double end = static_cast<double>(declared.rows.size()) - 0.5;
  out.push_back(std::move(medians));
  out.push_back(
      {.name = declared.line,
       .draw = Draw::line,
       .style = {kGrey, 0, 1},
       .thin = true,
       .points = {{.x = declared.line_at, .y = -0.5}, {.x = declared.line_at, .y = end}}});
  return out;
}

}  // namespace

Figure dot_figure(const DotFigure& declared) {
  Rows all;
  for (const Group& row : declared.rows) std::ranges::copy(row.rows, std::back_inserter(all));
  const Groups kinds = group(all, Columns{declared.told_by});
  std::vector<Series> keys;
  for (std::size_t slot = 0; slot < kinds.size(); ++slot)
    keys.push_back(legend_key(declared.mark_name + kinds[slot].key[0],
                              {kGrey, declared.mark(slot, kinds[slot].key[0])}, Draw::points,
                              declared.hollow));
  Figure figure =
      line_figure({.title = declared.title,
                   .nothing = declared.nothing,
                   .lines = marks_of(declared, kinds),
                   .y = {{.y = names_axis(declared),
                          .reference = [&](const Group&) { return summaries_of(declared); }}},
                   .x_axis = fixed(declared.x),
                   .keys = keys,
                   .notes = declared.notes});
  figure.more_columns = declared.more;
  return figure;
}

}  // namespace qb
