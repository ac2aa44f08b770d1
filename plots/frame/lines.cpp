// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/lines.h"

namespace qb {
namespace {

using Quantity = LineFigure::Quantity;

bool has_value(const Series& series) {
  return std::ranges::any_of(series.points, [](const Point& at) { return std::isfinite(at.y); });
}

void draw_line(Panel& panel, const LineFigure& declared, const Quantity& quantity,
               const Group& line) {
  const PointOf& value = line.value ? line.value : quantity.value;
  Series series = line_series(line, [&](const Row& row) {
    Point point = value(row);
    if (std::isnan(point.x)) point.x = declared.x(row);
    point.disturbed = point.disturbed || (quantity.timed && disturbed(row));
    return point;
  });
  // A line without a value would only appear in the legend; the notes count its cases.
  if (has_value(series)) panel.series.push_back(std::move(series));
}

Group in_panel(Group line, const Group& panel) {
  line.rows = where(line.rows, [&](const Row& row) {
    return std::ranges::find(panel.rows, row) != panel.rows.end();
  });
  return line;
}

Panel line_panel(const LineFigure& declared, const Quantity& quantity, const Group& from) {
  Panel panel{.y = quantity.y};
  for (const Group& line : quantity.lines ? quantity.lines(from) : declared.lines)
    draw_line(panel, declared, quantity,
              quantity.lines || from.rows.empty() ? line : in_panel(line, from));
  if (quantity.reference) add(panel, quantity.reference(from));
  return panel;
}

bool has_data(const Panel& panel) {
  return std::ranges::any_of(panel.series, [](const Series& series) {
    return !series.published && series.draw != Draw::limit && has_value(series);
  });
}

constexpr std::string_view kNotDrawn = "Not drawn: ";

void choose_axes(Figure& figure, const LineFigure& declared,
                 const std::vector<const Quantity*>& shown) {
  const Axis x = declared.x_axis(numbers_at(figure.panels, &Point::x));
  const std::vector<double> every_y = numbers_at(figure.panels, &Point::y);
  for (std::size_t p = 0; p < shown.size(); ++p) {
    Panel& panel = figure.panels[p];
    panel.x = shown[p]->x_axis ? shown[p]->x_axis(numbers_at({panel}, &Point::x)) : x;
    if (shown[p]->fit)
      panel.y =
          shown[p]->fit(panel.y, declared.shared_axes ? every_y : numbers_at({panel}, &Point::y));
  }
}

}  // namespace

Figure line_figure(const LineFigure& declared) {
  Figure figure{.name = declared.name,
                .title = declared.title,
                .shared_axes = declared.shared_axes,
                .notes = declared.notes,
                .finding = declared.finding};
  std::vector<const Quantity*> shown;  // by panel
  const auto add_panel = [&](const Quantity& quantity, const Group& from) {
    figure.panels.push_back(line_panel(declared, quantity, from));
    figure.panels.back().title = listed({quantity.title, from.name});
    shown.push_back(&quantity);
  };
  for (const Quantity& quantity : declared.y)
    for (const Group& from : declared.panels.empty() ? Groups{{}} : declared.panels)
      add_panel(quantity, from);
  if (std::ranges::none_of(figure.panels, has_data))
    return {.name = declared.name, .title = declared.title, .empty_reason = declared.nothing};
  choose_axes(figure, declared, shown);
  arrange_panels(figure, 2);
  figure.panels.front().series.insert(figure.panels.front().series.end(), declared.keys.begin(),
                                      declared.keys.end());
  figure.notes.push_back(disturbed_note(figure));
  join_not_drawn(figure.notes);
  std::erase(figure.notes, "");
  return figure;
}

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

Series line_series(const Group& line, const PointOf& value, bool breaks) {
  Series series{.name = line.name,
                .draw = line.draw,
                .style = line.style,
                .published = line.published,
                .thin = line.thin,
                .in_legend = line.in_legend};
  for (const Row& row : line.rows) {
    if (breaks && out_of_memory(row)) continue;
    const Point point = value(row);
    if (breaks || !std::isnan(point.y)) series.points.push_back(point);
  }
  return series;
}

std::function<Axis(const std::vector<double>&)> fixed(Axis axis) {
  return [=](const std::vector<double>&) { return axis; };
}

std::function<std::vector<Series>(const Group&)> always(Series series) {
  return [=](const Group&) { return std::vector<Series>{series}; };
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
