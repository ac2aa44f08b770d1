#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qb {
namespace {

constexpr const char* kTitle = "Responsibility ratio against sequence length";
// More sets than this in one panel cannot be told apart by a legend.
constexpr std::size_t kMostNamedSets = 6;

using Curve = std::vector<Point>;
using CurvesOfSet = std::map<std::string, Curve>;

std::map<std::int64_t, CurvesOfSet> read_curves(const CsvTable& ratios) {
  std::map<std::int64_t, CurvesOfSet> curves;
  for (std::size_t row = 0; row < ratios.size(); ++row)
    curves[static_cast<std::int64_t>(ratios.number(row, "workers"))]
          [ratios.text(row, "interest_set")]
              .push_back({.x = ratios.number(row, "n_tokens"),
                          .y = ratios.number(row, "responsibility_ratio")});
  for (auto& [workers, sets] : curves)
    for (auto& [set, curve] : sets)
      std::sort(curve.begin(), curve.end(),
                [](const Point& a, const Point& b) { return a.x < b.x; });
  return curves;
}

// Mean over the integers N in [jW, (j+1)W), drawn at the middle; only of whole intervals.
Curve interval_means(const Curve& curve, std::int64_t workers) {
  std::map<std::int64_t, std::pair<double, std::int64_t>> sums;
  for (const Point& point : curve) {
    auto& [sum, count] = sums[static_cast<std::int64_t>(point.x) / workers];
    sum += point.y;
    ++count;
  }
  Curve means;
  for (const auto& [interval, entry] : sums)
    if (entry.second == workers)
      means.push_back({.x = (static_cast<double>(interval) + 0.5) * static_cast<double>(workers),
                       .y = entry.first / static_cast<double>(workers)});
  return means;
}

double published_ratio(const CsvTable* published, std::int64_t workers) {
  if (published == nullptr) return kNaN;
  for (std::size_t row = 0; row < published->size(); ++row)
    if (published->number(row, "workers") == static_cast<double>(workers))
      return published->number(row, "asymptotic_responsibility_ratio");
  return kNaN;
}

Panel ratio_panel(std::int64_t workers, const CurvesOfSet& sets, const CsvTable* published) {
  Panel panel{.title = fmt::format("W = {}: {} interest set{} of the least size", workers,
                                   sets.size(), sets.size() == 1 ? "" : "s")};
  int index = 0;
  for (const auto& [set, curve] : sets)
    panel.series.push_back({.name = fmt::format("{{{}}} at every N", set),
                            .draw = Draw::line,
                            .style = {lightened(indexed_style(index++).colour), 0},
                            .thin = true,
                            .in_legend = false,
                            .points = curve});
  index = 0;
  for (const auto& [set, curve] : sets)
    panel.series.push_back({.name = fmt::format("{{{}}}", set),
                            .style = indexed_style(index++),
                            .in_legend = sets.size() <= kMostNamedSets,
                            .points = interval_means(curve, workers)});
  if (const double ratio = published_ratio(published, workers); ratio > 0.0)
    panel.series.push_back({.name = fmt::format("published asym-RR {}", ratio),
                            .draw = Draw::limit,
                            .style = {kGrey, 0},
                            .points = {{.y = ratio}}});
  panel.x = tokens_axis(panel);
  panel.y = {.label = "responsibility ratio", .column = "responsibility_ratio"};
  return panel;
}

}  // namespace

Figure responsibility_ratio_figure(const CsvTable& ratios, const CsvTable* published,
                                   const FigureContext& context) {
  Figure figure{.name = "responsibility_ratio", .title = kTitle, .subtitle = context.subtitle};
  for (const auto& [workers, sets] : read_curves(ratios))
    figure.panels.push_back(ratio_panel(workers, sets, published));
  if (figure.panels.empty()) return empty_figure(figure.name, kTitle, "there are no ratios");
  figure.columns = figure.panels.size() > 1 ? 2 : 1;
  figure.panel_height = 300;
  figure.legend = Legend::inside;
  figure.notes = {
      "RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up that the split "
      "allows. Thin: every N. Marks: means over whole intervals [jW, (j+1)W), at their middle; "
      "asym-RR is the one of j = 40."};
  return figure;
}

}  // namespace qb
