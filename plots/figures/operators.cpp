// SPDX-License-Identifier: Apache-2.0
// What mixes tokens, beside exact attention: measured cases of `workload: sequence_mixer` on one
// worker. Time against how far an answer is from exact attention, a mark each: a mark below and
// left of another is better in both, and steps join those that none beats.
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/patterns.h"

namespace qb {
namespace {

Rows operator_rows(const CsvTable& cases) {
  return where(where(standing_rows(cases), "workload", {"sequence_mixer"}),
               [](const Row& row) { return ran(row) && row.is("workers", "1") && !modelled(row); });
}

bool is_exact(const Row& row) {
  return row.is("mixer_operator", "softmax") &&
         (row.is("mask", "causal") || row.is("mask", "full"));
}

double distance_of(const Row& row) { return row.number("distance_to_exact"); }

constexpr double kSameDistance = 1.01;

// Whether the first is no worse in both and better in one.
bool beats(const Row& a, const Row& b) {
  const double time = time_ms(a).y / time_ms(b).y;
  return distance_of(a) <= kSameDistance * distance_of(b) && time <= 1.0 &&
         (kSameDistance * distance_of(a) < distance_of(b) || time < 1.0);
}

// Whether the first is as near, and may be faster: their times may not be told apart.
bool may_beat(const Row& a, const Row& b) {
  return !(a == b) && distance_of(a) <= kSameDistance * distance_of(b) &&
         (time_ms(a).y <= time_ms(b).y || !told_apart(a, b, {}));
}

// The operators of a panel share a mask, which their names need not say.
std::string short_name(const Row& row) {
  if (!row.is("mixer_operator", "softmax")) return row.text("mixer_operator");
  return is_exact(row) ? "exact" : pattern_kind(row.text("mask"));
}

// Gives the operators that no other one beats, by distance.
Rows beaten_by_none(const Rows& rows, bool (*rule)(const Row&, const Row&)) {
  const auto is_best = [&](const Row& row) {
    return std::ranges::none_of(rows, [&](const Row& other) { return rule(other, row); });
  };
  return order(where(rows, is_best), distance_of);
}

std::vector<Series> operator_marks(const Rows& rows) {
  Groups marks = group(rows, Columns{"mixer_operator", "mask"});
  for (Group& one : marks) {
    const Row& row = one.rows.front();
    one.name = short_name(row);
    one.style = is_exact(row) ? pattern_style("full")
                : row.is("mixer_operator", "softmax")
                    ? pattern_style(pattern_kind(row.text("mask")))
                    : operator_style(row.text("mixer_operator"));
    one.draw = Draw::points;
  }
  shade_equal_looks(marks);
  std::vector<Series> drawn;
  for (const Group& one : marks)
    drawn.push_back(line_series(one, one.rows, [](const Row& row) {
      Point point = time_ms(row);
      point.x = distance_of(row);
      point.disturbed = disturbed(row);
      return point;
    }));
  return drawn;
}

// Steps from the nearest to the fastest: the best time at each distance.
Series front_of(const Rows& rows) {
  Series front{.name = "beaten by none", .draw = Draw::line, .style = {kGrey, 0, 1}, .thin = true};
  for (const Row& row : beaten_by_none(rows, beats)) {
    if (!front.points.empty())
      front.points.push_back({.x = distance_of(row), .y = front.points.back().y});
    front.points.push_back({.x = distance_of(row), .y = time_ms(row).y});
  }
  if (front.points.size() == 1) front.points.clear();
  return front;
}

// Shades distances of 1 and more. It reaches to the ends of the panels, as does an empty box to
// their left; without such distances there is none.
Series far_of(const Rows& rows) {
  constexpr double kMargin = 1.6;  // around the marks
  const auto [near, far] = std::ranges::minmax(numbers_of(rows, distance_of));
  const auto [low, high] =
      std::ranges::minmax(numbers_of(rows, [](const Row& row) { return time_ms(row).y; }));
  Series shade = rectangles("no nearer than an answer of zeros", 0xF0F0F0);
  if (far >= 1.0)
    shade.points = {box(1.0, kMargin * far, low / kMargin, kMargin * high),
                    box(near / kMargin, near / kMargin, low, low)};
  return shade;
}

// Says which operators none beats in any panel, and how near those that are not exact come.
std::string frontier_title(const Groups& panels) {
  std::map<std::string, std::set<std::string>> best;  // the panels of each
  std::vector<double> inexact;
  for (const Group& panel : panels) {
    const Rows told = where(panel.rows, [](const Row& row) { return counts(row); });
    for (const Row& row : beaten_by_none(told, may_beat)) best[short_name(row)].insert(panel.name);
    for (const Row& row : panel.rows)
      if (!is_exact(row)) inexact.push_back(distance_of(row));
  }
  std::vector<std::string> names;
  for (const auto& [name, in] : best)
    if (in.size() == panels.size()) names.push_back(name);
  std::vector<std::string> said;
  if (!names.empty())
    said.push_back(fmt::format("none beats {} in both distance and time", listed(names, " or ")));
  if (!inexact.empty())
    said.push_back(
        fmt::format("inexact operators come no nearer than {:.3g}", std::ranges::min(inexact)));
  return fmt::format("At {} {}", named_values(panels.front().rows.front(), {"n_tokens"}),
                     listed(said, "; "));
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
  const Series far = far_of(rows);
  const bool tight = !far.points.empty();
  Figure figure{.title = frontier_title(panels), .shared_axes = true};
  for (const Group& one : panels) {
    Panel panel{.title = one.name,
                .x = {.label = "relative L2 distance to exact attention",
                      .column = "distance_to_exact",
                      .log = true,
                      .tight = tight},
                .y = {.label = "time (ms)", .column = "time_ms", .log = true, .tight = tight}};
    add(panel, operator_marks(one.rows));
    add(panel, {far, front_of(one.rows)});
    figure.panels.push_back(std::move(panel));
  }
  arrange_panels(figure, 2);
  figure.notes = joined_notes({{interval_note(rows), disturbed_note(figure)}});
  return figure;
}

}  // namespace qb
