#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/layer_cases.h"
#include "plots/frame/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Peak active memory of a transformer layer";

double peak_bytes(const CsvTable& cases, std::size_t row) {
  return ran(cases, row) ? cases.number(row, "active_memory_peak_bytes") : kNaN;
}

// Of the longest sequence that both ran.
std::string saving(const CsvTable& cases, const LayerVariant& plain, const LayerVariant& blocks) {
  std::map<double, double> of_plain;
  for (const std::size_t row : plain.rows)
    of_plain[cases.number(row, "n_tokens")] = peak_bytes(cases, row);
  for (auto row = blocks.rows.rbegin(); row != blocks.rows.rend(); ++row) {
    const double n = cases.number(*row, "n_tokens");
    const auto found = of_plain.find(n);
    if (found == of_plain.end()) continue;
    const double ratio = found->second / peak_bytes(cases, *row);
    if (std::isfinite(ratio))
      return fmt::format("At N = {} {} takes {:.2f} × the memory of {}.",
                         format_grouped(static_cast<std::int64_t>(n)), plain.name, ratio,
                         blocks.name);
  }
  return {};
}

}  // namespace

Figure layer_memory_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "layer_memory", .title = kTitle, .subtitle = context.subtitle};
  const std::vector<LayerVariant> variants = layer_variants(cases);
  double largest = 0.0;
  int rows = 0;
  int as_predicted = 0;
  for (const LayerVariant& variant : variants)
    for (const std::size_t row : variant.rows) {
      const double bytes = peak_bytes(cases, row);
      if (!std::isfinite(bytes)) continue;
      largest = std::max(largest, bytes);
      ++rows;
      as_predicted += bytes == cases.number(row, "predicted_active_peak_bytes") ? 1 : 0;
    }
  if (!(largest > 0.0))
    return empty_figure(figure.name, kTitle, "no case of workload transformer_layer has a peak");
  const ByteUnit unit = byte_unit(largest);
  Panel panel;
  for (const LayerVariant& variant : variants) {
    Series series{.name = variant.name, .style = variant.style};
    for (const std::size_t row : variant.rows)
      if (const double bytes = peak_bytes(cases, row); std::isfinite(bytes))
        series.points.push_back({.x = cases.number(row, "n_tokens"), .y = bytes / unit.bytes});
    panel.series.push_back(std::move(series));
    const CaseSeries as_case{.name = variant.name, .style = variant.style, .rows = variant.rows};
    Series crosses = out_of_memory_series(cases, as_case, kNaN);
    if (!crosses.points.empty()) panel.series.push_back(std::move(crosses));
  }
  panel.x = tokens_axis(panel);
  panel.y = {.label = fmt::format("peak active memory ({})", unit.name),
             .column = "active_memory_peak_" + unit.suffix,
             .log = spans_powers(all_y(panel))};
  panel.y.from_zero = !panel.y.log;
  figure.panels.push_back(std::move(panel));
  figure.notes = {fmt::format(
      "Weights, hidden states, output and every buffer alive at the worst moment, as the memory "
      "ledger counts them; {} of {} peaks are the predicted ones to the byte.",
      as_predicted, rows)};
  for (const LayerVariant& plain : variants)
    for (const LayerVariant& blocks : variants)
      if (plain.plain && !blocks.plain)
        if (std::string note = saving(cases, plain, blocks); !note.empty())
          figure.notes.push_back(std::move(note));
  return figure;
}

}  // namespace qb
