#include "plots/frame/lines.h"

#include <fmt/format.h>

#include <cmath>

namespace qb {
namespace {

bool holds(const Group& panel, const Row& row) {
  return std::find(panel.rows.begin(), panel.rows.end(), row) != panel.rows.end();
}

void draw_line(Panel& panel, const LineFigure& declared, const Quantity& quantity,
               const Group& line) {
  const auto value = [&](const Row& row) {
    Point point = quantity.value(row);
    point.x = declared.x ? declared.x(row) : row.number("n_tokens");
    return point;
  };
  // A line without a value would only appear in the legend; the notes count its cases.
  if (Series series = line_series(line, value, declared.breaks);
      std::ranges::any_of(series.points, [](const Point& at) { return std::isfinite(at.y); }))
    panel.series.push_back(std::move(series));
  if (declared.crosses) add(panel, out_of_memory_series(line, *declared.crosses));
  if (declared.beside) add(panel, declared.beside(line));
}

void choose_axes(Figure& figure, const LineFigure& declared) {
  const std::vector<double> every_y = all_y(figure.panels);
  const Axis tokens = tokens_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) {
    panel.x = declared.x ? declared.x_axis : tokens;
    if (declared.y_by_range)
      panel.y = powers_or_zero(panel.y, declared.shared_axes ? every_y : all_y(panel));
  }
}

}  // namespace

Figure line_figure(const LineFigure& declared, const FigureContext& context) {
  Figure figure{.title = declared.title,
                .subtitle = context.subtitle,
                .shared_axes = declared.shared_axes,
                .published_legend = declared.published_legend,
                .notes = declared.notes};
  for (const Quantity& quantity : declared.y) {
    std::vector<Group> panels = declared.panels;
    if (panels.empty()) panels.emplace_back();
    for (const Group& from : panels) {
      Panel panel{.title = listed({quantity.title, from.name}), .y = quantity.y};
      for (Group line : declared.lines) {
        if (!from.rows.empty())
          line.rows = where(line.rows, [&](const Row& row) { return holds(from, row); });
        draw_line(panel, declared, quantity, line);
      }
      figure.panels.push_back(std::move(panel));
    }
  }
  if (!any_positive(all_y(figure.panels))) return empty_figure(declared.title, declared.nothing);
  if (declared.published)
    for (const Group& line : declared.lines) add(figure.panels[0], declared.published(line));
  for (Panel& panel : figure.panels) add(panel, declared.reference);
  choose_axes(figure, declared);
  arrange_panels(figure);
  if (figure.columns > 1) figure.panel_height = declared.panel_height;
  return figure;
}

Series line_series(const Group& line, const Value& value, bool breaks) {
  Series series{.name = line.name, .style = line.style, .thin = line.thin};
  for (const Row& row : line.rows) {
    if (breaks && out_of_memory(row)) continue;
    const Point point = value(row);
    if (breaks || !std::isnan(point.y)) series.points.push_back(point);
  }
  return series;
}

Series out_of_memory_series(const Group& line, double limit) {
  Series series{.name = line.name, .draw = Draw::out_of_memory, .style = line.style};
  for (const Row& row : where(line.rows, out_of_memory))
    series.points.push_back({.x = row.number("n_tokens"), .y = limit});
  return series;
}

std::vector<Group> case_lines(const CsvTable& cases) {
  const Rows rows = order(standing_rows(cases), "n_tokens");
  const Columns others = splitting_columns(rows, {"workers"});
  std::vector<Group> lines = group(rows, [&](const Row& row) {
    std::vector<std::string> key = {row.text("workers")};
    for (const std::string& column : others) key.push_back(own_value(row, column));
    return key;
  });
  std::stable_sort(lines.begin(), lines.end(), [](const Group& a, const Group& b) {
    return std::pair(workers_of(a), a.key) < std::pair(workers_of(b), b.key);
  });
  std::map<std::int64_t, int> variants;
  for (Group& line : lines) {
    const std::int64_t workers = workers_of(line);
    line.name = name_with(fmt::format("W = {}", workers), line.rows.front(), others);
    line.style = worker_style(workers, variants[workers]++);
  }
  // If one worker count has several algorithms, the colour tells the algorithm.
  std::map<std::string, int> seen;
  if (variants.size() == 1 && lines.size() > 1)
    for (Group& line : lines) {
      const std::string& algorithm = line.rows.front().text("algorithm");
      line.style = algorithm_style(algorithm, seen[algorithm]++);
    }
  return lines;
}

std::int64_t workers_of(const Group& line) { return line.rows.front().integer("workers"); }

std::string clock_of(const Row& row) {
  return row.is("ranks", "serial") ? "critical_path" : "wall_time";
}

Point timed(const Row& row, const std::string& prefix, double factor, double x) {
  return {.x = x,
          .y = row.number(prefix + "_median_s") * factor,
          .low = row.number(prefix + "_low95_s") * factor,
          .high = row.number(prefix + "_high95_s") * factor};
}

Point time_ratio(const Row& over, const Row& under, const std::string& prefix, double x) {
  const Point above = timed(over, prefix, 1.0);
  const Point below = timed(under, prefix, 1.0);
  return {.x = x,
          .y = above.y / below.y,
          .low = above.low / below.high,
          .high = above.high / below.low};
}

std::string interval_note(const Rows& rows) {
  double coverage = 1.0;
  double samples = kNaN;
  for (const Row& row : rows)
    if (const double covered = row.number("interval_coverage"); covered < coverage) {
      coverage = covered;
      samples = row.number("n_samples");
    }
  if (!(coverage < 0.95))
    return "Marks are medians; bars are 95 % order-statistic intervals of the median.";
  if (samples < 2.0)
    return "Marks are medians; bars span all repeats, where there are several: one says nothing of "
           "its spread.";
  return fmt::format(
      "Marks are medians; bars span all repeats, at least {:.0f}, which holds the median with "
      "{:.1f} % confidence.",
      samples, coverage * 100.0);
}

std::vector<std::string> case_notes(const CsvTable& cases) {
  const Rows rows = standing_rows(cases);
  const Rows measured = where(rows, [](const Row& row) { return !modelled(row); });
  std::vector<std::string> notes = {interval_note(measured.empty() ? rows : measured)};
  const Rows missing = where(rows, [](const Row& row) { return !ran(row) && !out_of_memory(row); });
  std::vector<std::string> kinds;
  for (const Group& kind : group(missing, Columns{"status"}))
    kinds.push_back(fmt::format("{} {}", kind.rows.size(), kind.key[0]));
  if (!missing.empty())
    notes.push_back(fmt::format("Without a point: {} of {} cases ({}).", missing.size(),
                                rows.size(), listed(kinds)));
  return notes;
}

std::vector<std::string> timing_notes(const Rows& rows) {
  if (rows.empty()) return {};
  std::vector<std::string> notes = case_notes(*rows.front().table);
  const std::size_t of_model = count(rows, modelled);
  if (of_model == rows.size()) notes.erase(notes.begin());  // modelled rows have no bars
  if (const std::size_t lost = count(rows, out_of_memory); lost > 0)
    notes.push_back(fmt::format("Out of memory: {} of {} cases.", lost, rows.size()));
  if (of_model > 0) notes.emplace_back(kModelNote);
  if (count(rows, [](const Row& row) { return row.is("ranks", "serial"); }) > 0)
    notes.emplace_back(
        "serial: one device played the workers in turn; its wall clock is the critical path "
        "composed of them, without a network.");
  return notes;
}

std::vector<std::string> joined_notes(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> notes;
  for (const std::vector<std::string>& part : parts)
    notes.insert(notes.end(), part.begin(), part.end());
  return notes;
}

}  // namespace qb
