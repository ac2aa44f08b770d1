// SPDX-License-Identifier: Apache-2.0
// The three sentences with which the page of a run opens.
#include "base/statistics.h"
#include "base/status.h"
#include "plots/frame/lines.h"
#include "plots/report/report.h"

namespace qb {
namespace {

std::string what_was_run(const PlottedRun& run, const Rows& rows) {
  const Groups algorithms = group(rows, Columns{"algorithm"});
  std::vector<std::string> ends;
  for (const std::string_view status : all_words<Status>())
    if (const std::size_t found = where(rows, "status", {status}).size(); found > 0)
      ends.push_back(fmt::format("{} {}", found, status));
  const std::string& unfinished = run.provenance.unfinished;
  return fmt::format(
      "{} of {} {}: {}{}.", counted(rows.size(), "case"),
      algorithms.size() == 1 ? algorithms[0].key[0] : counted(algorithms.size(), "algorithm"),
      all_modelled(run.cases) ? "were predicted by the cost model, and nothing was timed"
                              : "were run",
      listed(ends), unfinished.empty() ? "" : fmt::format(" ({})", unfinished));
}

std::string model_error(const Rows& good) {
  std::vector<double> errors;
  for (const Row& row : good)
    if (const double error = std::abs(row.number("model_residual_ratio")); std::isfinite(error))
      errors.push_back(error);
  if (errors.empty()) return {};
  return fmt::format("times with the cost model, by {:.2g} % in the median and {:.2g} % at worst",
                     kPercent * median(errors), kPercent * std::ranges::max(errors));
}

}  // namespace

std::vector<std::string> conclusion(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  if (rows.empty()) return {"No case was run."};
  const Rows good = where(rows, ran);
  const Rows verified =
      where(good, [](const Row& row) { return !std::isnan(error_over_tolerance(row)); });
  const Rows planned = where(good, [](const Row& row) {
    return row.number("device_peak_bytes") >= 0.0 &&
           row.number("predicted_device_peak_bytes") >= 0.0;
  });
  const std::size_t as_planned = count(planned, [](const Row& row) {
    const double plan = row.number("predicted_device_peak_bytes");
    return std::abs(row.number("device_peak_bytes") - plan) <= 0.01 * plan;
  });
  std::vector<std::string> same;
  std::vector<std::string> other;
  const auto compare = [&](const char* what, std::size_t equal, std::size_t all,
                           const std::string& with) {
    if (equal > 0) same.push_back(fmt::format("{} of {} {} {}", equal, all, what, with));
    if (equal < all) other.push_back(fmt::format("{} of {} {}", all - equal, all, what));
  };
  compare("outputs", verified.size(), verified.size() + where(rows, "status", {"incorrect"}).size(),
          fmt::format("with a float64 reference (the largest error is {:.2g} % of its tolerance)",
                      kPercent * largest(verified, error_over_tolerance)));
  compare("peaks of memory", as_planned, planned.size(), "with their plans, to 1 %");
  other.push_back(model_error(good));
  const std::string differ = listed(other, "; ");
  return {
      what_was_run(run, rows),
      fmt::format("Agrees: {}.", same.empty() ? "nothing was verified" : listed(same, "; ")),
      fmt::format("Does not agree: {}.", differ.empty() ? "nothing that was compared" : differ)};
}

std::vector<std::string> remarks(const PlottedRun& run) {
  std::vector<std::string> said;
  if (const std::size_t late = count(where(standing_rows(run.cases), ran), disturbed); late > 0)
    said.push_back(
        fmt::format("{} stayed disturbed by other work on the machine.", counted(late, "case")));
  if (run.cases.torn())
    said.emplace_back("The last line of cases.csv is torn (its writer was killed) and left out.");
  return said;
}

}  // namespace qb
