#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Peak active memory against sequence length";

struct MemoryLimit {
  double bytes = kNaN;
  std::string name;
};

MemoryLimit limit_of(const CsvTable& cases, const FigureContext& context) {
  std::set<double> budgets;
  for (std::size_t row = 0; row < cases.size(); ++row) {
    const double budget = cases.number(row, "memory_budget_bytes");
    budgets.insert(budget > 0.0 ? budget : 0.0);
  }
  if (budgets.size() == 1 && *budgets.begin() > 0.0)
    return {*budgets.begin(),
            "budget " + format_bytes(static_cast<std::uint64_t>(*budgets.begin()))};
  if (budgets.size() == 1 && context.machine_memory_bytes > 0.0)
    return {context.machine_memory_bytes,
            "machine " + format_bytes(static_cast<std::uint64_t>(context.machine_memory_bytes))};
  return {};
}

double largest_peak(const CsvTable& cases) {
  double largest = 0.0;
  for (std::size_t row = 0; row < cases.size(); ++row)
    if (const double bytes = cases.number(row, "active_memory_peak_bytes"); bytes > largest)
      largest = bytes;
  return largest;
}

}  // namespace

ByteUnit byte_unit(double largest) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  constexpr double kMiB = 1024.0 * 1024.0;
  if (largest >= 0.5 * kGiB) return {"GiB", "gib", kGiB};
  return {"MiB", "mib", kMiB};
}

Figure peak_memory_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "peak_memory", .title = kTitle, .subtitle = context.subtitle};
  const double largest = largest_peak(cases);
  const std::vector<CaseSeries> groups = case_series(cases);
  const MemoryLimit limit = limit_of(cases, context);
  const ByteUnit unit = byte_unit(largest);
  Panel panel;
  bool crosses = false;
  for (const CaseSeries& group : groups) {
    Series series{.name = group.name, .style = group.style};
    for (const std::size_t row : group.rows)
      if (ran(cases, row))
        series.points.push_back({.x = cases.number(row, "n_tokens"),
                                 .y = cases.number(row, "active_memory_peak_bytes") / unit.bytes});
    panel.series.push_back(std::move(series));
    Series marks = out_of_memory_series(cases, group, limit.bytes / unit.bytes);
    crosses = crosses || !marks.points.empty();
    if (!marks.points.empty()) panel.series.push_back(std::move(marks));
  }
  if (!(largest > 0.0)) return empty_figure(figure.name, kTitle, "no case has a memory peak");
  // A limit far above all data would only squeeze them.
  if (std::isfinite(limit.bytes) && (crosses || limit.bytes < 4.0 * largest))
    panel.series.push_back({.name = limit.name,
                            .draw = Draw::limit,
                            .style = {kGrey, 0},
                            .points = {{.y = limit.bytes / unit.bytes}}});
  panel.x = tokens_axis(panel);
  panel.y = {.label = fmt::format("peak active memory ({})", unit.name),
             .column = "active_memory_peak_" + unit.suffix,
             .log = spans_powers(all_y(panel))};
  panel.y.from_zero = !panel.y.log;
  figure.panels.push_back(std::move(panel));
  figure.notes = {
      "Bytes of every tensor alive at once at the worst moment, inputs and outputs included, as "
      "the "
      "memory ledger counts them."};
  if (crosses)
    figure.notes.emplace_back(
        std::isfinite(limit.bytes)
            ? "Crosses: out of memory, or not tried because a shorter sequence of that line ran "
              "out."
            : "Crosses at the upper edge: out of memory; there is no one limit to draw them on.");
  return figure;
}

}  // namespace qb
