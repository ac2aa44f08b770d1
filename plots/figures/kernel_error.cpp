// SPDX-License-Identifier: Apache-2.0
// Error of kernels against a float64 reference, by element type and mask: of each length the case
// that comes nearest to its tolerance, which follows from the error of a naive computation in its
// type.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr int kToleranceDash = 1;

double used_tolerance(const Row& row) { return row.number("max_error") / row.number("tolerance"); }

// Keeps of each length the row that uses most of its tolerance, ascending in length.
Rows nearest_by_length(const Rows& rows) {
  std::map<double, Row> nearest;
  for (const Row& row : rows) {
    const auto [at, added] = nearest.emplace(row.number("n_tokens"), row);
    if (!added && used_tolerance(row) > used_tolerance(at->second)) at->second = row;
  }
  Rows kept;
  for (const auto& [length, row] : nearest) kept.push_back(row);
  return kept;
}

// Makes a line for each kernel and a dashed one for the tolerances of the same cases.
Groups kernels_of(const Group& panel) {
  Groups lines;
  for (Group& one : group(panel.rows, Columns{"kernel"})) {
    one.name = one.key[0];
    one.style = kernel_style(one.key[0]);
    one.rows = nearest_by_length(one.rows);
    lines.insert(lines.end(), {one, behind(one, "tolerance", kToleranceDash, shows("tolerance"))});
  }
  return lines;
}

std::string worst_note(const Rows& rows) {
  if (rows.empty()) return {};
  const Row& worst = *std::ranges::max_element(rows, {}, used_tolerance);
  return fmt::format("The case that comes nearest to its tolerance uses {:.0f} % of it: {}.",
                     kPercent * used_tolerance(worst),
                     named_values(worst, {"kernel", "dtype", "mask", "n_tokens", "head_dim"}));
}

}  // namespace

Figure kernel_error_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return row.number("max_error") > 0.0 && row.number("tolerance") > 0.0;
  });
  const Columns place = {"dtype", "mask", "device"};
  return line_figure(
      {.title = "Error of kernels against float64",
       .nothing = "no case has an error against the float64 reference",
       .y = {{.y = {.label = "largest error of an output", .column = "max_error", .log = true},
              .value = shows("max_error"),
              .lines = kernels_of,
              .timed = false}},
       .panels =
           panels_by(rows, place, joined({"dtype"}, differing_columns(rows, {"mask", "device"}))),
       .keys = {legend_key("tolerance of the same cases", {kGrey, 0, kToleranceDash},
                           Draw::line_points, true)},
       .notes = {
           fmt::format("Each length shows the case that comes nearest to its tolerance, of "
                       "{} that also differ in head dim and threads. A tolerance follows from "
                       "the error of a naive computation in the type of the inputs.",
                       counted(rows.size(), "case")),
           worst_note(rows)}});
}

}  // namespace qb
