// SPDX-License-Identifier: Apache-2.0
// The three sentences with which the page of a run opens.
#include "base/statistics.h"
#include "base/status.h"
#include "plots/frame/lines.h"
#include "plots/report/report.h"

namespace qb {
namespace {

std::string all_of(std::size_t number, std::size_t of) {
  if (number == of) return of == 1 ? "the one case that ran" : fmt::format("all {} that ran", of);
  return fmt::format("{} of the {} that ran", number, of);
}

std::string what_was_run(const PlottedRun& run, const Rows& rows) {
  const Groups algorithms = group(rows, Columns{"algorithm"});
  std::vector<std::string> ends;
  for (const std::string_view status : all_words<Status>())
    if (const std::size_t found = where(rows, "status", {status}).size(); found > 0)
      ends.push_back(fmt::format("{} {}", found, status));
  const std::string text = fmt::format(
      "{} of {} {}: {}.", counted(rows.size(), "case"),
      algorithms.size() == 1 ? algorithms[0].key[0] : counted(algorithms.size(), "algorithm"),
      all_modelled(run.cases) ? "were predicted by the cost model, and nothing was timed"
                              : "were run",
      listed(ends));
  const std::string& description = run.provenance.description;
  if (description.empty()) return text;
  return description + (description.ends_with('.') ? " " : ". ") + text;
}

std::string what_agrees(const Rows& good) {
  const Rows verified =
      where(good, [](const Row& row) { return !std::isnan(error_over_tolerance(row)); });
  const Rows planned = where(good, [](const Row& row) {
    return row.number("device_peak_bytes") >= 0.0 &&
           row.number("predicted_device_peak_bytes") >= 0.0;
  });
  const std::size_t equal = count(planned, [](const Row& row) {
    const double plan = row.number("predicted_device_peak_bytes");
    return std::abs(row.number("device_peak_bytes") - plan) <= 0.01 * plan;
  });
  const std::string said = listed(
      {verified.empty() ? ""
                        : fmt::format("the outputs of {} agree with a float64 reference, the worst "
                                      "within {:.2g} % of its tolerance",
                                      all_of(verified.size(), good.size()),
                                      kPercent * largest(verified, error_over_tolerance)),
       equal == 0 ? ""
                  : fmt::format("a device holds what the plan counts, to 1 %, in {} of {}", equal,
                                planned.size())},
      "; ");
  return fmt::format("Agrees: {}.", said.empty() ? "nothing was verified" : said);
}

std::string model_error(const Rows& good) {
  std::vector<double> errors;
  for (const Row& row : good)
    if (const double error = std::abs(row.number("model_residual_ratio")); std::isfinite(error))
      errors.push_back(error);
  if (errors.empty()) return {};
  return fmt::format("the cost model is off by {:.2g} % in the median and {:.2g} % at worst",
                     kPercent * median(errors), kPercent * std::ranges::max(errors));
}

std::string what_does_not(const Rows& rows, const Rows& good) {
  std::vector<std::string> reasons;
  for (const Group& status : group(where(rows, std::not_fn(ran)), Columns{"status"}))
    reasons.push_back(status_reason(status));
  const std::size_t lost = rows.size() - good.size();
  const std::size_t late = count(good, disturbed);
  const std::string said = listed(
      {lost == 0 ? ""
                 : fmt::format("{} {} no result ({})", counted(lost, "case"),
                               lost == 1 ? "has" : "have", listed(reasons, "; ")),
       late == 0
           ? ""
           : fmt::format("{} stayed disturbed by other work on the machine", counted(late, "case")),
       model_error(good)},
      "; ");
  return fmt::format("Does not agree: {}.",
                     said.empty() ? "nothing; every case ran and none stayed disturbed" : said);
}

}  // namespace

std::vector<std::string> conclusion(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  if (rows.empty()) return {"No case was run."};
  const Rows good = where(rows, ran);
  return {what_was_run(run, rows), what_agrees(good), what_does_not(rows, good)};
}

}  // namespace qb
