#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/microbench_curves.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Cost of splitting: time of all CQS workers over dense";

std::vector<DrawnCurve> drawn_curves(const CsvTable& microbench) {
  std::vector<BenchmarkCurve> curves = benchmark_curves(microbench, "cqs", "overhead");
  NamedParts parts = differing_parts(curves);
  parts.workers = true;
  // A name of one worker count means the same line in every panel.
  std::map<std::int64_t, std::map<std::string, int>> variants;
  for (const BenchmarkCurve& curve : curves)
    variants[curve.workers].emplace(curve_name(curve, parts), 0);
  for (auto& [workers, names] : variants) {
    int variant = 0;
    for (auto& [name, index] : names) index = variant++;
  }
  std::vector<DrawnCurve> drawn;
  for (BenchmarkCurve& curve : curves) {
    std::string name = curve_name(curve, parts);
    const int variant = variants[curve.workers][name];
    Style style = worker_style(curve.workers, variant);
    style.dash = variant % kDashes;
    drawn.push_back({std::move(curve), {.name = std::move(name), .style = style}});
  }
  return drawn;
}

}  // namespace

Figure cqs_overhead_figure(const CsvTable& microbench, const FigureContext& context) {
  Figure figure{
      .name = "cqs_overhead", .title = kTitle, .subtitle = context.subtitle, .shared_axes = true};
  const std::vector<DrawnCurve> drawn = drawn_curves(microbench);
  if (drawn.empty())
    return empty_figure(figure.name, kTitle, "microbench.csv has no overhead of cqs");
  figure.panels = curve_panels(drawn);
  Axis x = tokens_axis(all_x(figure.panels));
  x.log = true;
  for (Panel& panel : figure.panels) {
    panel.series.push_back({.name = fmt::format("{}", kOverheadLimit),
                            .draw = Draw::limit,
                            .style = {kGrey, 0},
                            .points = {{.y = kOverheadLimit}}});
    panel.x = x;
    panel.y = {.label = "time of all workers / time of dense", .column = "overhead_ratio"};
  }
  arrange_panels(figure);
  figure.notes = {
      fmt::format("Time of all workers: their sum, gather and merge included, on one device; dense "
                  "attention on the same problem is measured between them, repeat by repeat. 1: "
                  "splitting costs nothing; dashed: the limit {}.",
                  kOverheadLimit),
      curves_note(drawn)};
  return figure;
}

}  // namespace qb
