// SPDX-License-Identifier: Apache-2.0
// The schemes side by side in one setting against the worker count: pairs, bytes, memory and time.
#include "base/schema/run_tables.h"
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

std::vector<LineFigure::Quantity> compared_quantities(const Rows& rows) {
  const bool serial = clock_of(rows.front()).name() == "critical_path";
  std::vector<LineFigure::Quantity> shown = {
      {"pairs of the slowest worker",
       {.label = "slowest / ideal", .column = "critical_path_ratio", .least_span = 0.2},
       [](const Row& row) {
         return Point{.y = row.number("critical_path_pairs") * row.number("workers") /
                           row.number("unmasked_pairs")};
       }},
      bytes_quantity("sent by the busiest device", "sent", "device_sent", rows, busiest_sent_bytes),
      bytes_quantity("memory of the fullest device", "peak memory", "device_peak", rows,
                     held_bytes),
      {serial ? "critical path" : "wall clock",
       {.label = "time (ms)", .column = "time_ms"},
       [](const Row& row) { return oversubscribed(row) ? Point{} : time_ms(row); }}};
  for (LineFigure::Quantity& one : shown) {
    one.timed = one.y.column == "time_ms";
    one.fit = [](Axis axis, const std::vector<double>& y) {
      axis.log = spans_powers(y) && std::ranges::none_of(y, [](double at) { return at <= 0.0; });
      axis.from_zero = !axis.log && !(axis.least_span > 0.0);
      return axis;
    };
  }
  shown.front().reference = always(limit_line("1", 1.0, false));  // the least possible ratio
  shown.back().reference = [rows](const Group&) {
    std::vector<Series> crosses;
    for (const Group& line : compared_lines(rows))
      std::ranges::move(out_of_memory_series(line, kNaN, number_in("workers")),
                        std::back_inserter(crosses));
    return crosses;
  };
  return shown;
}

std::string left_out(const CsvTable& cases, const Rows& drawn, int cores,
                     std::size_t other_settings) {
  const Rows others = where(standing_rows(cases), [](const Row& row) {
    return !is_compared_scheme(row) && row.number("workers") >= 2;
  });
  std::vector<Omission> all = {
      {.number = count(drawn, [](const Row& row) { return oversubscribed(row); }),
       .what = "time",
       .reason = crowded_name(drawn, cores)},
      {.number = other_settings, .what = "setting", .reason = "smaller"}};
  for (const Group& algorithm : group(others, Columns{"algorithm"}))
    all.push_back({.number = algorithm.rows.size(), .what = "case", .reason = algorithm.key[0]});
  return not_drawn(all);
}

}  // namespace

Figure scheme_comparison_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Schemes of splitting exact attention at one length";
  const Groups all = scheme_settings(run.cases);
  if (all.empty() || count_schemes(all.front().rows) < 2)
    return empty_figure(kTitle, "no two schemes ran at one length, mask and link with W > 1");
  const int cores = run.provenance.cores;
  // Of several shapes of a grid the fastest is last, which a line shows.
  const Rows rows = order(all.front().rows, [](const Row& row) {
    const double ms = time_ms(row).y;
    return ms > 0.0 ? -ms : 0.0;
  });
  const std::string title = least_of(rows, "sends", busiest_sent_bytes);
  Groups lines = compared_lines(rows);
  for (Group& line : lines) {
    line.rows = where(line.rows, ran);
    line.even_empty = true;  // a scheme without a point is in the legend
  }
  Figure figure =
      line_figure({.title = title.empty() ? kTitle : title,
                   .lines = lines,
                   .y = compared_quantities(rows),
                   .x = number_in("workers"),
                   .x_axis = workers_axis,
                   .last_of_x = true,
                   .notes = joined_notes({{"Ideal: unmasked pairs / W. The root of cqs is counted.",
                                           left_out(run.cases, rows, cores, all.size() - 1)},
                                          timing_notes(rows)})});
  figure.subtitle = all.front().name;
  std::erase_if(figure.panels, [](const Panel& panel) {
    return std::ranges::none_of(numbers_at({panel}, &Point::x),
                                [](double x) { return std::isfinite(x); });
  });
  return figure;
}

}  // namespace qb
