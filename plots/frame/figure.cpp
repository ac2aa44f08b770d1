// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/numbers.h"

namespace qb {
namespace {

std::set<double> finite_values(const std::vector<double>& values) {
  std::set<double> found;
  for (const double value : values)
    if (std::isfinite(value)) found.insert(value);
  return found;
}

// Says whether there are two at least, all of them powers of two.
bool are_powers_of_two(const std::set<double>& values) {
  int exponent = 0;
  return values.size() > 1 && std::ranges::all_of(values, [&](double value) {
           return value > 0.0 && std::frexp(value, &exponent) == 0.5;
         });
}

// Algorithms come first, in the order of their registry, then worker counts alone, then what has no
// place; worker counts ascend. A name is read part by part: `ring, W = 8`, `zigzag = ring`.
std::pair<int, std::int64_t> legend_place(const Series& entry) {
  std::pair<int, std::int64_t> place(std::numeric_limits<int>::max(), 0);
  std::string_view rest = entry.name;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::string_view word = part.substr(0, part.find(' '));
    if (const auto known = algorithm_place(word)) place.first = std::min(place.first, *known);
    if (part.starts_with("W = ")) {
      place.first = std::min(place.first, std::numeric_limits<int>::max() - 1);
      place.second = parse_integer(part.substr(4)).value_or(0);
    }
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return place;
}

}  // namespace

ColumnName::ColumnName(std::string name) : std::string(std::move(name)) {
  if (empty()) throw std::logic_error("the axis of a figure has an empty column");
}

Figure empty_figure(std::string title, std::string reason) {
  return {.title = std::move(title), .empty_reason = std::move(reason)};
}

bool is_cross(const Series& series) {
  return series.draw == Draw::out_of_memory || series.draw == Draw::not_tried;
}

std::vector<std::string> legend_order(const Figure& figure) {
  std::vector<const Series*> entries;
  std::set<std::string> seen;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series) {
      const bool shared = series.published && !figure.published_legend.empty();
      if (series.in_legend && !shared && !is_cross(series) && seen.insert(series.name).second)
        entries.push_back(&series);
    }
  std::ranges::stable_sort(entries, {}, [](const Series* series) {
    return std::pair(series->draw == Draw::limit, legend_place(*series));
  });
  std::vector<std::string> names;
  for (const Series* series : entries) names.push_back(series->name);
  return names;
}

void arrange_panels(Figure& figure, int columns) {
  if (figure.panels.size() > 1) figure.columns = columns;
}

Point box(double x_low, double x_high, double low, double high) {
  return {(x_low + x_high) / 2, (low + high) / 2, low, high, x_low, x_high};
}

Series rectangles(std::string name, std::uint32_t colour, std::vector<Point> points) {
  return {.name = std::move(name),
          .draw = Draw::rectangles,
          .style = {colour},
          .thin = true,
          .points = std::move(points)};
}

Series limit_line(std::string name, double y, bool in_legend) {
  return {.name = std::move(name),
          .draw = Draw::limit,
          .style = {kGrey, 0},
          .in_legend = in_legend,
          .points = {{.y = y}}};
}

void add(Panel& panel, std::vector<Series> series) {
  for (Series& one : series)
    if (!one.points.empty()) panel.series.push_back(std::move(one));
}

std::vector<double> numbers_at(const std::vector<Panel>& panels, double Point::*number) {
  std::vector<double> values;
  for (const Panel& panel : panels)
    for (const Series& series : panel.series)
      for (const Point& point : series.points) values.push_back(point.*number);
  return values;
}

bool spans_powers(const std::vector<double>& values) {
  std::set<double> positive = finite_values(values);
  positive.erase(positive.begin(), positive.upper_bound(0.0));
  return !positive.empty() && *positive.rbegin() >= 8.0 * *positive.begin();
}

Axis powers_or_linear(Axis axis, const std::vector<double>& values) {
  axis.log = spans_powers(values);
  return axis;
}

Axis powers_or_zero(Axis axis, const std::vector<double>& values) {
  axis = powers_or_linear(std::move(axis), values);
  axis.from_zero = !axis.log;
  return axis;
}

Axis tokens_axis(const std::vector<double>& x) {
  const bool binary = are_powers_of_two(finite_values(x));
  return {.label = "sequence length N (tokens)",
          .column = "n_tokens",
          .log = binary || spans_powers(x),
          .powers_of_two = binary};
}

Axis workers_axis(const std::vector<double>& workers) {
  const std::set<double> counts = finite_values(workers);  // legend keys have none
  Axis axis{.label = "workers W",
            .column = "workers",
            .log = true,
            .whole = true,
            .powers_of_two = are_powers_of_two(counts) || spans_powers(workers)};
  // Between a few neighbours there is no round number.
  if (!counts.empty() && !axis.powers_of_two && *counts.rbegin() < 2.0 * *counts.begin())
    axis.tics = whole_tics({counts.begin(), counts.end()});
  return axis;
}

double add_tic(Axis& axis, std::string label) {
  const auto place = static_cast<double>(axis.tics.size());
  axis.tics.push_back({place, std::move(label)});
  return place;
}

std::vector<Axis::Tic> whole_tics(const std::vector<double>& values) {
  std::vector<Axis::Tic> tics;
  for (const double value : values) tics.push_back({value, fmt::format("{:.0f}", value)});
  return tics;
}

Unit time_unit(double longest_s) {
  if (longest_s >= 1.0) return {"s", "s", 1.0};
  return longest_s >= 1e-3 ? Unit{"ms", "ms", 1e3} : Unit{"us", "us", 1e6};
}

Unit byte_unit(double largest) {
  constexpr double kGiB = 1024.0 * kMiB;
  return largest >= 0.5 * kGiB ? Unit{"GiB", "gib", 1.0 / kGiB} : Unit{"MiB", "mib", 1.0 / kMiB};
}

Axis axis_in(const Unit& unit, const std::string& label, const std::string& column) {
  return {.label = fmt::format("{} ({})", label, unit.name), .column = column + "_" + unit.suffix};
}

}  // namespace qb
