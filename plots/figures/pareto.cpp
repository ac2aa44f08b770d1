// SPDX-License-Identifier: Apache-2.0
// Time against another cost, a mark each: of schemes, at the most workers that most have, the
// memory of a device; of operators in place of exact attention, how far their answer is from it. A
// mark below and left of another is better in both, and those that none beats are joined.
#include "plots/figures/figures.h"
#include "plots/figures/operators.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

using Cost = double (*)(const Row&);  // what stands on x

double seconds(const Row& row) { return timed(row, clock_of(row), 1.0).y; }
bool has_both(const Row& row) { return ran(row) && seconds(row) > 0.0 && held_bytes(row) > 0.0; }

constexpr double kSameCost = 1.01;

// Whether the first is no worse in both and, beyond the model's error, better in one.
bool beats(const Row& a, const Row& b, Cost cost, double model_error) {
  const bool no_worse = cost(a) <= kSameCost * cost(b) && seconds(a) <= seconds(b);
  return no_worse && (kSameCost * cost(a) < cost(b) || model_error * seconds(a) < seconds(b));
}

// Those that no other one beats, by cost.
Rows frontier(const Rows& rows, Cost cost, double model_error) {
  const auto is_best = [&](const Row& row) {
    return std::ranges::none_of(
        rows, [&](const Row& other) { return beats(other, row, cost, model_error); });
  };
  return order(where(rows, is_best), cost);
}

Groups marks(Groups lines, const Rows& best) {
  for (Group& line : lines) line.draw = Draw::points;
  if (best.size() > 1)
    lines.push_back(
        {.rows = best, .name = "beaten by none", .style = {kGrey, 0, 1}, .draw = Draw::line});
  return lines;
}

std::string frontier_title(const Rows& best, const char* at, std::string (*name)(const Row&),
                           const char* what, const char* cost) {
  std::vector<std::string> names;
  for (const Row& row : best) names.push_back(name(row));
  return fmt::format("At {} no {} beats {} in both {} and time", named_values(best.front(), {at}),
                     what, listed(names, " or "), cost);
}

LineFigure::Quantity time_quantity() {
  return {.y = {.label = "time (ms)", .column = "time_ms", .log = true}, .value = time_ms};
}

// The operators of a panel share a mask, which their names need not say.
std::string short_name(const Row& row) {
  const std::string name = operator_name(row);
  return name.substr(0, name.find(','));
}

Rows nearest_or_fastest(const Group& panel) { return frontier(panel.rows, distance_of, 1.0); }

Groups operator_marks(const Group& panel) {
  Groups lines = operator_lines(panel.rows);
  for (Group& line : lines) {
    line.name = short_name(line.rows.front());
    if (is_exact(line.rows.front())) line.style = pattern_style("full");
  }
  return marks(lines, nearest_or_fastest(panel));
}

// Those that none beats in any panel.
Rows best_everywhere(const Groups& panels) {
  Rows best = nearest_or_fastest(panels.front());
  for (const Group& panel : panels) {
    const Rows here = nearest_or_fastest(panel);
    best = where(best, [&](const Row& row) {
      return std::ranges::count(here, short_name(row), short_name) > 0;
    });
  }
  return best;
}

// At the longest N that exact attention has with all inputs. Causal operators, which are compared
// with another answer than the others, have panels of their own.
Figure operators_pareto(Rows rows) {
  double longest = std::numeric_limits<double>::infinity();
  for (const Group& exact : group(where(rows, is_exact), Columns{"inputs"}))
    longest = std::fmin(longest, largest(exact.rows, number_in("n_tokens")));
  rows = where(rows, [=](const Row& row) {
    return row.number("n_tokens") == longest && distance_of(row) > 0.0;
  });
  constexpr const char* kTitle = "Time against distance to exact attention";
  if (rows.empty()) return empty_figure(kTitle, "exact attention did not run");
  Groups panels = group(rows, [](const Row& row) {
    return std::vector<std::string>{row.is("mask", "causal") ? "causal mask" : "no causal mask",
                                    row.text("inputs") + " inputs"};
  });
  for (Group& panel : panels) panel.name = listed(panel.key);
  LineFigure::Quantity time = time_quantity();
  time.lines = operator_marks;
  const Rows best = best_everywhere(panels);
  return line_figure(
      {.title = best.empty() ? kTitle
                             : frontier_title(best, "n_tokens", short_name, "operator", "distance"),
       .y = {time},
       .panels = panels,
       .x = distance_of,
       .x_axis = fixed({.label = "relative L2 distance to exact attention",
                        .column = "distance_to_exact",
                        .log = true}),
       .shared_axes = true,
       .notes = {interval_note(rows)}});
}

}  // namespace

Figure pareto_figure(const PlottedRun& run) {
  if (const Rows rows = operator_rows(run.cases); !rows.empty()) return operators_pareto(rows);
  constexpr const char* kTitle = "Time against memory of a device";
  const Groups counts =
      group(where(best_setting(run.cases, has_both), has_both), Columns{"workers"});
  if (counts.empty() || counts.back().rows.size() < 2)
    return empty_figure(kTitle, "no two schemes have a time and a memory peak at one W");
  const Rows rows = counts.back().rows;
  const std::string crowded = crowded_name(rows, run.provenance.cores);
  const Rows best =
      frontier(rows, held_bytes, modelled(rows.front()) ? run.model_grade().factor : 1.0);
  const auto name = [](const Row& row) { return row.text("algorithm"); };
  const Unit unit = byte_unit(largest(rows, held_bytes));
  Axis memory = axis_in(unit, "memory of a device", "device_peak");
  memory.log = true;
  return line_figure({.title = crowded.empty()
                                   ? frontier_title(best, "workers", name, "scheme", "memory")
                                   : listed({kTitle, crowded}),
                      .lines = marks(compared_lines(rows), crowded.empty() ? best : Rows{}),
                      .y = {time_quantity()},
                      .x = [=](const Row& row) { return held_bytes(row) * unit.factor; },
                      .x_axis = fixed(memory),
                      .notes = joined_notes({{named_values(rows.front(), {"n_tokens", "workers"}) +
                                              ". Of the fullest device, a root included."},
                                             timing_notes(rows)})});
}

}  // namespace qb
