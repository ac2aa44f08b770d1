// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {

Figure within(Figure figure, double low, double high) {
  if (!figure.empty_reason.empty()) return figure;
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
  return figure;
}

}  // namespace qb
