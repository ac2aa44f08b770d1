// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/bars.h"

namespace qb {
namespace {

using Bar = BarFigure::Bar;
using Part = BarFigure::Part;

double share_of(const Part& part, const Bar& bar) {
  double whole = std::isnan(bar.whole) ? 0.0 : bar.whole;
  if (std::isnan(bar.whole))
    for (const Part& one : bar.parts) whole += std::fmax(0.0, one.value);
  return kPercent * part.value / whole;
}

// The parts of a name are one series.
void add_bar(Panel& panel, const Bar& bar, double place, double least_texted) {
  double low = 0.0;
  for (const Part& part : bar.parts) {
    if (!(part.value > 0.0)) continue;
    const double share = share_of(part, bar);
    Point slice = box(place + bar.left, place + bar.right, low, low + share);
    slice.y = share;
    slice.text =
        part.text.empty() && share >= least_texted ? fmt::format("{:.0f}", share) : part.text;
    low += share;
    const auto known = std::ranges::find(panel.series, part.name, &Series::name);
    Series& all = known == panel.series.end()
                      ? panel.series.emplace_back(
                            Series{.name = part.name,
                                   .draw = Draw::rectangles,
                                   .style = {bar.published ? lightened(part.colour) : part.colour},
                                   .published = bar.published,
                                   .thin = !bar.published})
                      : *known;
    all.points.push_back(std::move(slice));
  }
}

Panel bar_panel(const BarFigure& declared, const BarFigure::BarPanel& from) {
  Panel panel{.title = from.title, .x = declared.x, .y = declared.y};
  std::map<double, double> places;
  for (const Bar& bar : from.bars) places[bar.x] = 0.0;
  for (auto& [x, place] : places) {
    place = static_cast<double>(panel.x.tics.size());
    panel.x.tics.push_back({place, declared.tic(x)});
  }
  for (const Bar& bar : from.bars)
    add_bar(panel, bar, places.at(bar.x), declared.least_texted * kPercent);
  return panel;
}

}  // namespace

Figure bar_figure(const BarFigure& declared) {
  Figure figure{.title = declared.title, .notes = declared.notes};
  bool ours = false;
  for (const BarFigure::BarPanel& from : declared.panels) {
    ours = ours || !std::ranges::all_of(from.bars, &Bar::published);
    if (!from.bars.empty()) figure.panels.push_back(bar_panel(declared, from));
  }
  if (!ours) return empty_figure(declared.title, declared.nothing);
  arrange_panels(figure, 2);
  std::erase(figure.notes, "");
  return figure;
}

Axis percent_axis(std::string label) {
  return {.label = std::move(label),
          .column = "share_percent",
          .tight = true,
          .tics = whole_tics({0, 25, 50, 75, 100})};
}

}  // namespace qb
