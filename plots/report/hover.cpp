// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "plots/frame/figure_layout.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 3000;

// Keeps as many digits as a reader can use.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0.0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 5.0);
  const double rounded = std::round(value / unit) * unit;
  return parse_real(fmt::format("{:.6g}", rounded)).value_or(value);
}

// `from` and `to` are the places of the two ends of the scale.
Json axis_json(const Axis& axis, const Scale& scale, double from, double to) {
  Json json = {{"label", axis.label},
               {"log", scale.log},
               {"min", scale.min},
               {"max", scale.max},
               {"from", axis.reversed ? to : from},
               {"to", axis.reversed ? from : to}};
  for (const Axis::Tic& tic : axis.tics)
    if (!parse_real(tic.label)) json["tics"][fmt::format("{:g}", tic.value)] = tic.label;
  return json;
}

Json point_json(const Point& point, bool area) {
  Json json = {number(point.x), number(point.y), number(point.low), number(point.high),
               point.disturbed ? 1 : 0};
  if (area)
    for (const double side : {point.x_low, point.x_high}) json.push_back(number(side));
  return json;
}

// Says whether a series has points that a reader can point at.
bool has_places(const Series& series) {
  return series.draw != Draw::limit && series.draw != Draw::out_of_memory;
}

std::size_t points_of(const Figure& figure) {
  std::size_t points = 0;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      if (has_places(series)) points += series.points.size();
  return points;
}

Json series_json(const Series& series, std::size_t every) {
  const bool area = series.draw == Draw::rectangles;
  Json points = Json::array();
  for (std::size_t i = 0; i < series.points.size(); i += every)
    if (std::isfinite(series.points[i].x) && std::isfinite(series.points[i].y))
      points.push_back(point_json(series.points[i], area));
  return {{"name", series.name + (series.published ? ", published" : "")},
          {"area", area},
          {"points", std::move(points)}};
}

}  // namespace

std::string hover_json(const Figure& figure) {
  const std::size_t every = 1 + points_of(figure) / kMostPoints;
  const Layout layout = lay_out(figure);
  Json panels = Json::array();
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const Layout::Box& box = layout.plots.at(p);
    Json json = {{"x", axis_json(panel.x, x_scale(figure, p), box.left, box.right)},
                 {"y", axis_json(panel.y, y_scale(figure, p), box.bottom, box.top)},
                 {"series", Json::array()}};
    for (const Series& series : panel.series)
      if (has_places(series)) {
        Json one = series_json(series, every);
        if (!one["points"].empty()) json["series"].push_back(std::move(one));
      }
    panels.push_back(std::move(json));
  }
  // `</script>` in a name would end the element.
  return replaced(panels.dump(-1, ' ', false, Json::error_handler_t::replace), {{"</", "<\\/"}});
}

}  // namespace qb
