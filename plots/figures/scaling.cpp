// SPDX-License-Identifier: Apache-2.0
// Strong and weak scaling by mask: the rate at which one of W workers computes. Strong: the
// sequence stays as W grows; weak: the tokens of a worker do. A flat line is perfect scaling.
#include "base/schema/older_runs.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

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

// Says which share of its speed at the fewest workers a worker keeps at the most, in the first
// panel; a plain title where its workers had no cores of their own.
std::string kept_title(const Groups& panels, int cores) {
  constexpr const char* kPlain = "Strong and weak scaling by mask";
  std::map<double, std::string> kept;
  double few = 0.0;
  double many = 0.0;
  for (const Group& line : panels.empty() ? Groups{} : scaling_lines(panels.front())) {
    if (std::ranges::any_of(line.rows, [=](const Row& row) { return oversubscribed(row, cores); }))
      return kPlain;
    if (line.rows.size() < 2) continue;
    few = line.rows.front().number("workers");
    many = line.rows.back().number("workers");
    kept[rate_of(line.rows.back()).y / rate_of(line.rows.front()).y] = line.name;
  }
  if (kept.empty()) return kPlain;
  const auto shown = [](const auto& one) {
    return fmt::format("{:.0f} % ({})", kPercent * one.first, one.second);
  };
  return fmt::format("At W = {} a worker keeps {} of its speed at W = {}", many,
                     kept.size() == 1 ? shown(*kept.begin())
                                      : shown(*kept.begin()) + " to " + shown(*kept.rbegin()),
                     few);
}

}  // namespace

Figure scaling_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases),
                          [](const Row& row) { return ran(row) && rate_of(row).y > 0.0; });
  Groups panels = scaling_panels(rows);
  const std::string left_out = keep_first(panels, kMostPanels, "mask and shape");
  return line_figure(
      {.title = kept_title(panels, run.provenance.cores),
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
           joined_notes({{"Unmasked work over W and the time. Strong: N stays; weak: N/W does."},
                         timing_notes(rows),
                         {left_out}})});
}

}  // namespace qb
