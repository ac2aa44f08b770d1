// SPDX-License-Identifier: Apache-2.0
// The FLOP/s of one of W workers as a share of a base, the same for all lines of a panel. Parallel
// efficiency: of one device alone or, where none ran, of the fastest case of the fewest workers.
// Model FLOP utilisation: of the peak of a device. Strong: the sequence stays as W grows; weak: the
// tokens of a worker do.
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

Point rate_of(const Row& row) {
  const Point time = timed(row, clock_of(row), 1.0);
  const double flop = flop_of_worker(row);
  return {.y = flop / time.y, .low = flop / time.high, .high = flop / time.low};
}

struct Base {
  std::string name{};
  std::function<Point(const Row&)> rate{};  // what that of a row's worker is a share of
  double workers = 0.0;
  bool counts = true;
};

// Keeps the cases that share the value with the most worker counts; of several such values the
// greatest. The result is empty if no value has two worker counts. W rises, and of each the rate: a
// line shows the last of a W, which is the fastest shape of a grid.
Rows most_counts(const Rows& rows, double (*value)(const Row&)) {
  std::map<double, Rows> by_value;
  for (const Row& row : rows) by_value[value(row)].push_back(row);
  Rows best;
  std::size_t most = 2;
  for (const auto& [shared, own] : by_value)
    if (const std::size_t n = group(own, Columns{"workers"}).size(); n >= most) {
      most = n;
      best = own;
    }
  return order(order(best, [](const Row& row) { return rate_of(row).y; }), number_in("workers"));
}

// A panel's key is `Strong` or `Weak`, and the tokens of one device that its workers are compared
// with.
Groups scaling_panels(const Rows& rows, std::initializer_list<const char*> kinds) {
  const Columns told_by = joined(kShapeColumns, kPlaceColumns);
  const Columns named = joined({"mask"}, differing_columns(rows, without(told_by, "mask")));
  Groups panels;
  for (const Group& of_mask : panels_by(rows, told_by, named))
    for (const std::string kind : kinds) {
      const auto tokens = kind == "Weak" ? tokens_of_worker : tokens_of_all;
      Group panel{.rows = most_counts(of_mask.rows, tokens)};
      if (panel.rows.empty()) continue;
      const double shared = tokens(panel.rows.front());
      panel.key = {kind, fmt::format("{:.0f}", shared)};
      const bool grows = kind == "Weak" && flop_of_worker(panel.rows.back()) >
                                               1.01 * flop_of_worker(panel.rows.front());
      panel.name = listed(
          {kind == "Weak" ? "weak, N/W = " + grouped(shared) : "strong, N = " + grouped(shared),
           of_mask.name, grows ? "work per worker grows" : ""});
      panels.push_back(std::move(panel));
    }
  std::ranges::stable_sort(panels, {},
                           [](const Group& one) { return !is_forward(one.rows.front()); });
  return panels;
}

// One device alone ran a case of the same shape. What counts comes before what does not.
Base fastest_of(const Group& panel) {
  const Row& like = panel.rows.front();
  const Rows alone = where(standing_rows(*like.table), [&](const Row& row) {
    return ran(row) && row.number("workers") == 1.0 && row.text("n_tokens") == panel.key[1] &&
           rate_of(row).y > 0.0 &&
           values_of(row, kShapeColumns) == values_of(like, kShapeColumns) &&
           row.text("ranks") == like.text("ranks");
  });
  const auto place = [=](const Row& row) {
    return std::tuple(!counts(row), row.number("workers"), -rate_of(row).y);
  };
  const Row base = order(alone.empty() ? panel.rows : alone, place).front();
  return {alone.empty() ? fmt::format("{}'s speed at {}", base.text("algorithm"),
                                      named_values(base, {"workers"}))
                        : "one device's speed",
          [=](const Row&) { return rate_of(base); }, base.number("workers"), counts(base)};
}

Point share_of(const Row& row, const Base& base) {
  const Point rate = rate_of(row);
  const Point of = base.rate(row);
  return {.y = kPercent * rate.y / of.y,
          .low = kPercent * rate.low / of.high,
          .high = kPercent * rate.high / of.low,
          .disturbed = !base.counts || !counts(row)};
}

// The title has the range at the most workers of the first panel that count.
std::string kept_title(const Panel& panel, const Group& of, const Base& base) {
  double most = base.workers;
  for (const Series& line : panel.series)
    for (const Point& point : line.points)
      if (!point.disturbed) most = std::fmax(most, point.x);
  std::vector<double> kept;
  for (const Series& line : panel.series)
    for (const Point& point : line.points)
      if (!point.disturbed && point.x == most && most > base.workers) kept.push_back(point.y);
  if (kept.empty()) return {};
  return modelled_first(of.rows,
                        fmt::format("{} scaling to W = {} leaves a worker {} % of {}", of.key[0],
                                    grouped(most), range_text(kept), base.name));
}

// Adds to a declaration what both figures share. `base_of` gives that of a panel.
Figure scaling_figure(LineFigure declared, const std::function<Base(const Group& panel)>& base_of) {
  declared.notes.push_back(keep_first(declared.panels, kMostPanels, "mask and shape"));
  declared.x = number_in("workers");
  declared.x_axis = workers_axis;
  declared.last_of_x = true;
  declared.y.front().y.from_zero = true;
  declared.y.front().lines = [&](const Group& panel) {
    if (panel.rows.empty()) return Groups{};
    Groups lines =
        scheme_lines(panel, {"workers", "kv_len", "n_tokens", "grid_heads", "grid_rows"});
    for (Group& line : lines)
      line.value = [=, base = base_of(panel)](const Row& row) { return share_of(row, base); };
    return lines;
  };
  Figure figure = line_figure(declared);
  for (std::size_t i = figure.panels.size(); i-- > 0;) {
    const Base base = base_of(declared.panels[i]);
    figure.panels[i].y.label = fmt::format("speed of a worker (% of {})", base.name);
    const std::string title = kept_title(figure.panels[i], declared.panels[i], base);
    if (i == 0 && !title.empty()) figure.title = title;
  }
  return figure;
}

}  // namespace

Figure efficiency_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && is_forward(row) && rate_of(row).y > 0.0 && row.number("workers") >= 2.0;
  });
  return scaling_figure(
      {.title = "Parallel efficiency, strong and weak",
       .nothing = "no two worker counts have times at one N, or at one N/W, and all else equal",
       .y = {{.y = {.label = "", .column = "efficiency_percent"},
              .reference = always(limit_line("no loss", kPercent))}},
       .panels = scaling_panels(rows, {"Strong", "Weak"}),
       .notes = joined_notes({{"Speed of a worker: its share of the unmasked FLOP over the time."},
                              timing_notes(rows)})},
      [&](const Group& panel) { return fastest_of(panel); });
}

Figure mfu_figure(const PlottedRun& run) {
  const auto peak = [&](const Row& row) {  // one device played all workers of `serial`
    const double of_all = modelled(row) ? run.modelled_peak(row) : row.number("peak_flop_per_s");
    const double of_one = row.is("ranks", "serial") ? of_all : of_all / row.number("workers");
    return Point{.y = of_one, .low = of_one, .high = of_one};
  };
  const Rows rows = where(standing_rows(run.cases), [&](const Row& row) {
    return ran(row) && rate_of(row).y > 0.0 && peak(row).y > 0.0;
  });
  return scaling_figure(
      {.title = "Model FLOP utilisation against W",
       .nothing = "no two worker counts have times at one N, all else equal, and a known peak",
       .y = {{.y = {.label = "", .column = "mfu_percent"}}},
       .panels = scaling_panels(rows, {"Strong"}),
       .notes = joined_notes({{"Model FLOP utilisation: unmasked pairs, 4 d FLOP a pair and head "
                               "forward, 10 d backward, over the time and the peak, which is "
                               "measured, or the modelled device's."},
                              timing_notes(rows)})},
      [&](const Group&) {
        return Base{"its device's peak", peak, 1.0};
      });
}

}  // namespace qb
