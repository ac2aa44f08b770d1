// SPDX-License-Identifier: Apache-2.0
// How far the cost model is off: measured over modelled wall clock, minus one, and published over
// predicted time, the algorithm that the model knows best on top.
#include "base/host_activity.h"
#include "base/statistics.h"
#include "plots/figures/dots.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

std::uint32_t colour_of(const std::string& algorithm) {
  return algorithm.empty() ? kGrey : algorithm_style(algorithm).colour;
}

// Says on which side of `equal` most values are, and how far: `43 of 44 cases took longer than
// modelled (median 11.7 %, nine of ten at most 18.8 %)`.
std::string side_title(std::vector<double> values, double equal, std::string_view what,
                       std::string_view than, std::string_view unit) {
  std::ranges::sort(values);
  const auto above = std::ranges::count_if(values, [=](double value) { return value > equal; });
  const bool longer = 2 * above >= std::ssize(values);
  const auto below = std::ranges::count_if(values, [=](double value) { return value < equal; });
  return fmt::format("{} of {} {} than {} (median {:.3g}{}, nine of ten at most {:.3g}{})",
                     longer ? above : below, counted(values.size(), what),
                     longer ? "took longer" : "were faster", than, median(values), unit,
                     values[(9 * values.size() - 1) / 10], unit);
}

double slowness(const Row& row) { return row.number_at("published_over_predicted_time"); }
double factor(const Row& row) { return std::fmax(slowness(row), 1.0 / slowness(row)); }

// What the CSV says of a published case: its numbers are in the unit of its table.
const Columns kCaseColumns = {"n_tokens",     "workers", "published", "predicted",
                              "time_or_rate", "table",   "line"};

std::string worst_note(const Rows& rows) {
  if (rows.empty()) return {};
  const Row& worst = *std::ranges::max_element(rows, {}, factor);
  return fmt::format("It is off by {:.2f} at worst: {}.", factor(worst), worst.at("case"));
}

constexpr const char* kResidual = "model_residual_ratio";

double residual_percent(const Row& row) { return kPercent * row.number(kResidual); }

// More workers than cores share them in the model too.
bool residual_counts(const Row& row) {
  return !disturbed(row) || row.is("disturbed_by", word(Disturbance::oversubscribed));
}

// Groups by algorithm or, if there is one alone, by who played its workers.
Groups groups_of(const Rows& rows) {
  const bool several = group(rows, Columns{"algorithm"}).size() > 1;
  Groups groups = group(rows, several ? Columns{"algorithm"} : Columns{"algorithm", "ranks"});
  for (Group& one : groups) one.name = listed(one.key);
  std::ranges::stable_sort(groups, {}, [](const Group& one) {
    return std::abs(median(numbers_of(one.rows, residual_percent)));
  });
  return groups;
}

// Says which device the model is of: it need not be the one that was measured.
std::string modelled_devices(const Rows& rows) {
  std::vector<std::string> names;
  for (const Group& one : group(rows, Columns{"model_device"}))
    if (!one.key[0].empty()) names.push_back(named_value("model_device", one.key[0]));
  return names.empty() ? "" : fmt::format("Modelled device: {}.", listed(names, " and "));
}

// Says how far the intervals of the measured medians reach.
std::string interval_reach(const Rows& rows) {
  double reach = 0.0;
  for (const Row& row : rows) {
    const Point time = timed(row, "wall_time", 1.0);
    reach = std::fmax(reach, std::fmax(time.high / time.y - 1.0, 1.0 - time.low / time.y));
  }
  if (!(reach > 0.0)) return {};
  return fmt::format("Not drawn: intervals of the medians (at most {:.0f} % wide).",
                     kPercent * reach);
}

}  // namespace

Figure model_grade_figure(const CsvTable& graded) {
  const Rows rows = all_rows(graded);
  Groups algorithms = group(rows, Columns{"algorithm"});
  for (Group& one : algorithms) one.name = one.key[0];
  std::ranges::stable_sort(algorithms, {},
                           [](const Group& one) { return median(numbers_of(one.rows, factor)); });
  Figure figure = dot_figure(
      {.title = rows.empty() ? "Published measurements beside the cost model"
                             : side_title(numbers_of(rows, slowness), 1.0, "published measurement",
                                          "predicted", " times"),
       .nothing = "no published measurement has a prediction",
       .rows = algorithms,
       .value = slowness,
       .x = {.label = "published / predicted time",
             .column = "published_over_predicted_time",
             .log = true},
       .told_by = "device",
       .look =
           [](const std::string& row, std::size_t place, const std::string&) {
             return Style{colour_of(row), static_cast<int>(place)};
           },
       .mark_name = "a published case, ",
       .hollow = true,
       .more = kCaseColumns,
       .line = "published = predicted",
       .line_at = 1.0,
       .notes = {worst_note(rows),
                 "Right of 1 the published case took longer; no device was made from them."}});
  figure.name = "model_grade";
  figure.finding = "Published over predicted time of each published measurement, by scheme.";
  return figure;
}

Figure model_residual_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && !std::isnan(row.number(kResidual)) &&
           row.number("modelled_wall_time_s") > 0.0;
  });
  const Rows counted = where(rows, residual_counts);
  return dot_figure(
      {.title = counted.empty() ? "Measured against modelled wall clock"
                                : side_title(numbers_of(counted, residual_percent), 0.0, "case",
                                             "modelled", " %"),
       .nothing = "no case has a measured time beside a modelled one",
       .rows = groups_of(rows),
       .value = residual_percent,
       .counted = residual_counts,
       .x = {.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"},
       .told_by = "ranks",
       .look =
           [](const std::string& row, std::size_t, const std::string& ranks) {
             return Style{colour_of(row), ranks_mark(ranks)};
           },
       .mark_name = "a case, ",
       .line = "measured = modelled",
       .notes = {"Above zero a case took longer than modelled. Lines: ranges of an algorithm.",
                 modelled_devices(rows), interval_reach(rows)}});
}

}  // namespace qb
