// SPDX-License-Identifier: Apache-2.0
// What balanced self-distillation gains: the time of each case over that of the same case with the
// published distillation, by W, a panel per mask. A hollow mark is the same ratio of the query-key
// pairs of the most loaded worker, which the time should follow.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kGainTitle = "Balanced over published self-distillation";

std::optional<Row> published_case(const Row& row) {
  return case_like(
      row,
      [](const Field& field) {
        return field.column == "distillation" || field.column == "interest_set";
      },
      [](const Row& other) { return ran(other) && other.is("distillation", "published"); });
}

Point gain(const Row& row) {
  const Row published = *published_case(row);
  return time_ratio(row, published, clock_of(row));
}

Point promised(const Row& row) {
  return {.y = row.number("critical_path_pairs") /
               published_case(row)->number("critical_path_pairs")};
}

Groups gain_lines(const Group& panel) {
  Groups lines;
  for (Group& line : scheme_lines(panel, {"workers", "distillation", "interest_set"})) {
    line.draw = Draw::points;
    lines.push_back(line);
    lines.push_back(behind(line, "pairs", 0, promised));
  }
  return lines;
}

// Counts the ratios whose intervals lie below 1, above it, and around it.
std::string distillation_title(const Rows& rows) {
  const std::size_t faster = count(rows, [](const Row& row) { return gain(row).high < 1.0; });
  const std::size_t slower = count(rows, [](const Row& row) { return gain(row).low > 1.0; });
  return rows.empty()
             ? kGainTitle
             : fmt::format(
                   "Balanced: faster than published in {} of {}, slower in {}, else undecided",
                   faster, counted(rows.size(), "pair"), slower);
}

}  // namespace

Figure distillation_gain_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && row.is("distillation", "balanced") && published_case(row);
  });
  const bool crowded = !oversubscription(run.cases, run.provenance.cores).empty();
  return line_figure(
      {.title = crowded ? kGainTitle : distillation_title(rows),
       .nothing = "no case has a time with both distillations",
       .y = {{.y = {.label = "time balanced / published", .column = "time_ratio"},
              .value = gain,
              .lines = gain_lines,
              .reference = always(limit_line("no gain", 1.0))}},
       .panels = panels_by(rows, {"mask"}),
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .shared_axes = true,
       .keys = {legend_key("ratio of pairs", {kGrey, 0}, Draw::points, true)},
       .notes = joined_notes(
           {timing_notes(rows),
            {"Hollow: the same ratio of the query-key pairs of the most loaded worker."}})});
}

}  // namespace qb
