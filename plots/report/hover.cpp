// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
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

// What the renderer says of an axis (its limits, and where its ends are in the picture), and what
// its values are called.
Json axis_json(const Axis& axis, Json json) {
  json["label"] = axis.label;
  for (const Axis::Tic& tic : axis.tics)
    if (!parse_real(tic.label)) json["tics"][fmt::format("{:g}", tic.value)] = tic.label;
  return json;
}

// The panels as the renderer describes them in a comment at the end of its SVG.
Json places_in(std::string_view svg) {
  constexpr std::string_view kBegin = "<!-- qb: ";
  const std::size_t begin = svg.rfind(kBegin);
  if (begin == std::string_view::npos) return Json::array();
  const std::size_t from = begin + kBegin.size();
  const Json json = Json::parse(svg.substr(from, svg.find(" -->", from) - from), nullptr, false);
  return json.is_object() ? json.value("panels", Json::array()) : Json::array();
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

std::string hover_json(const Figure& figure, std::string_view svg) {
  const std::size_t every = 1 + points_of(figure) / kMostPoints;
  const Json places = places_in(svg);
  Json panels = Json::array();
  for (std::size_t p = 0; p < std::min(places.size(), figure.panels.size()); ++p) {
    const Panel& panel = figure.panels[p];
    Json json = {{"x", axis_json(panel.x, places[p].at("x"))},
                 {"y", axis_json(panel.y, places[p].at("y"))},
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
