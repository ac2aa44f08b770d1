// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/dots.h"

#include "base/statistics.h"

namespace qb {
namespace {

constexpr double kDotSpread = 0.5;  // the share of a row that its kinds of dots take

double dot_place(std::size_t row, std::size_t slot, std::size_t slots) {
  return static_cast<double>(row) +
         kDotSpread * ((static_cast<double>(slot) + 0.5) / static_cast<double>(slots) - 0.5);
}

Axis names_axis(const Groups& rows) {
  Axis axis{.label = "", .column = "row_index", .reversed = true};
  for (const Group& row : rows)
    axis.tics.push_back({static_cast<double>(axis.tics.size()), row.name});
  return axis;
}

// Makes the marks of each row, a line for each of its kinds.
Groups marks_of(const DotFigure& declared, const Groups& kinds) {
  Groups lines;
  for (std::size_t row = 0; row < declared.rows.size(); ++row)
    for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
      const std::string& kind = kinds[slot].key[0];
      Group marks{.rows = where(declared.rows[row].rows,
                                [&](const Row& one) { return one.at(declared.told_by) == kind; }),
                  .name = listed({declared.rows[row].key[0], kind}),
                  .style = declared.look(declared.rows[row].key[0], slot, kind),
                  .thin = declared.hollow,
                  .in_legend = false,
                  .draw = Draw::points};
      marks.value = [&declared, y = dot_place(row, slot, kinds.size())](const Row& one) {
        return Point{.x = declared.value(one),
                     .y = y,
                     .disturbed = !declared.counted(one),
                     .more = values_of(one, declared.more)};
      };
      lines.push_back(std::move(marks));
    }
  return lines;
}

// Of the cases that count.
std::vector<Series> summaries_of(const DotFigure& declared) {
  std::vector<Series> out;
  Series medians{.name = "median", .draw = Draw::points, .style = {kBlack, 4}};
  for (std::size_t row = 0; row < declared.rows.size(); ++row) {
    const Rows counted = where(declared.rows[row].rows, declared.counted);
    if (counted.empty()) continue;
    const std::vector<double> values = numbers_of(counted, declared.value);
    const auto [least, most] = std::ranges::minmax(values);
    const auto y = static_cast<double>(row);
    const std::string& key = declared.rows[row].key[0];
    out.push_back({.name = "range of " + declared.rows[row].name,
                   .draw = Draw::line,
                   .style = {declared.look(key, 0, "").colour},
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
                              declared.look("", slot, kinds[slot].key[0]), Draw::points,
                              declared.hollow));
  Figure figure =
      line_figure({.title = declared.title,
                   .nothing = declared.nothing,
                   .lines = marks_of(declared, kinds),
                   .y = {{.y = names_axis(declared.rows),
                          .reference = [&](const Group&) { return summaries_of(declared); },
                          .timed = false}},
                   .x_axis = fixed(declared.x),
                   .keys = keys,
                   .notes = declared.notes});
  figure.more_columns = declared.more;
  return figure;
}

}  // namespace qb
