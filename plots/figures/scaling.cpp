// SPDX-License-Identifier: Apache-2.0
// Strong and weak scaling by mask: the rate at which one of W workers computes. Strong: the
// sequence stays as W grows; weak: the tokens of a worker do. A flat line is perfect scaling.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr std::size_t kMostScalingPanels = 8;

double tokens_of_worker(const Row& row) { return row.number("n_tokens") / row.number("workers"); }

Point rate_of(const Row& row) {
  const Point time = timed(row, clock_of(row), 1.0);
  const double gflop = row.number("unmasked_flop") / row.number("workers") / kGiga;
  return {.y = gflop / time.y, .low = gflop / time.high, .high = gflop / time.low};
}

// Keeps the cases that share the value with the most worker counts; of several such values the
// greatest. The result is empty if no value has two worker counts.
Rows most_counts(const Rows& rows, double (*value)(const Row&)) {
  std::map<double, Rows> by_value;
  for (const Row& row : rows) by_value[value(row)].push_back(row);
  Rows best;
  std::size_t most = 2;
  for (const auto& [shared, own] : by_value)
    if (const std::size_t counts = group(own, Columns{"workers"}).size(); counts >= most) {
      most = counts;
      best = own;
    }
  return best;
}

double tokens_of_all(const Row& row) { return row.number("n_tokens"); }

Groups scaling_panels(const Rows& rows) {
  const Columns told_by = joined(kShapeColumns, kPlaceColumns);
  const Columns named = joined({"mask"}, differing_columns(rows, without(told_by, "mask")));
  Groups panels;
  for (const Group& of_mask : panels_by(rows, told_by, named))
    for (const bool strong : {true, false}) {
      Group panel{.rows = most_counts(of_mask.rows, strong ? tokens_of_all : tokens_of_worker)};
      if (panel.rows.empty()) continue;
      const Row& any = panel.rows.front();
      panel.name =
          strong ? fmt::format("strong, N = {}, {}", grouped(tokens_of_all(any)), of_mask.name)
                 : fmt::format("weak, N/W = {}, {}", grouped(tokens_of_worker(any)), of_mask.name);
      panels.push_back(std::move(panel));
    }
  return panels;
}

Groups scaling_lines(const Group& panel) { return scheme_lines(panel, {"workers", "kv_len"}); }

}  // namespace

Figure scaling_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases),
                          [](const Row& row) { return ran(row) && rate_of(row).y > 0.0; });
  Groups panels = scaling_panels(rows);
  const std::string left_out = keep_first(panels, kMostScalingPanels, "mask and shape");
  return line_figure(
      {.title = "Strong and weak scaling by mask",
       .nothing = "no two worker counts have times at one N, or at one N/W, and all else equal",
       .y = {{.y = {.label = "GFLOP/s of a worker",
                    .column = "worker_rate_gflop_per_s",
                    .from_zero = true},
              .value = rate_of,
              .lines = scaling_lines}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .notes =
           joined_notes({{"The work of the unmasked pairs over W and the time. Strong: N stays "
                          "as W grows; weak: N/W does. A flat line is perfect scaling."},
                         timing_notes(rows),
                         {left_out}})});
}

}  // namespace qb
