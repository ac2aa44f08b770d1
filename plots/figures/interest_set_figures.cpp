#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>

namespace qb {
namespace {

constexpr const char* kPublished = "published";
constexpr const char* kBalanced = "balanced";

Style distillation_style(std::string_view distillation) {
  return indexed_style(distillation == kBalanced ? 0 : 1);
}

// RR curves by worker count and distillation.
std::map<std::int64_t, std::map<std::string, std::vector<Point>>> curves_of(
    const CsvTable& ratios) {
  std::map<std::int64_t, std::map<std::string, std::vector<Point>>> curves;
  for (std::size_t row = 0; row < ratios.size(); ++row)
    curves[static_cast<std::int64_t>(ratios.number(row, "workers"))]
          [ratios.text(row, "distillation")]
              .push_back({.x = ratios.number(row, "n_tokens"),
                          .y = ratios.number(row, "responsibility_ratio")});
  return curves;
}

Axis workers_axis() { return {.label = "workers W", .column = "workers", .tight = true}; }

}  // namespace

Figure set_size_figure(const CsvTable& sets) {
  constexpr const char* kTitle = "Size of the smallest known interest sets";
  if (sets.size() == 0) return empty_figure("set_size", kTitle, "there are no sets");
  std::map<std::string, std::vector<Point>> by_standing;
  std::vector<Point> bound;
  for (std::size_t row = 0; row < sets.size(); ++row) {
    const double workers = sets.number(row, "workers");
    by_standing[sets.text(row, "standing")].push_back(
        {.x = workers, .y = sets.number(row, "quorum_size") / std::sqrt(workers)});
    bound.push_back({.x = workers, .y = sets.number(row, "lower_bound") / std::sqrt(workers)});
  }
  Panel panel;
  panel.series.push_back({.name = "proved lower bound",
                          .draw = Draw::line,
                          .style = {kGrey, 0},
                          .points = std::move(bound)});
  int index = 0;
  for (auto& [standing, points] : by_standing)
    panel.series.push_back({.name = standing,
                            .draw = Draw::points,
                            .style = indexed_style(index++),
                            .points = std::move(points)});
  panel.x = workers_axis();
  panel.x.log = true;
  panel.y = {.label = "m / √W", .column = "size_over_sqrt_workers"};
  Figure figure{.name = "set_size", .title = kTitle};
  figure.panels.push_back(std::move(panel));
  figure.notes = {
      "A worker holds m of W token groups, so m/√W over 1 is what its memory and traffic lose. "
      "Singer: "
      "perfect difference sets, W = q² + q + 1. Optimal: no smaller set exists, by counting or by "
      "exhaustive search."};
  return figure;
}

Figure set_count_figure(const CsvTable& counts) {
  constexpr const char* kTitle = "How many interest sets of the least size there are";
  if (counts.size() == 0) return empty_figure("set_count", kTitle, "there are no counts");
  Series sets{.name = "sets with 0 and 1", .draw = Draw::points, .style = indexed_style(0)};
  Series orbits{.name = "up to x → ux + t", .draw = Draw::points, .style = indexed_style(1)};
  Series sizes{.name = "m", .draw = Draw::points, .style = indexed_style(2), .in_legend = false};
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const double workers = counts.number(row, "workers");
    sets.points.push_back({.x = workers, .y = counts.number(row, "sets")});
    orbits.points.push_back({.x = workers, .y = counts.number(row, "orbits")});
    sizes.points.push_back({.x = workers, .y = counts.number(row, "quorum_size")});
  }
  Panel number{.title = "Number of minimum sets"};
  number.series = {sets, orbits};
  number.x = workers_axis();
  number.y = {.label = "sets", .column = "sets", .log = true};
  Panel size{.title = "Their size m"};
  size.series = {sizes};
  size.x = workers_axis();
  size.y = {.label = "m", .column = "quorum_size", .whole = true};
  Figure figure{.name = "set_count", .title = kTitle};
  figure.panels = {number, size};
  figure.columns = 1;
  figure.panel_height = 260;
  figure.shared_x = true;
  figure.notes = {"Each by exhaustive search; that of size m - 1 found none."};
  return figure;
}

Figure distillation_figure(const CsvTable& table) {
  constexpr const char* kTitle = "Balance of published and balanced self-distillation";
  if (table.size() == 0) return empty_figure("distillation", kTitle, "there are no ratios");
  Panel panel;
  for (const char* distillation : {kPublished, kBalanced}) {
    Series series{
        .name = distillation, .draw = Draw::line_points, .style = distillation_style(distillation)};
    for (std::size_t row = 0; row < table.size(); ++row) {
      const double workers = table.number(row, "workers");
      const double ratio =
          table.number(row, fmt::format("{}_asymptotic_responsibility_ratio", distillation));
      series.points.push_back({.x = workers, .y = ratio / workers});
    }
    panel.series.push_back(std::move(series));
  }
  panel.series.push_back(
      {.name = "0.985", .draw = Draw::limit, .style = {kGrey, 0}, .points = {{.y = 0.985}}});
  panel.x = workers_axis();
  panel.y = {.label = "asym-RR / W", .column = "asymptotic_ratio_over_workers"};
  Figure figure{.name = "distillation", .title = kTitle};
  figure.panels.push_back(std::move(panel));
  figure.legend = Legend::inside;
  figure.notes = {
      "asym-RR: mean over N in [40 W, 41 W) of N² / (pairs of the most loaded worker); 1 is "
      "perfect "
      "balance. The same published sets for both. Published, half of an even W's workers compute "
      "the "
      "blocks W/2 apart alone."};
  return figure;
}

Figure distillation_ratio_figure(const CsvTable& ratios) {
  constexpr const char* kTitle = "Responsibility ratio against sequence length";
  Figure figure{.name = "distillation_ratio", .title = kTitle};
  for (auto& [workers, by_distillation] : curves_of(ratios)) {
    Panel panel{.title = fmt::format("W = {}", workers)};
    for (const char* distillation : {kPublished, kBalanced}) {
      if (!by_distillation.contains(distillation)) continue;
      panel.series.push_back({.name = distillation,
                              .draw = Draw::line,
                              .style = distillation_style(distillation),
                              .points = std::move(by_distillation.at(distillation))});
    }
    panel.x = {.label = "N", .column = "n_tokens", .tight = true};
    panel.y = {.label = "responsibility ratio", .column = "responsibility_ratio"};
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return empty_figure(figure.name, kTitle, "there are no ratios");
  figure.columns = 2;
  figure.panel_height = 260;
  figure.legend = Legend::inside;
  figure.notes = {
      "RR = N² / (query-key pairs of the most loaded worker), the greatest speed-up that the split "
      "allows, for the published interest set at every N from W to 41 W."};
  return figure;
}

Figure balance_growth_figure(const CsvTable& ratios) {
  constexpr const char* kTitle = "What uneven work costs as N grows";
  Panel panel;
  int index = -1;
  for (auto& [workers, by_distillation] : curves_of(ratios)) {
    ++index;
    for (const char* distillation : {kPublished, kBalanced}) {
      if (!by_distillation.contains(distillation)) continue;
      std::vector<Point> lost;
      for (const Point& point : by_distillation.at(distillation))
        lost.push_back({.x = point.x, .y = 1.0 - point.y / static_cast<double>(workers)});
      const bool balanced = distillation == std::string_view(kBalanced);
      Style style = indexed_style(index);
      style.dash = balanced ? 0 : 1;
      panel.series.push_back({.name = fmt::format("W = {} {}", workers, distillation),
                              .style = style,
                              .points = std::move(lost)});
    }
  }
  if (panel.series.empty()) return empty_figure("balance_growth", kTitle, "there are no ratios");
  panel.x = {.label = "N", .column = "n_tokens", .log = true};
  panel.y = {.label = "1 - RR / W", .column = "lost_share", .log = true};
  Figure figure{.name = "balance_growth", .title = kTitle};
  figure.panels.push_back(std::move(panel));
  figure.notes = {
      "The worst of the W lengths up to each N. Published, an even W never comes "
      "nearer to W than 1/(W + 1)."};
  return figure;
}

}  // namespace qb
