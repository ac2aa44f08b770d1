// SPDX-License-Identifier: Apache-2.0
// How far the cost model is from published measurements: published over predicted time. Each
// algorithm has a row with a mark for each case, their range and their median, the one that the
// model knows best on top.
#include "base/statistics.h"
#include "plots/figures/dot_rows.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

double slowness(const Row& row) { return row.number_at("published_over_predicted_time"); }
double factor(const Row& row) { return std::fmax(slowness(row), 1.0 / slowness(row)); }

// What the CSV says of a published case: its numbers are in the unit of its table.
const Columns kCaseColumns = {"n_tokens",     "workers", "published", "predicted",
                              "time_or_rate", "table",   "line"};

// Makes the marks of each algorithm, a line for each device.
Groups marks_of_devices(const Groups& algorithms, const Groups& devices) {
  Groups lines;
  for (std::size_t row = 0; row < algorithms.size(); ++row)
    for (std::size_t slot = 0; slot < devices.size(); ++slot) {
      const std::string& algorithm = algorithms[row].key[0];
      const std::string& device = devices[slot].key[0];
      Group marks{.rows = where(algorithms[row].rows, "device", {device}),
                  .name = listed({algorithm, device}),
                  .style = {algorithm_style(algorithm).colour, static_cast<int>(slot)},
                  .thin = true,
                  .in_legend = false,
                  .draw = Draw::points};
      marks.value = [y = dot_place(row, slot, devices.size())](const Row& one) {
        return Point{.x = slowness(one), .y = y, .more = values_of(one, kCaseColumns)};
      };
      lines.push_back(std::move(marks));
    }
  return lines;
}

std::string grade_title(const Rows& rows) {
  if (rows.empty()) return "Published measurements beside the cost model";
  return fmt::format("The cost model is off by a factor of {:.2f} in the median of {}",
                     median(numbers_of(rows, factor)),
                     counted(rows.size(), "published measurement"));
}

std::string worst_note(const Rows& rows) {
  if (rows.empty()) return {};
  const Row& worst = *std::ranges::max_element(rows, {}, factor);
  return fmt::format("It is off by {:.2f} at worst: {}.", factor(worst), worst.at("case"));
}

}  // namespace

Figure model_grade_figure(const CsvTable& graded) {
  const Rows rows = all_rows(graded);
  Groups algorithms = group(rows, Columns{"algorithm"});
  std::ranges::stable_sort(algorithms, {},
                           [](const Group& one) { return median(numbers_of(one.rows, factor)); });
  const Groups devices = group(rows, Columns{"device"});
  std::vector<DotRow> dots;
  for (const Group& one : algorithms)
    dots.push_back(
        {one.key[0], algorithm_style(one.key[0]).colour, numbers_of(one.rows, slowness)});
  std::vector<Series> keys;
  for (std::size_t slot = 0; slot < devices.size(); ++slot)
    keys.push_back(legend_key("a published case, " + devices[slot].key[0],
                              {kGrey, static_cast<int>(slot)}, Draw::points, true));
  Figure figure = line_figure(
      {.title = grade_title(rows),
       .nothing = "no published measurement has a prediction",
       .lines = marks_of_devices(algorithms, devices),
       .y = {{.y = dot_rows_axis("algorithm_index", dots),
              .reference =
                  [&](const Group&) {
                    return dot_row_summaries(dots, "published = predicted", 1.0);
                  }}},
       .x_axis = fixed({.label = "published / predicted time",
                        .column = "published_over_predicted_time",
                        .log = true}),
       .keys = keys,
       .notes = {worst_note(rows),
                 "Right of 1 the published case took longer than the model says; no device was "
                 "made from these rows."}});
  figure.name = "model_grade";
  figure.more_columns = kCaseColumns;
  return figure;
}

}  // namespace qb
