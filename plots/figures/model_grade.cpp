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
  Figure figure = dot_figure(
      {.title = grade_title(rows),
       .nothing = "no published measurement has a prediction",
       .rows = algorithms,
       .value = slowness,
       .x = {.label = "published / predicted time",
             .column = "published_over_predicted_time",
             .log = true},
       .y_column = "algorithm_index",
       .told_by = "device",
       .mark = [](std::size_t place, const std::string&) { return static_cast<int>(place); },
       .mark_name = "a published case, ",
       .hollow = true,
       .more = kCaseColumns,
       .line = "published = predicted",
       .line_at = 1.0,
       .notes = {worst_note(rows),
                 "Right of 1 the published case took longer than the model says; no device was "
                 "made from these rows."}});
  figure.name = "model_grade";
  figure.finding = "Published over predicted time of each published measurement, by scheme.";
  return figure;
}

}  // namespace qb
