// Error of kernels against a float64 reference, by element type: of each length the worst case,
// with the error of a naive computation in the same type and the tolerance that follows from it.
#include "plots/figures/figures.h"

namespace qb {
namespace {

// Keeps of each length the row with the greatest number of a column, ascending in length.
Rows worst_by_length(const Rows& rows, const char* column) {
  std::map<double, Row> worst;
  for (const Row& row : rows) {
    const auto [at, added] = worst.emplace(row.number("n_tokens"), row);
    if (!added && row.number(column) > at->second.number(column)) at->second = row;
  }
  Rows kept;
  for (const auto& [length, row] : worst) kept.push_back(row);
  return kept;
}

Groups kernels_of(const Group& panel) {
  Groups kernels = group(panel.rows, Columns{"kernel"});
  for (Group& one : kernels) {
    one.name = one.key[0];
    one.style = kernel_style(one.key[0]);
    one.rows = worst_by_length(one.rows, "max_error");
  }
  return kernels;
}

// Draws the worst naive error and the least tolerance of each length.
std::vector<Series> bounds_of(const Group& panel) {
  Series naive{
      .name = "naive, same type", .draw = Draw::line, .style = {kGrey, 0, 1}, .thin = true};
  for (const Row& row : worst_by_length(panel.rows, "naive_error"))
    naive.points.push_back({.x = row.number("n_tokens"), .y = row.number("naive_error")});
  std::map<double, double> tolerances;
  for (const Row& row : panel.rows) {
    double& least = tolerances.emplace(row.number("n_tokens"), kNaN).first->second;
    least = std::fmin(least, row.number("tolerance"));
  }
  Series tolerance{.name = "least tolerance", .draw = Draw::line, .style = {kBlack, 0, 2}};
  for (const auto& [length, least] : tolerances)
    tolerance.points.push_back({.x = length, .y = least});
  return {naive, tolerance};
}

}  // namespace

Figure kernel_error_figure(const PlottedRun& run) {
  const Rows rows =
      where(standing_rows(run.cases), [](const Row& row) { return row.number("max_error") > 0.0; });
  const Columns place = {"dtype", "device"};
  return line_figure(
      {.title = "Error of kernels against float64",
       .nothing = "no case has an error against the float64 reference",
       .y = {{.y = {.label = "largest error of an output", .column = "max_error", .log = true},
              .value = shows("max_error"),
              .lines = kernels_of,
              .reference = bounds_of}},
       .panels = panels_by(rows, place, joined({"dtype"}, differing_columns(rows, {"device"}))),
       .notes = {fmt::format(
           "Of each length the worst of the cases that differ in all else (masks, head dims, "
           "threads); {} in all. Naive: the worst error of a naive computation in the type of the "
           "inputs. A case fails above its own tolerance; drawn is the least of each length.",
           counted(rows.size(), "case"))}});
}

}  // namespace qb
