// SPDX-License-Identifier: Apache-2.0
// The error of gradients against float64, relative by the L2 norm: of dQ, dK and dV, a line for
// each algorithm and worker count.
#include "base/schema/column_fields.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kGradients[] = {"dQ", "dK", "dV"};
constexpr std::size_t kMostPanelRows = 4;  // a row has a panel for each gradient

std::string error_column(std::size_t gradient) {
  return std::string(kGradientColumns[gradient]) + "_relative_l2_error";
}

bool has_error(const Row& row) {
  return ran(row) && row.number_at(error_column(0)) >= 0.0;  // an empty field is NaN
}

Groups gradient_lines(const Group& panel) {
  const Columns others = splitting_columns(panel.rows, {"n_tokens", "workers", "algorithm"});
  const Columns told_by = joined({"workers", "algorithm"}, others);
  Groups lines = group(order(panel.rows, "n_tokens"), told_by);
  for (Group& line : lines)
    line.name = name_with(line.key[1], line.rows.front(), joined({"workers"}, others));
  style_by_algorithm(lines, [](const Group& line) { return line.key[1]; });
  return lines;
}

// Says how much of its limit the gradient uses that comes nearest to it.
std::string nearest_note(const Rows& rows) {
  double most = 0.0;
  std::string name;
  for (const Row& row : rows)
    for (std::size_t i = 0; i < std::size(kGradients); ++i) {
      const std::string prefix(kGradientColumns[i]);
      const double used =
          row.number_at(prefix + "_max_error") / row.number_at(prefix + "_tolerance");
      if (!(used > most)) continue;
      most = used;
      name = fmt::format("{} of {}, {}", kGradients[i], row.text("algorithm"),
                         named_values(row, {"workers", "n_tokens", "dtype", "mask"}));
    }
  return name.empty() ? ""
                      : fmt::format(
                            "The largest error that comes nearest to its tolerance uses "
                            "{:.0f} % of it: {}.",
                            kPercent * most, name);
}

}  // namespace

Figure gradient_error_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), has_error);
  const Columns place = {"dtype", "mask", "kernel"};
  Groups panels =
      panels_by(rows, place, joined({"dtype"}, differing_columns(rows, {"mask", "kernel"})));
  const std::string left_out = keep_first(panels, kMostPanelRows, "type, mask and kernel");
  std::vector<LineFigure::Quantity> quantities;
  for (std::size_t i = 0; i < std::size(kGradients); ++i)
    quantities.push_back(
        {.title = kGradients[i],
         .y = {.label = "relative L2 error", .column = error_column(i), .log = true},
         .value = [i](const Row& row) { return Point{.y = row.number_at(error_column(i))}; },
         .lines = gradient_lines,
         .timed = false});
  Figure figure = line_figure(
      {.title = "Error of gradients against float64",
       .nothing = "no case has gradients that were compared with float64",
       .y = std::move(quantities),
       .panels = panels,
       .by_panel = true,
       .last_of_x = true,
       .notes = {"The L2 norm of the error over that of the float64 gradients, over the compared "
                 "rows (dQ) and keys (dK, dV).",
                 nearest_note(rows), left_out}});
  if (!figure.panels.empty()) arrange_panels(figure, static_cast<int>(std::size(kGradients)), 230);
  return figure;
}

}  // namespace qb
