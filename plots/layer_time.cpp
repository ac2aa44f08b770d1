#include "plots/layer_time.h"

#include <cmath>
#include <utility>

#include "plots/layer_cases.h"
#include "plots/scale.h"

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

}  // namespace

Figure layer_time_figure(const CsvTable& cases, const CsvTable& parts,
                         const FigureContext& context) {
  const std::map<std::string, PartMedians> medians = part_medians(parts);
  Figure figure{.name = "layer_time", .title = kTitle, .subtitle = context.subtitle};
  Panel panel;
  for (const LayerVariant& variant : layer_variants(cases)) {
    const CaseSeries as_case{.name = variant.name, .style = variant.style, .rows = variant.rows};
    Series whole = time_series(cases, as_case, "wall_time");
    if (!whole.points.empty()) panel.series.push_back(std::move(whole));
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
  return figure;
}

}  // namespace qb
