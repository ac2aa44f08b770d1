// SPDX-License-Identifier: Apache-2.0
// The error of outputs against the size of the scores: a line for each algorithm and for how the
// LSE of a row travels. With tied keys every key has the same weight, so that an error says what
// part of the weights was lost on the way.
#include "plots/figures/figures.h"

namespace qb {
namespace {

// Scores of normal queries and keys are as large as this, in the middle.
double typical_score(const Row& row) {
  return row.number("scale") * std::sqrt(row.number("head_dim"));
}

Axis score_axis(const std::vector<double>&) {
  return {.label = "typical score, scale × √d", .column = "typical_score", .log = true};
}

Groups score_lines(const Rows& rows) {
  Groups lines = group(order(rows, "scale"), Columns{"algorithm", "lse"});
  for (Group& line : lines)
    line.name = line.key[1] == "two" ? line.key[0] + ", LSE as two numbers" : line.key[0];
  style_by_algorithm(lines, [](const Group& line) { return line.key[0]; });
  for (Group& line : lines) line.style.dash = line.key[1] == "two" ? 1 : 0;
  return lines;
}

}  // namespace

Figure score_error_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return row.number("relative_l2_error") >= 0.0 && row.number("scale") > 0.0;
  });
  Figure figure = line_figure(
      {.title = "Error of outputs against the size of the scores",
       .nothing = "no case with a scale has an error against the float64 reference",
       .lines = score_lines(rows),
       .y = {{.y = {.label = "relative L2 error of O", .column = "relative_l2_error", .log = true},
              .value = shows("relative_l2_error"),
              .timed = false}},
       .x = typical_score,
       .x_axis = score_axis,
       .notes = {
           "Against float64 over the compared rows; an error of 0 is not drawn.",
           rows.empty() || !rows.front().is("inputs", "tied")
               ? ""
               : "All keys of a head are equal, and so are their weights, whatever the score; "
                 "an error is what the LSE of partials, as one float, loses of them."}});
  return figure;
}

}  // namespace qb
