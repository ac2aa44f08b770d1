// SPDX-License-Identifier: Apache-2.0
// What each way of splitting attention costs in each pass, against the worker count: a row of
// panels for each pass, so that the growth from forward to backward is read from top to bottom.
#include "base/schema/strategies.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

#define QB_NAME(name, ...) #name,
constexpr const char* kStrategies[] = {QB_STRATEGIES(QB_NAME)};
#undef QB_NAME

// Cases of different kinds of ranks have different clocks.
const Columns kKind = {"ranks", "model_device"};

// Keeps the cases of several workers of the most tokens that have a backward pass, with those of a
// forward pass beside them.
Rows forward_and_backward_rows(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases),
                          [](const Row& row) { return ran(row) && row.number("workers") >= 2.0; });
  const double most =
      largest(rows, [](const Row& row) { return is_forward(row) ? kNaN : row.number("n_tokens"); });
  return where(rows, [&](const Row& row) { return row.number("n_tokens") == most; });
}

// The lines of a panel's cases that were played as `kind` was.
Groups strategy_lines(Group panel, const Group& kind) {
  panel.rows = where(panel.rows, [&](const Row& row) { return values_of(row, kKind) == kind.key; });
  Groups lines = scheme_lines(panel, joined({"workers", "kv_len"}, kKind));
  std::ranges::stable_sort(lines, {}, [](const Group& line) {
    return std::ranges::find(kStrategies, line.key[0]) - std::begin(kStrategies);
  });
  return lines;
}

// Bytes and memory are drawn of one kind of ranks, that of most cases and of equal ones threads.
// Each kind has its clock.
std::vector<LineFigure::Quantity> quantities_of(const Rows& rows) {
  Groups kinds = group(rows, kKind);
  std::ranges::stable_sort(kinds, std::greater{}, [](const Group& kind) {
    return std::pair(kind.rows.size(), kind.key[0] == "threads");
  });
  std::vector<LineFigure::Quantity> all = {
      bytes_quantity("bytes sent", "sent", "device_sent", rows, number_in("device_sent_bytes")),
      bytes_quantity("memory of the fullest device", "peak memory", "device_peak", rows,
                     [](const Row& row) {
                       const double measured = fullest_device_bytes(row);
                       return std::isnan(measured) ? predicted_fullest_bytes(row) : measured;
                     })};
  for (const Group& kind : kinds) {
    const Row& any = kind.rows.front();
    const std::string clock =
        clock_of(any).name() == "critical_path" ? "critical path" : "wall clock";
    all.push_back({.title = listed({clock, kinds.size() > 1 ? named_values(any, kKind) : ""}),
                   .y = {.label = "time (ms)", .column = "time_ms"},
                   .value = time_ms,
                   .fit = powers_or_zero});
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].lines = [kind = kinds.empty() ? Group{} : kinds[i < 2 ? 0 : i - 2]](const Group& panel) {
      return strategy_lines(panel, kind);
    };
  return all;
}

}  // namespace

Figure scheme_passes_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Schemes of splitting exact attention, by pass";
  const Rows rows = forward_and_backward_rows(run.cases);
  const Columns shape = without(kShapeColumns, "pass");
  Groups panels =
      panels_by(rows, joined({"pass"}, shape), joined({"pass"}, differing_columns(rows, shape)));
  for (Group& panel : panels)
    if (is_forward(panel.rows.front())) panel.name = listed({"forward pass", panel.name});
  // Panels are in the order of their words, which begins with the backward pass.
  std::stable_partition(panels.begin(), panels.end(),
                        [](const Group& panel) { return is_forward(panel.rows.front()); });
  const std::string left_out = keep_first(panels, kMostPanels, "pass and shape");
  LineFigure declared{
      .title = kTitle,
      .nothing = "no case of several workers has a backward pass",
      .y = quantities_of(rows),
      .panels = panels,
      .by_panel = true,
      .x = number_in("workers"),
      .x_axis = workers_axis,
      .last_of_x = true,
      .notes = joined_notes(
          {{"Both passes: a repeat times one after the other; bytes and times are sums. Bytes "
            "follow from the plans, and are those of the worker that sends most. A worker's "
            "memory is measured where a case measured it, else predicted."},
           timing_notes(rows),
           {left_out}})};
  Figure figure = line_figure(declared);
  if (!figure.panels.empty()) arrange_panels(figure, static_cast<int>(declared.y.size()), 200);
  return figure;
}

}  // namespace qb
