#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/microbench_curves.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Share of the measured peak against sequence length";
constexpr double kPercent = 100.0;
constexpr double kTicPercent = 20.0;

// Colour and mark tell the element type; more threads take the next mark and dash.
std::vector<DrawnCurve> drawn_curves(const CsvTable& microbench, const std::string& benchmark) {
  std::vector<BenchmarkCurve> curves = benchmark_curves(microbench, benchmark, "peak_fraction");
  NamedParts parts = differing_parts(curves);
  parts.dtype = parts.threads = true;
  std::set<std::int64_t> threads;
  for (const BenchmarkCurve& curve : curves) threads.insert(curve.threads);
  std::vector<DrawnCurve> drawn;
  for (BenchmarkCurve& curve : curves) {
    for (Point& point : curve.points)
      for (double Point::*value : {&Point::y, &Point::low, &Point::high}) point.*value *= kPercent;
    const auto more = static_cast<int>(std::distance(threads.begin(), threads.find(curve.threads)));
    Style style = dtype_style(curve.dtype);
    style.mark = (style.mark + more) % kMarks;
    style.dash = more % kDashes;
    Series series{.name = curve_name(curve, parts), .style = style};
    drawn.push_back({std::move(curve), std::move(series)});
  }
  return drawn;
}

// The upper end of the highest interval.
double largest(const std::vector<Panel>& panels) {
  double high = 0.0;
  for (const Panel& panel : panels)
    for (const Series& series : panel.series)
      for (const Point& point : series.points) high = std::max(high, point.high);
  return high;
}

}  // namespace

Figure kernel_peak_fraction_figure(const CsvTable& microbench, const FigureContext& context) {
  Figure figure{.name = "kernel_peak_fraction",
                .title = kTitle,
                .subtitle = context.subtitle,
                .shared_axes = true};
  std::vector<DrawnCurve> drawn = drawn_curves(microbench, "flash");
  for (DrawnCurve& materialized : drawn_curves(microbench, "materialized")) {
    materialized.series.name = "materialized, " + materialized.series.name;
    materialized.series.thin = true;
    drawn.push_back(std::move(materialized));
  }
  if (drawn.empty())
    return empty_figure(figure.name, kTitle,
                        "microbench.csv has no peak_fraction of flash or materialized");
  figure.panels = curve_panels(drawn);
  Axis x = tokens_axis(all_x(figure.panels));
  x.log = true;
  // To the ceiling, and beyond where noise is: a repeat may be faster than the ceiling beside it.
  Axis y = {.label = "share of the measured peak (%)",
            .column = "peak_fraction_percent",
            .from_zero = true};
  for (double percent = 0.0; percent <= std::max(kPercent, largest(figure.panels));
       percent += kTicPercent)
    y.tics.push_back({percent, fmt::format("{:.0f}", percent)});
  for (Panel& panel : figure.panels) {
    panel.x = x;
    panel.y = y;
  }
  arrange_panels(figure);
  figure.notes = {
      "Ceiling: f32: FMA peak of the instruction set, bf16: of vdpbf16ps, both measured beside "
      "each repeat. f16 and materialized multiply in f32.",
      curves_note(drawn)};
  if (drawn.back().series.thin)
    figure.notes.front() += " Filled marks: flash; thin lines with hollow marks: materialized.";
  return figure;
}

}  // namespace qb
