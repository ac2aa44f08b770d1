// SPDX-License-Identifier: Apache-2.0
// The declaration of a figure as JSON. The CSV beside it has the marks: a row belongs to the series
// of its panel, name and kind.
#include <nlohmann/json.hpp>

#include "plots/draw/draw.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFigureSchema = 1;

// Leaves out what is false, 0 or empty.
void set(Json& json, const char* key, const auto& value) {
  if (value != std::remove_cvref_t<decltype(value)>{}) json[key] = value;
}

Json axis_json(const Axis& axis) {
  Json json = {{"label", axis.label},
               {"column", std::string(axis.column)},
               {"scale", !axis.log            ? "linear"
                         : axis.powers_of_two ? "log2"
                                              : "log10"}};
  set(json, "from_zero", axis.from_zero);
  set(json, "reversed", axis.reversed);
  set(json, "tight", axis.tight);
  set(json, "whole", axis.whole);
  for (const Axis::Tic& tic : axis.tics) json["tics"].push_back({tic.value, tic.label});
  return json;
}

Json series_json(const Series& series) {
  Json json = {{"name", series.name},
               {"kind", kind_word(series)},
               {"draw", word(series.draw)},
               {"colour", colour_text(series.style.colour)}};
  set(json, "mark", series.style.mark);
  set(json, "dash", series.style.dash);
  if (series.draw == Draw::rectangles) set(json, "hatch", hatch_of(series.style.colour));
  set(json, "thin", series.thin);
  set(json, "unlisted", !series.in_legend);
  set(json, "text", series.text);
  return json;
}

Json panel_json(const Panel& panel) {
  Json json = {{"title", panel.title}, {"x", axis_json(panel.x)}, {"y", axis_json(panel.y)}};
  set(json, "own_axes", panel.own_axes);
  json["series"] = Json::array();
  for (const Series& series : panel.series) json["series"].push_back(series_json(series));
  return json;
}

}  // namespace

std::string figure_json(const Figure& figure) {
  Json json = {{"schema", kFigureSchema}, {"figure", figure.name}, {"title", figure.title}};
  set(json, "finding", figure.finding);
  set(json, "provenance", figure.subtitle);
  set(json, "notes", figure.notes);
  json["columns"] = figure.columns;
  set(json, "square", figure.square);
  set(json, "shared_axes", figure.shared_axes);
  set(json, "shared_x", figure.shared_x);
  json["legend"] = legend_order(figure);
  set(json, "published_legend", figure.published_legend);
  json["panels"] = Json::array();
  for (const Panel& panel : figure.panels) json["panels"].push_back(panel_json(panel));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace qb
