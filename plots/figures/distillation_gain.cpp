// SPDX-License-Identifier: Apache-2.0
// What balanced self-distillation gains: the time of each case over that of the same case with the
// published distillation, by W, a panel per mask. A dashed line is the same ratio of the query-key
// pairs of the most loaded worker, which the time should follow.
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"

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
    line.draw = Draw::line;
    lines.push_back(behind(line, "pairs", 1, promised));
  }
  return lines;
}

// Counts the pairs of times that are told apart, of those that count.
std::string distillation_title(const Rows& rows, const PlottedRun& run) {
  std::map<int, std::vector<double>> gains;  // by which is faster
  std::size_t all = 0;
  for (const Row& row : rows)
    if (const auto side = side_of(row, *published_case(row), run.model_grade())) {
      gains[*side].push_back(gain(row).y);
      ++all;
    }
  if (all == 0) return kGainTitle;
  return fmt::format(
      "Balanced self-distillation is faster than published in {} of {}{}, slower in {}",
      gains[-1].size(), counted(all, "pair"),
      gains[-1].empty() ? "" : fmt::format(" ({} of its time)", range_text(gains[-1])),
      gains[1].size());
}

}  // namespace

Figure distillation_gain_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && row.is("distillation", "balanced") && published_case(row);
  });
  return line_figure(
      {.title = distillation_title(rows, run),
       .nothing = "no case has a time with both distillations",
       .y = {{.y = {.label = "balanced time / published time", .column = "time_ratio"},
              .value = gain,
              .lines = gain_lines,
              .reference = always(limit_line("no gain", 1.0))}},
       .panels = panels_by(rows, {"mask"}),
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .shared_axes = true,
       .keys = {legend_key("ratio of pairs", {kGrey, 0, 1}, Draw::line, true)},
       .notes = joined_notes({timing_notes(rows),
                              {"Ratio of pairs: of the query-key pairs of the most loaded worker, "
                               "as the plans have them."}})});
}

}  // namespace qb
