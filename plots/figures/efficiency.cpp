// SPDX-License-Identifier: Apache-2.0
// Parallel efficiency: the FLOP/s of one of W workers over those of one device alone, or of a
// worker of the fewest where no device ran alone. Strong: the sequence stays as W grows; weak: the
// tokens of a worker do.
#include "base/schema/older_runs.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

double tokens_of_worker(const Row& row) { return row.number("n_tokens") / row.number("workers"); }
double tokens_of_all(const Row& row) { return row.number("n_tokens"); }

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

// A panel's key is the tokens of the device alone that its workers are compared with.
Groups efficiency_panels(const Rows& rows) {
  const Columns told_by = joined(kShapeColumns, kPlaceColumns);
  const Columns named = joined({"mask"}, differing_columns(rows, without(told_by, "mask")));
  Groups panels;
  for (const Group& of_mask : panels_by(rows, told_by, named))
    for (const bool strong : {true, false}) {
      Group panel{.rows = most_counts(of_mask.rows, strong ? tokens_of_all : tokens_of_worker)};
      if (panel.rows.empty()) continue;
      const double shared = (strong ? tokens_of_all : tokens_of_worker)(panel.rows.front());
      panel.key = {fmt::format("{:.0f}", shared)};
      panel.name = fmt::format("{} = {}, {}", strong ? "strong, N" : "weak, N/W", grouped(shared),
                               of_mask.name);
      panels.push_back(std::move(panel));
    }
  return panels;
}

// Finds the device alone of a panel: its case of one worker with the same shape.
std::optional<Row> alone_in(const Group& panel) {
  const Row& like = panel.rows.front();
  const Rows rows = where(standing_rows(*like.table), [&](const Row& row) {
    return ran(row) && row.number("workers") == 1.0 && row.text("n_tokens") == panel.key[0] &&
           rate_of(row).y > 0.0 &&
           values_of(row, kShapeColumns) == values_of(like, kShapeColumns) &&
           row.text("ranks") == like.text("ranks");
  });
  return rows.empty() ? std::nullopt : std::optional(rows.back());
}

Groups efficiency_lines(const Group& panel) {
  if (panel.rows.empty()) return {};
  Groups lines = scheme_lines(panel, {"workers", "kv_len", "n_tokens"});
  const auto alone = alone_in(panel);
  for (Group& line : lines) {
    const double base = rate_of(alone ? *alone : line.rows.front()).y;
    line.value = [=](const Row& row) { return scaled(rate_of(row), kPercent / base); };
  }
  return lines;
}

// Says which efficiency the workers of the first panel have, if they had cores of their own.
std::string kept_title(const Groups& panels, int cores) {
  constexpr const char* kPlain = "Parallel efficiency, strong and weak";
  if (panels.empty()) return kPlain;
  const Rows& rows = panels.front().rows;
  if (std::ranges::any_of(rows, [=](const Row& row) { return oversubscribed(row, cores); }))
    return kPlain;
  const double many = largest(rows, number_in("workers"));
  std::map<double, std::string> kept;
  for (const Group& line : efficiency_lines(panels.front()))
    if (line.rows.size() > 1 && line.rows.back().number("workers") == many)
      kept.emplace(line.value(line.rows.back()).y, line.name);
  if (kept.size() < 2) return kPlain;
  const auto shown = [](const auto& one) {
    return fmt::format("{} % ({})", significant(one.first), one.second);
  };
  const auto alone = alone_in(panels.front());
  const bool strong = panels.front().name.starts_with("strong");
  return fmt::format(
      "{} scaling to W = {:.0f} leaves a worker {} to {} of the speed {}",
      strong ? "Strong" : "Weak", many, shown(*kept.begin()), shown(*kept.rbegin()),
      alone ? std::string("of one device alone")
            : "at " + named_values(order(rows, number_in("workers")).front(), {"workers"}));
}

}  // namespace

Figure efficiency_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && is_forward(row) && rate_of(row).y > 0.0 && row.number("workers") >= 2.0;
  });
  Groups panels = efficiency_panels(rows);
  const std::string left_out = keep_first(panels, kMostPanels, "mask and shape");
  return line_figure(
      {.title = kept_title(panels, run.provenance.cores),
       .nothing = "no two worker counts have times at one N, or at one N/W, and all else equal",
       .y = {{.y = {.label = "parallel efficiency (%)",
                    .column = "efficiency_percent",
                    .from_zero = true},
              .value = rate_of,
              .lines = efficiency_lines,
              .reference = always(limit_line("no loss", kPercent))}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .notes =
           joined_notes({{"Unmasked work of a worker over its time, as a share of one device's."},
                         timing_notes(rows),
                         {left_out}})});
}

}  // namespace qb
