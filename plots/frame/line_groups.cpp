// SPDX-License-Identifier: Apache-2.0
// Which rows make a line of a figure, and how the line looks.
#include "plots/frame/lines.h"

namespace qb {

Groups algorithm_lines(const Rows& rows, std::span<const char* const> algorithms) {
  Groups lines;
  for (const char* algorithm : algorithms)
    lines.push_back({.key = {algorithm},
                     .rows = where(rows, "algorithm", {algorithm}),
                     .name = algorithm,
                     .style = algorithm_style(algorithm)});
  return lines;
}

Groups scheme_lines(const Group& panel, const Columns& given) {
  const Columns others = splitting_columns(panel.rows, joined({"algorithm"}, given));
  Groups lines = group(order(panel.rows, number_in("workers")), joined({"algorithm"}, others));
  for (Group& line : lines) line.name = name_with(line.key[0], line.rows.front(), others);
  style_by_algorithm(lines, [](const Group& line) { return line.key[0]; });
  return lines;
}

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

Groups case_lines(const CsvTable& cases) {
  const Rows rows = order(standing_rows(cases), number_in("n_tokens"));
  const Columns others = splitting_columns(rows, {"workers"});
  Groups lines = group(rows, [&](const Row& row) {
    std::vector<std::string> key = {row.text("workers")};
    for (const std::string& column : others) key.push_back(own_value(row, column));
    return key;
  });
  std::ranges::stable_sort(lines, {},
                           [](const Group& line) { return std::pair(workers_of(line), line.key); });
  for (Group& line : lines)
    line.name = name_with(fmt::format("W = {}", workers_of(line)), line.rows.front(), others);
  style_by_algorithm(lines, [](const Group& line) { return line.rows.front().text("algorithm"); });
  return lines;
}

std::int64_t workers_of(const Group& line) { return line.rows.front().integer("workers"); }

}  // namespace qb
