// SPDX-License-Identifier: Apache-2.0
// Which rows make a line of a figure, and how the line looks.
#include "plots/frame/lines.h"

namespace qb {

void style_by_algorithm(Groups& lines,
                        const std::function<std::string(const Group&)>& algorithm_of) {
  for (Group& line : lines) line.style = algorithm_style(algorithm_of(line));
  shade_equal_looks(lines);
}

void shade_equal_looks(Groups& lines) {
  const auto look = [](const Group& line) {
    return std::tuple(line.style.colour, line.style.mark, line.style.dash, line.thin);
  };
  using Look = decltype(look(lines.front()));
  std::map<Look, int> counts;
  std::map<Look, int> places;
  for (const Group& line : lines) ++counts[look(line)];
  for (Group& line : lines) {
    const Look own = look(line);
    line.style.colour = shade(line.style.colour, places[own]++, counts[own]);
  }
}

std::int64_t workers_of(const Group& line) { return line.rows.front().integer("workers"); }

}  // namespace qb
