// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/lines.h"

namespace qb {

static constexpr std::string_view kNotDrawn = "Not drawn: ";

std::string disturbed_note(const Figure& figure) {
  std::size_t hollow = 0;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      if (series.draw == Draw::line_points || series.draw == Draw::points)
        hollow += static_cast<std::size_t>(std::ranges::count_if(series.points, &Point::disturbed));
  if (hollow == 0) return {};
  return fmt::format("Hollow: {}.", counted(hollow, "disturbed measurement"));
}

void join_not_drawn(std::vector<std::string>& notes) {
  const auto says = [](const std::string& note) { return note.starts_with(kNotDrawn); };
  const auto first = std::ranges::find_if(notes, says);
  if (first == notes.end()) return;
  for (auto at = first + 1; at != notes.end(); ++at)
    if (says(*at)) {
      first->replace(first->size() - 1, 1, "; " + at->substr(kNotDrawn.size()));
      at->clear();
    }
}

std::string not_drawn(const std::vector<Omission>& all) {
  std::vector<std::string> parts;
  for (const Omission& one : all) {
    if (one.number == 0) continue;
    parts.push_back(one.of == 0 ? fmt::format("{} ({})", counted(one.number, one.what), one.reason)
                                : fmt::format("{} of {} ({})", one.number,
                                              counted(one.of, one.what), one.reason));
  }
  return parts.empty() ? "" : fmt::format("{}{}.", kNotDrawn, listed(parts, "; "));
}

Series line_series(Series series, const Rows& rows, const PointOf& value, bool breaks) {
  for (const Row& row : rows) {
    if (breaks && out_of_memory(row)) continue;
    const Point point = value(row);
    if (breaks || !std::isnan(point.y)) series.points.push_back(point);
  }
  return series;
}

std::vector<Series> out_of_memory_series(const Group& line, double limit,
                                         const std::function<double(const Row&)>& x) {
  Series failed{.name = line.name, .draw = Draw::out_of_memory, .style = line.style};
  Series skipped{.name = line.name, .draw = Draw::not_tried, .style = line.style};
  for (const auto& [at, row] : by_number(where(line.rows, out_of_memory), x))
    (not_tried(row) ? skipped : failed).points.push_back({.x = at, .y = limit});
  std::vector<Series> marks = {std::move(failed), std::move(skipped)};
  std::erase_if(marks, [](const Series& series) { return series.points.empty(); });
  return marks;
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

IntervalColumns clock_of(const Row& row) {
  return row.is("ranks", "serial") ? IntervalColumns("critical_path")
                                   : IntervalColumns("wall_time");
}

Point timed(const Row& row, IntervalColumns columns, double factor) {
  return {.y = row.number(columns.median()) * factor,
          .low = row.number(columns.low95()) * factor,
          .high = row.number(columns.high95()) * factor};
}

Point time_ms(const Row& row) { return timed(row, clock_of(row), kMilli); }

Point flop_rate(const Row& row, double factor) {
  const Point time = timed(row, "wall_time", 1.0);
  const double rate = row.number("achieved_flop_per_s") * factor;
  return {.y = rate, .low = rate * time.y / time.high, .high = rate * time.y / time.low};
}

Point scaled(const Point& point, double factor) {
  return {.x = point.x,
          .y = point.y * factor,
          .low = point.low * factor,
          .high = point.high * factor,
          .disturbed = point.disturbed};
}

Point time_ratio(const Row& over, const Row& under, IntervalColumns columns) {
  const Point above = timed(over, columns, 1.0);
  const Point below = timed(under, columns, 1.0);
  return {.y = above.y / below.y,
          .low = above.low / below.high,
          .high = above.high / below.low,
          .disturbed = disturbed(over) || disturbed(under)};
}

}  // namespace qb
