// SPDX-License-Identifier: Apache-2.0
// Time against the memory of a device, a mark a scheme, at the most workers that most schemes have:
// a scheme below and left of another is better in both, and those that none beats are joined.
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

double seconds(const Row& row) { return timed(row, clock_of(row), 1.0).y; }
bool has_both(const Row& row) { return ran(row) && seconds(row) > 0.0 && held_bytes(row) > 0.0; }

constexpr double kSameBytes = 1.01;

// Whether the first is no worse in both and, beyond the model's error, better in one.
bool beats(const Row& a, const Row& b, double model_error) {
  const bool no_worse = held_bytes(a) <= kSameBytes * held_bytes(b) && seconds(a) <= seconds(b);
  return no_worse &&
         (kSameBytes * held_bytes(a) < held_bytes(b) || model_error * seconds(a) < seconds(b));
}

// Those that no other one beats, by memory.
Rows frontier(const Rows& rows, double model_error) {
  return order(where(rows,
                     [&](const Row& row) {
                       return std::ranges::none_of(
                           rows, [&](const Row& other) { return beats(other, row, model_error); });
                     }),
               held_bytes);
}

std::string frontier_title(const Rows& best) {
  std::vector<std::string> names;
  for (const Row& row : best) names.push_back(row.text("algorithm"));
  const std::string at = "At " + named_values(best.front(), {"workers"});
  return best.size() == 1
             ? fmt::format("{} {} has the least memory and the shortest time", at, names[0])
             : fmt::format("{} no scheme beats {} in both memory and time", at,
                           listed(names, " or "));
}

}  // namespace

Figure pareto_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Time against memory of a device";
  const Groups counts =
      group(where(best_setting(run.cases, has_both), has_both), Columns{"workers"});
  if (counts.empty() || counts.back().rows.size() < 2)
    return empty_figure(kTitle, "no two schemes have a time and a memory peak at one W");
  const Rows rows = counts.back().rows;
  const std::string crowded = crowded_name(rows, run.provenance.cores);
  const Rows best = frontier(rows, modelled(rows.front()) ? run.model_grade().factor : 1.0);
  const Unit unit = byte_unit(largest(rows, held_bytes));
  Groups lines = compared_lines(rows);
  for (Group& line : lines) line.draw = Draw::points;
  if (crowded.empty() && best.size() > 1)
    lines.push_back(
        {.rows = best, .name = "beaten by none", .style = {kGrey, 0, 1}, .draw = Draw::line});
  Axis memory = axis_in(unit, "memory of a device", "device_peak");
  memory.log = true;
  return line_figure(
      {.title = crowded.empty() ? frontier_title(best) : listed({kTitle, crowded}),
       .lines = lines,
       .y = {{.y = {.label = "time (ms)", .column = "time_ms", .log = true}, .value = time_ms}},
       .x = [=](const Row& row) { return held_bytes(row) * unit.factor; },
       .x_axis = fixed(memory),
       .notes = joined_notes({{named_values(rows.front(), {"n_tokens", "workers"}) +
                               ". Of the fullest device, a root included."},
                              timing_notes(rows)})});
}

}  // namespace qb
