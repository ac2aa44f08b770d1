// SPDX-License-Identifier: Apache-2.0
// The error of gradients against float64, relative by the L2 norm, at the longest sequence: a panel
// for each of dQ, dK and dV, in it a row for each algorithm and worker count, a mark for each type.
#include "base/schema/column_fields.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kGradientNames[] = {"dQ", "dK", "dV"};

std::string error_column(std::size_t gradient) {
  return std::string(kGradientColumns[gradient]) + "_relative_l2_error";
}

// The cases of the longest sequence and of the mask and kernel that most of these have.
Rows longest_rows(const Rows& all) {
  const Groups kinds = group(of_largest(all, number_in("n_tokens")), Columns{"mask", "kernel"});
  return kinds.empty() ? Rows{} : std::ranges::max_element(kinds, {}, [](const Group& kind) {
                                    return kind.rows.size();
                                  })->rows;
}

std::string row_name(const Row& row, const Columns& others) {
  return name_with(row.text("algorithm"), row, joined({"workers"}, others));
}

double largest_error(const Row& row) {
  double most = 0.0;
  for (std::size_t i = 0; i < std::size(kGradientNames); ++i)
    most = std::fmax(most, row.number_at(error_column(i)));
  return most;
}

// Says the largest error of each type, where sums travel as float32.
std::string errors_title(const Rows& rows) {
  std::vector<std::string> said;
  const Rows plain = where(rows, [](const Row& row) {
    return !row.table->has("gradient_dtype") || row.is("gradient_dtype", "") ||
           row.is("gradient_dtype", "f32");
  });
  for (const Group& type : group(plain, Columns{"dtype"}))
    said.push_back(fmt::format("{:.1e} in {}", largest(type.rows, largest_error), type.key[0]));
  if (said.empty()) return "Error of gradients against float64";
  return fmt::format("At {} gradients are off by at most {}{}",
                     named_values(rows.front(), {"n_tokens"}), listed(said),
                     plain.size() < rows.size() ? ", where sums travel in f32" : "");
}

}  // namespace

Figure gradient_error_figure(const PlottedRun& run) {
  const Rows all = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && row.number_at(error_column(0)) >= 0.0;  // an empty field is NaN
  });
  const Rows rows = longest_rows(all);
  const Columns others = splitting_columns(rows, {"n_tokens", "workers", "algorithm", "dtype"});
  Axis names{.label = "", .column = "line_index", .reversed = true};
  std::map<std::string, double> places;
  for (const Group& one : group(rows, joined({"workers", "algorithm"}, others))) {
    const std::string name = row_name(one.rows.front(), others);
    names.tics.push_back({places[name] = static_cast<double>(names.tics.size()), name});
  }
  Groups types = group(rows, Columns{"dtype"});
  std::map<std::string, double> shifts;  // of types from the middle of a row
  for (Group& type : types) {
    shifts[type.key[0]] =
        0.25 * (static_cast<double>(shifts.size()) - 0.5 * static_cast<double>(types.size() - 1));
    type.name = type.key[0];
    type.style = dtype_style(type.key[0]);
    type.draw = Draw::points;
  }
  std::vector<LineFigure::Quantity> quantities;
  for (std::size_t i = 0; i < std::size(kGradientNames); ++i)
    quantities.push_back({.title = kGradientNames[i],
                          .y = names,
                          .value =
                              [&, i](const Row& row) {
                                return Point{.x = row.number_at(error_column(i)),
                                             .y = places.at(row_name(row, others)) +
                                                  shifts.at(row.text("dtype"))};
                              },
                          .timed = false});
  Figure figure = line_figure(
      {.title = errors_title(rows),
       .nothing = "no case has gradients that were compared with float64",
       .lines = types,
       .y = std::move(quantities),
       .x_axis = fixed({.label = "relative L2 error", .column = "relative_l2_error", .log = true}),
       .shared_axes = true,
       .notes = {not_drawn({{.number = all.size() - rows.size(),
                             .what = "case",
                             .reason = "shorter, or of another mask or kernel",
                             .of = all.size()}}),
                 rounding_note(rows, largest_error)}});
  if (!figure.panels.empty()) arrange_panels(figure, static_cast<int>(std::size(kGradientNames)));
  return figure;
}

}  // namespace qb
