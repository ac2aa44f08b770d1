#include "plots/figures/figures.h"

#include <algorithm>
#include <utility>

#include "plots/frame/scale.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Time against sequence length";

Panel time_panel(const CsvTable& cases, const std::vector<CaseSeries>& groups,
                 const std::string& prefix, std::string title) {
  Panel panel{.title = std::move(title)};
  for (const CaseSeries& group : groups) {
    panel.series.push_back(time_series(cases, group, prefix));
    Series crosses = out_of_memory_series(cases, group, kNaN);
    if (!crosses.points.empty()) panel.series.push_back(std::move(crosses));
  }
  return panel;
}

bool has_values(const Panel& panel) {
  const std::vector<double> y = all_y(panel);
  return std::any_of(y.begin(), y.end(), [](double value) { return value > 0.0; });
}

}  // namespace

Figure wall_clock_figure(const CsvTable& cases, const FigureContext& context) {
  const std::vector<CaseSeries> groups = case_series(cases);
  Figure figure{.name = "wall_clock",
                .title = kTitle,
                .subtitle = context.subtitle,
                .columns = 2,
                .shared_axes = true};
  figure.panels = {
      time_panel(cases, groups, "longest_subsequence", "longest subsequence (the paper's time)"),
      time_panel(cases, groups, "critical_path", "critical path, with gather and merge")};
  if (!has_values(figure.panels[0]) && !has_values(figure.panels[1]))
    return empty_figure(figure.name, kTitle, "no case has a time");
  figure.notes = case_notes(cases);
  if (const auto overlay = overlay_of(cases, context)) {
    for (const CaseSeries& group : groups)
      if (Series series = published_times(*overlay, group); !series.points.empty())
        figure.panels[0].series.push_back(std::move(series));
    figure.published_legend = published_legend(*overlay);
    for (std::string& note : published_notes(*overlay)) figure.notes.push_back(std::move(note));
  }
  for (Panel& panel : figure.panels) {
    panel.x = tokens_axis(figure.panels[0]);
    panel.y = {.label = "time (ms)", .column = "time_ms", .log = true};
  }
  return figure;
}

}  // namespace qb
