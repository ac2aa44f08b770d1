// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/bars.h"

namespace qb {
namespace {

using Bar = BarFigure::Bar;
using Part = BarFigure::Part;

// These are percents: how far a text is above the bars, and the field below them.
constexpr double kAboveBars = 5.0;
constexpr double kFieldTop = -2.0;
constexpr double kFieldBottom = -19.0;

double share_of(const Part& part, const Bar& bar) {
  double whole = std::isnan(bar.whole) ? 0.0 : bar.whole;
  if (std::isnan(bar.whole))
    for (const Part& one : bar.parts) whole += std::fmax(0.0, one.value);
  return kPercent * part.value / whole;
}

// Finds the highest of the bars whose texts are above them, and at least the whole.
double highest_share(const std::vector<Bar>& bars) {
  double highest = kPercent;
  for (const Bar& bar : bars)
    for (const Part& part : bar.parts)
      if (part.above) highest = std::fmax(highest, share_of(part, bar));
  return highest;
}

Series look_of(const Bar& bar, const Part& part) {
  return {.name = part.name,
          .draw = Draw::rectangles,
          .style = {bar.published ? lightened(part.colour) : part.colour},
          .published = bar.published,
          .thin = !bar.apart};
}

// A text needs a series of its own; other slices of a name are one series.
void add_bar(Panel& panel, const Bar& bar, double place, double least_texted, double highest) {
  double low = 0.0;
  for (const Part& part : bar.parts) {
    if (!(part.value > 0.0)) continue;
    const double share = share_of(part, bar);
    Point slice = box(place + bar.left, place + bar.right, low, low + share);
    // The middle of a bar that is alone at its place does not depend on how its edges round.
    if (bar.left == -bar.right) slice.y = low + share / 2;
    low += share;
    Series own = look_of(bar, part);
    own.text =
        part.text.empty() && share >= least_texted ? fmt::format("{:.0f}", share) : part.text;
    if (!bar.apart) {
      const auto known = std::ranges::find(panel.series, own.name, &Series::name);
      Series& all =
          known == panel.series.end() ? panel.series.emplace_back(look_of(bar, part)) : *known;
      all.points.push_back(slice);
      if (own.text.empty()) continue;
    }
    own.name += bar.at;
    own.in_legend = bar.apart && bar.at.empty();
    if (part.above) slice.y = highest * (1.0 + kAboveBars / kPercent);
    own.points = {slice};
    panel.series.push_back(std::move(own));
  }
}

void add_foot(Panel& panel, const Bar& bar, double place) {
  panel.series.push_back(
      {.name = bar.foot.name,
       .draw = Draw::rectangles,
       .style = {bar.foot.colour},
       .thin = true,
       .in_legend = false,
       .text = bar.foot.text,
       .points = {box(place + bar.left, place + bar.right, kFieldBottom, kFieldTop)}});
}

Panel bar_panel(const BarFigure& declared, const BarFigure::BarPanel& from) {
  Panel panel{.title = from.title, .x = declared.x, .y = declared.y};
  std::map<double, double> places;
  for (const Bar& bar : from.bars) places[bar.x] = 0.0;
  for (auto& [x, place] : places) {
    place = static_cast<double>(panel.x.tics.size());
    panel.x.tics.push_back({place, declared.tic(x)});
  }
  const double highest = highest_share(from.bars);
  for (const Bar& bar : from.bars)
    add_bar(panel, bar, places.at(bar.x), declared.least_texted * highest, highest);
  for (const Bar& bar : from.bars)
    if (!bar.foot.text.empty()) add_foot(panel, bar, places.at(bar.x));
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
  arrange_panels(figure, declared.columns, declared.panel_height);
  std::ranges::copy(declared.keys, std::back_inserter(figure.panels.front().series));
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
