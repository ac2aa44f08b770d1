// SPDX-License-Identifier: Apache-2.0
// The relative L2 error of outputs against float64: against the size of the scores, a line for each
// algorithm and for how the LSE of a row travels, and against W, a line for each type.
#include <ranges>

#include "plots/figures/figures.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

// Scores of normal queries and keys are as large as this, in the middle.
double typical_score(const Row& row) {
  return row.number("scale") * std::sqrt(row.number("head_dim"));
}

double error_of(const Row& row) { return row.number("relative_l2_error"); }
Point error_point(const Row& row) { return {.y = error_of(row)}; }

Groups score_lines(const Rows& rows) {
  Groups lines = group(order(rows, number_in("scale")), Columns{"algorithm", "lse"});
  for (Group& line : lines)
    line.name = line.key[1] == "two" ? line.key[0] + ", LSE as two numbers" : line.key[0];
  style_by_algorithm(lines, [](const Group& line) { return line.key[0]; });
  for (Group& line : lines) line.style.dash = line.key[1] == "two" ? 1 : 0;
  return lines;
}

// Compares the two ways at the largest score that both have: what one number loses.
std::string lost_title(const Rows& rows) {
  std::map<double, std::map<std::string, double>> errors;  // by score and by how the LSE travels
  for (const Row& row : rows) {
    double& most = errors[typical_score(row)][row.text("lse")];
    most = std::fmax(most, error_of(row));
  }
  for (const auto& [score, of_way] : std::views::reverse(errors))
    if (of_way.contains("one") && of_way.contains("two") && of_way.at("two") > 0.0)
      return fmt::format(
          "At a score of {:.0e} outputs are off by up to {:.1e} if the LSE travels as one "
          "number, {:.1e} as two",
          score, of_way.at("one"), of_way.at("two"));
  return "Error of outputs against the size of the scores";
}

// Says between what the errors of several workers lie, as multiples of one worker's of their type.
std::string growth_title(const Groups& lines) {
  std::vector<double> ratios;
  for (const Group& line : lines)
    for (const Row& row : line.rows)
      if (line.rows.front().is("workers", "1") && row.number("workers") > 1.0)
        ratios.push_back(error_of(row) / error_of(line.rows.front()));
  return ratios.empty()
             ? "Error of outputs against W"
             : fmt::format("The output's error is {} times that of one worker, whatever W",
                           range_text(ratios));
}

}  // namespace

Figure error_by_workers_figure(const PlottedRun& run) {
  const Rows rows = of_largest(
      where(standing_rows(run.cases),
            [](const Row& row) { return ran(row) && is_forward(row) && error_of(row) > 0.0; }),
      number_in("n_tokens"));
  const Rows drawn = order(rows, number_in("workers"));
  const Columns others =
      splitting_columns(drawn, {"n_tokens", "kv_len", "workers", "interest_set", "mask", "dtype"});
  Groups lines = group(drawn, joined({"mask", "dtype"}, others));
  std::erase_if(lines,
                [](const Group& line) { return group(line.rows, Columns{"workers"}).size() < 2; });
  for (Group& line : lines) {
    line.style = dtype_style(line.key[1]);
    line.name = name_with(line.key[1], line.rows.front(),
                          joined(differing_columns(drawn, {"mask"}), others));
  }
  shade_equal_looks(lines);
  return line_figure(
      {.title = growth_title(lines),
       .nothing = "no two worker counts have an error against the float64 reference",
       .lines = lines,
       .y = {{.y = {.label = "relative L2 error of O", .column = "relative_l2_error"},
              .value = error_point,
              .fit = powers_or_zero,
              .timed = false}},
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .notes = {fmt::format("N = {}. Against float64 over the compared rows.",
                             grouped(largest(rows, number_in("n_tokens")))),
                 rounding_note(drawn, error_of)}});
}

Figure score_error_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return error_of(row) >= 0.0 && row.number("scale") > 0.0;
  });
  return line_figure(
      {.title = lost_title(rows),
       .nothing = "no case with a scale has an error against the float64 reference",
       .lines = score_lines(rows),
       .y = {{.y = {.label = "relative L2 error of O", .column = "relative_l2_error", .log = true},
              .value = error_point,
              .timed = false}},
       .x = typical_score,
       .x_axis =
           fixed({.label = "typical score, scale × √d", .column = "typical_score", .log = true}),
       .notes = {"Against float64 over the compared rows; an error of 0 is not drawn.",
                 rows.empty() || !rows.front().is("inputs", "tied")
                     ? ""
                     : "All keys of a head are equal: an error is what the LSE of partials, as one "
                       "float, loses of their weights."}});
}

}  // namespace qb
