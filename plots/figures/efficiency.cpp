// SPDX-License-Identifier: Apache-2.0
// Parallel efficiency: the FLOP/s of one of W workers as a share of a base, the same for all lines
// of a panel: one device alone or, where none ran, the fastest case of the fewest workers. Strong:
// the sequence stays as W grows; weak: the tokens of a worker do. And model FLOP utilisation: the
// FLOP/s of all workers as a share of the peak of their devices.
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

double tokens_of_worker(const Row& row) { return row.number("n_tokens") / row.number("workers"); }
double tokens_of_all(const Row& row) { return row.number("n_tokens"); }
double flop_of_worker(const Row& row) {
  return row.number("unmasked_flop") / row.number("workers");
}
double seconds_of(const Row& row) { return timed(row, clock_of(row), 1.0).y; }
double rate_of(const Row& row) { return flop_of_worker(row) / seconds_of(row); }

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

// A panel's key is the tokens of one device that its workers are compared with, and `Strong` or
// `Weak`.
Groups scaling_panels(const Rows& rows, std::initializer_list<const char*> kinds) {
  const Columns told_by = joined(kShapeColumns, kPlaceColumns);
  const Columns named = joined({"mask"}, differing_columns(rows, without(told_by, "mask")));
  Groups panels;
  for (const Group& of_mask : panels_by(best_shapes(rows, seconds_of), told_by, named))
    for (const std::string kind : kinds) {
      const auto tokens = kind == "Weak" ? tokens_of_worker : tokens_of_all;
      Group panel{.rows = order(most_counts(of_mask.rows, tokens), number_in("workers"))};
      if (panel.rows.empty()) continue;
      const double shared = tokens(panel.rows.front());
      panel.key = {fmt::format("{:.0f}", shared), kind};
      const bool grows =
          kind == "Weak" &&
          flop_of_worker(panel.rows.back()) > 1.01 * flop_of_worker(panel.rows.front());
      panel.name = listed({kind == "Weak" ? "weak, N/W = " + grouped(shared)
                                          : "strong, N = " + grouped(shared),
                           of_mask.name, grows ? "work per worker grows" : ""});
      panels.push_back(std::move(panel));
    }
  return panels;
}

struct Base {
  Row row;
  std::string name{};
};

// Of one device alone it is the case of the same shape. What counts comes before what does not.
Base base_of(const Group& panel, int cores) {
  const Row& like = panel.rows.front();
  const Rows alone = where(standing_rows(*like.table), [&](const Row& row) {
    return ran(row) && row.number("workers") == 1.0 && row.text("n_tokens") == panel.key[0] &&
           rate_of(row) > 0.0 &&
           values_of(row, kShapeColumns) == values_of(like, kShapeColumns) &&
           row.text("ranks") == like.text("ranks");
  });
  const auto place = [=](const Row& row) {
    return std::tuple(!counts(row, cores), row.number("workers"), -rate_of(row));
  };
  const Row base = order(alone.empty() ? panel.rows : alone, place).front();
  return {base, alone.empty() ? base.text("algorithm") + " at " + named_values(base, {"workers"})
                              : "one device alone"};
}

Point efficiency_of(const Row& row, const Row& base, int cores) {
  Point point = scaled(time_ratio(base, row, clock_of(row)),
                       kPercent * flop_of_worker(row) / flop_of_worker(base));
  point.disturbed = !counts(row, cores) || !counts(base, cores);
  return point;
}

// A line for each scheme, of the fastest shape of a grid at each W.
Groups scaling_lines(const Group& panel, const PointOf& value) {
  if (panel.rows.empty()) return {};
  Groups lines = scheme_lines(panel, {"workers", "kv_len", "n_tokens", "grid_heads", "grid_rows"});
  for (Group& line : lines) line.value = value;
  return lines;
}

// The numbers of the most workers that count, if those are several.
Rows of_most_workers(const Group& panel, int cores) {
  return of_largest(where(panel.rows,
                          [=](const Row& row) {
                            return counts(row, cores) && row.number("workers") > 1.0;
                          }),
                    number_in("workers"));
}

std::string kept_title(const Groups& panels, int cores) {
  const Rows rows = panels.empty() ? Rows{} : of_most_workers(panels.front(), cores);
  const std::optional<Base> base =
      rows.empty() ? std::nullopt : std::optional(base_of(panels.front(), cores));
  if (!base || !counts(base->row, cores) ||
      rows.front().number("workers") == base->row.number("workers"))
    return "Parallel efficiency, strong and weak";
  const auto percent = [&](const Row& row) { return efficiency_of(row, base->row, cores).y; };
  return fmt::format("{} scaling to {} leaves a worker {} % of the speed of {}",
                     panels.front().key[1], named_values(rows.front(), {"workers"}),
                     range_text(numbers_of(rows, percent)), base->name);
}

}  // namespace

Figure efficiency_figure(const PlottedRun& run) {
  const int cores = run.provenance.cores;
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && is_forward(row) && rate_of(row) > 0.0 && row.number("workers") >= 2.0;
  });
  Groups panels = scaling_panels(rows, {"Strong", "Weak"});
  const std::string left_out = keep_first(panels, kMostPanels, "mask and shape");
  const auto lines = [=](const Group& panel) {
    const Row base = panel.rows.empty() ? Row{} : base_of(panel, cores).row;
    return scaling_lines(panel, [=](const Row& row) { return efficiency_of(row, base, cores); });
  };
  Figure figure = line_figure(
      {.title = kept_title(panels, cores),
       .nothing = "no two worker counts have times at one N, or at one N/W, and all else equal",
       .y = {{.y = {.label = "speed of a worker (%)",
                    .column = "efficiency_percent",
                    .from_zero = true},
              .lines = lines,
              .reference = always(limit_line("the base", kPercent))}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .notes =
           joined_notes({{"Speed of a worker: its share of the unmasked FLOP over the time."},
                         timing_notes(rows),
                         {left_out}})});
  for (std::size_t i = 0; i < figure.panels.size(); ++i)
    figure.panels[i].y.label =
        fmt::format("speed of a worker (% of {})", base_of(panels[i], cores).name);
  return figure;
}

Figure mfu_figure(const PlottedRun& run) {
  const int cores = run.provenance.cores;
  const auto peak = [&run](const Row& row) {  // of all devices; one played all workers of `serial`
    return modelled(row) ? run.modelled_peak(row)
                         : row.number("peak_flop_per_s") *
                               (row.is("ranks", "serial") ? row.number("workers") : 1.0);
  };
  const auto mfu = [=](const Row& row) {
    const Point s = timed(row, clock_of(row), 1.0);
    const double percent = kPercent * row.number("unmasked_flop") / peak(row);
    return Point{.y = percent / s.y,
                 .low = percent / s.high,
                 .high = percent / s.low,
                 .disturbed = !counts(row, cores)};
  };
  const Rows rows = where(standing_rows(run.cases),
                          [&](const Row& row) { return ran(row) && mfu(row).y > 0.0; });
  Groups panels = scaling_panels(rows, {"Strong"});
  const std::string left_out = keep_first(panels, kMostPanels, "mask and shape");
  const Rows most = panels.empty() ? Rows{} : of_most_workers(panels.front(), cores);
  return line_figure(
      {.title =
           most.empty()
               ? "Model FLOP utilisation against W"
               : fmt::format("At {} the schemes use {} % of the peak of their devices{}",
                             named_values(most.front(), {"workers"}),
                             range_text(numbers_of(most, [&](const Row& row) {
                               return mfu(row).y;
                             })),
                             is_forward(most.front()) ? "" : " in a backward pass"),
       .nothing = "no two worker counts have times at one N, all else equal, and a known peak",
       .y = {{.y = {.label = "model FLOP utilisation (%)",
                    .column = "mfu_percent",
                    .from_zero = true},
              .lines = [=](const Group& panel) { return scaling_lines(panel, mfu); }}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .notes = joined_notes({{"FLOP of unmasked pairs: 4 d a pair and head forward, 10 d "
                               "backward; over the time and the peak of W devices: measured, or "
                               "that of the modelled device's products."},
                              timing_notes(rows),
                              {left_out}})});
}

}  // namespace qb
