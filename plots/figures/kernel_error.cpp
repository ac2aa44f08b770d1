// SPDX-License-Identifier: Apache-2.0
// Error of kernels against a float64 reference: a panel for each type, mask and head dim, a line
// for each kernel and number of threads, with the tolerance, which follows from the error of a
// naive computation in the type. Of narrow types another program's output is rounded to the type
// and ours is float32, so that its errors are not drawn beside ours.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr int kToleranceDash = 1;

double used_tolerance(const Row& row) { return row.number("max_error") / row.number("tolerance"); }

// Makes a line for each kernel and a dashed one for the tolerances of the same cases.
Groups kernels_of(const Group& panel) {
  const Columns others = differing_columns(panel.rows, {"threads"});
  Groups lines;
  for (Group& one : group(order(panel.rows, "n_tokens"), Columns{"kernel", "threads"})) {
    one.name = name_with(one.key[0], one.rows.front(), others);
    one.style = kernel_style(one.key[0]);
    lines.push_back(one);
  }
  shade_equal_looks(lines);
  for (std::size_t i = 0, drawn = lines.size(); i < drawn; ++i)
    lines.push_back(behind(lines[i], "tolerance", kToleranceDash, shows("tolerance")));
  return lines;
}

bool has_another_output(const Row& row) {
  const std::string& kernel = row.text("kernel");
  return !row.is("dtype", "f32") && kernel_name(kernel) != kernel;
}

std::string worst_finding(const Rows& rows) {
  if (rows.empty()) return {};
  const Row& worst = *std::ranges::max_element(rows, {}, used_tolerance);
  return fmt::format("The case that comes nearest to its tolerance uses {:.0f} % of it: {}.",
                     kPercent * used_tolerance(worst),
                     named_values(worst, {"kernel", "dtype", "mask", "n_tokens", "head_dim"}));
}

}  // namespace

Figure kernel_error_figure(const PlottedRun& run) {
  const Rows all = where(standing_rows(run.cases), [](const Row& row) {
    return row.number("max_error") > 0.0 && row.number("tolerance") > 0.0;
  });
  const Rows rows = where(all, [](const Row& row) { return !has_another_output(row); });
  const Columns place = {"dtype", "mask", "device", "head_dim"};
  Groups panels = panels_by(
      rows, place, joined({"dtype"}, differing_columns(rows, {"mask", "device", "head_dim"})));
  const std::string left_out = keep_first(panels, kMostPanels, "type, mask and head dim");
  Figure figure = line_figure(
      {.title = "Error of kernels against float64",
       .nothing = "no case has an error against the float64 reference",
       .y = {{.y = {.label = "largest error of an output", .column = "max_error", .log = true},
              .value = shows("max_error"),
              .lines = kernels_of,
              .timed = false}},
       .panels = panels,
       .keys = {legend_key("tolerance of the same cases", {kGrey, 0, kToleranceDash},
                           Draw::line_points, true)},
       .notes = {left_out,
                 not_drawn({{.number = all.size() - rows.size(),
                             .what = "case",
                             .reason = "output rounded to its type, where ours is float32",
                             .of = all.size()}})}});
  figure.finding = worst_finding(rows);
  return figure;
}

}  // namespace qb
