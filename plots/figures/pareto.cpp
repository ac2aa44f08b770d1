// SPDX-License-Identifier: Apache-2.0
// Time of operators against how far their answer is from exact attention, a mark each. A mark below
// and left of another is better in both, and those that none beats are joined.
#include "plots/figures/figures.h"
#include "plots/figures/operators.h"

namespace qb {
namespace {

double seconds(const Row& row) { return timed(row, clock_of(row), 1.0).y; }

constexpr double kSameDistance = 1.01;

// Whether the first is no worse in both and better in one.
bool beats(const Row& a, const Row& b) {
  const bool no_worse =
      distance_of(a) <= kSameDistance * distance_of(b) && seconds(a) <= seconds(b);
  return no_worse && (kSameDistance * distance_of(a) < distance_of(b) || seconds(a) < seconds(b));
}

// The operators of a panel share a mask, which their names need not say.
std::string short_name(const Row& row) {
  const std::string name = operator_name(row);
  return name.substr(0, name.find(','));
}

// Those that no other one beats, by distance.
Rows nearest_or_fastest(const Group& panel) {
  const auto is_best = [&](const Row& row) {
    return std::ranges::none_of(panel.rows, [&](const Row& other) { return beats(other, row); });
  };
  return order(where(panel.rows, is_best), distance_of);
}

Groups operator_marks(const Group& panel) {
  Groups lines = operator_lines(panel.rows);
  for (Group& line : lines) {
    line.name = short_name(line.rows.front());
    if (is_exact(line.rows.front())) line.style = pattern_style("full");
  }
  for (Group& line : lines) line.draw = Draw::points;
  if (const Rows best = nearest_or_fastest(panel); best.size() > 1)
    lines.push_back(
        {.rows = best, .name = "beaten by none", .style = {kGrey, 0, 1}, .draw = Draw::line});
  return lines;
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

std::string frontier_title(const Rows& best) {
  std::vector<std::string> names;
  for (const Row& row : best) names.push_back(short_name(row));
  return fmt::format("At {} no operator beats {} in both distance and time",
                     named_values(best.front(), {"n_tokens"}), listed(names, " or "));
}

}  // namespace

// At the longest N that exact attention has with all inputs. Causal operators, which are compared
// with another answer than the others, have panels of their own.
Figure pareto_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Time against distance to exact attention";
  Rows rows = operator_rows(run.cases);
  if (rows.empty())
    return empty_figure(kTitle,
                        "no case mixes tokens by an operator; figure scheme_comparison "
                        "shows time and memory of schemes");
  double longest = std::numeric_limits<double>::infinity();
  for (const Group& exact : group(where(rows, is_exact), Columns{"inputs"}))
    longest = std::fmin(longest, largest(exact.rows, number_in("n_tokens")));
  rows = where(rows, [=](const Row& row) {
    return row.number("n_tokens") == longest && distance_of(row) > 0.0;
  });
  if (rows.empty()) return empty_figure(kTitle, "exact attention did not run");
  Groups panels = group(rows, [](const Row& row) {
    return std::vector<std::string>{row.is("mask", "causal") ? "causal mask" : "no causal mask",
                                    row.text("inputs") + " inputs"};
  });
  for (Group& panel : panels) panel.name = listed(panel.key);
  const LineFigure::Quantity time{.y = {.label = "time (ms)", .column = "time_ms", .log = true},
                                  .value = time_ms,
                                  .lines = operator_marks};
  const Rows best = best_everywhere(panels);
  return line_figure({.title = best.empty() ? kTitle : frontier_title(best),
                      .y = {time},
                      .panels = panels,
                      .x = distance_of,
                      .x_axis = fixed({.label = "relative L2 distance to exact attention",
                                       .column = "distance_to_exact",
                                       .log = true}),
                      .shared_axes = true,
                      .notes = {interval_note(rows)}});
}

}  // namespace qb
