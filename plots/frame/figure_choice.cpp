// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/words.h"

namespace qb {
namespace {

void keep_panels(Figure& figure, const std::vector<int>& numbers) {
  std::vector<Panel> kept;
  for (const int number : numbers) {
    if (number < 1 || std::cmp_greater(number, figure.panels.size()))
      throw UsageError(fmt::format("figure {} has panels 1 to {}, and no panel {}", figure.name,
                                   figure.panels.size(), number));
    kept.push_back(figure.panels[static_cast<std::size_t>(number - 1)]);
  }
  figure.columns = std::min(figure.columns, static_cast<int>(kept.size()));
  figure.panels = std::move(kept);
}

void keep_series(Figure& figure, const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      if (std::ranges::count(known, series.name) == 0) known.push_back(series.name);
  for (const std::string& name : names)
    if (std::ranges::count(known, name) == 0)
      throw UsageError(unknown_word(fmt::format("series of {}", figure.name), name, known));
  for (Panel& panel : figure.panels)
    std::erase_if(panel.series, [&](const Series& series) {
      return std::ranges::count(names, series.name) == 0;
    });
  std::erase_if(figure.panels, [](const Panel& panel) { return panel.series.empty(); });
}

void keep_range(Figure& figure, double low, double high) {
  const auto outside = [&](double x) { return !(x >= low && x <= high); };
  for (Panel& panel : figure.panels) {
    for (Series& series : panel.series)
      if (series.draw != Draw::limit)
        std::erase_if(series.points, [&](const Point& point) { return outside(point.x); });
    std::erase_if(panel.series, [](const Series& series) { return series.points.empty(); });
    std::erase_if(panel.x.tics, [&](const Axis::Tic& tic) { return outside(tic.value); });
  }
  const auto has_data = [](const Panel& panel) {
    return std::ranges::any_of(panel.series,
                               [](const Series& series) { return series.draw != Draw::limit; });
  };
  std::erase_if(figure.panels, [&](const Panel& panel) { return !has_data(panel); });
  if (figure.panels.empty())
    throw UsageError(fmt::format("figure {} has no point from {} to {}", figure.name, low, high));
}

}  // namespace

Figure chosen(Figure figure, const FigureChoice& choice) {
  if (!figure.empty_reason.empty()) return figure;
  if (!choice.panels.empty()) keep_panels(figure, choice.panels);
  if (!choice.series.empty()) keep_series(figure, choice.series);
  if (choice.x_range) keep_range(figure, choice.x_range->first, choice.x_range->second);
  figure.paper_width_in = choice.paper_width_in;
  return figure;
}

}  // namespace qb
