#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "plots/frame/layer_cases.h"
#include "plots/frame/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Time of a transformer layer";
constexpr double kMilliseconds = 1e3;

Series attention_series(const CsvTable& cases, const LayerVariant& variant,
                        const std::map<std::string, PartMedians>& parts) {
  Series series{.name = "attention, " + variant.name, .style = variant.style, .thin = true};
  series.style.dash = 1;
  for (const std::size_t row : variant.rows)
    if (const auto found = parts.find(cases.text(row, "case_id")); found != parts.end())
      series.points.push_back({.x = cases.number(row, "n_tokens"),
                               .y = seconds_of(found->second, "attention") * kMilliseconds});
  return series;
}

// Hollow marks around the rows of which repeats were slowed down, where the columns tell.
Series throttled_series(const CsvTable& cases, const LayerVariant& variant) {
  Series series{.name = "slowed down, " + variant.name,
                .draw = Draw::points,
                .style = {kBlack, 0},
                .thin = true};
  constexpr const char* kColumn = "throttled_samples";
  for (const std::size_t row : variant.rows)
    if (cases.has(kColumn) && ran(cases, row) && cases.number(row, kColumn) > 0.0)
      series.points.push_back({.x = cases.number(row, "n_tokens"),
                               .y = cases.number(row, "wall_time_median_s") * kMilliseconds});
  return series;
}

}  // namespace

Figure layer_time_figure(const CsvTable& cases, const CsvTable& parts,
                         const FigureContext& context) {
  const std::map<std::string, PartMedians> medians = part_medians(parts);
  Figure figure{.name = "layer_time", .title = kTitle, .subtitle = context.subtitle};
  Panel panel;
  std::size_t n_throttled = 0;
  for (const LayerVariant& variant : layer_variants(cases)) {
    const CaseSeries as_case{.name = variant.name, .style = variant.style, .rows = variant.rows};
    Series whole = time_series(cases, as_case, "wall_time");
    if (!whole.points.empty()) panel.series.push_back(std::move(whole));
    Series throttled = throttled_series(cases, variant);
    n_throttled += throttled.points.size();
    if (!throttled.points.empty()) panel.series.push_back(std::move(throttled));
    Series crosses = out_of_memory_series(cases, as_case, kNaN);
    if (!crosses.points.empty()) panel.series.push_back(std::move(crosses));
    if (!variant.plain) continue;
    Series attention = attention_series(cases, variant, medians);
    if (!attention.points.empty()) panel.series.push_back(std::move(attention));
  }
  bool timed = false;
  for (const double y : all_y(panel)) timed = timed || y > 0.0;
  if (!timed) return empty_figure(figure.name, kTitle, kNoLayers);
  panel.x = tokens_axis(panel);
  panel.y = {.label = "time (ms)", .column = "time_ms", .log = spans_powers(all_y(panel))};
  figure.panels.push_back(std::move(panel));
  figure.notes = case_notes(cases);
  figure.notes.emplace_back("Dashed: the attention kernel alone, of the plain layer.");
  if (n_throttled > 0)
    figure.notes.push_back(fmt::format(
        "Ringed: the device was throttled in a repeat (column throttled_samples), {} cases.",
        n_throttled));
  return figure;
}

}  // namespace qb
