// SPDX-License-Identifier: Apache-2.0
// The three sentences with which the page of a run opens.
#include "base/numbers.h"
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

// How many rows have both values, and how many of these are equal.
std::pair<std::size_t, std::size_t> equal_bytes(const Rows& rows, const char* measured,
                                                const char* predicted) {
  std::pair<std::size_t, std::size_t> equal_of{0, 0};
  for (const Row& row : rows) {
    if (!row.table->has(measured) || !row.table->has(predicted)) continue;
    const double ours = row.number_at(measured);
    const double plan = row.number_at(predicted);
    if (std::isnan(ours) || std::isnan(plan)) continue;
    ++equal_of.second;
    if (std::abs(ours - plan) <= 0.01 * plan) ++equal_of.first;
  }
  return equal_of;
}

std::string what_agrees(const Rows& good) {
  const Rows verified =
      where(good, [](const Row& row) { return !std::isnan(error_over_tolerance(row)); });
  std::vector<std::string> parts;
  if (!verified.empty())
    parts.push_back(fmt::format(
        "the outputs of {} agree with a float64 reference, the worst within {:.2g} % of its "
        "tolerance",
        all_of(verified.size(), good.size()), kPercent * largest(verified, error_over_tolerance)));
  const auto [equal, known] = equal_bytes(good, "device_peak_bytes", "predicted_device_peak_bytes");
  if (equal > 0)
    parts.push_back(
        fmt::format("a device holds what the plan counts, to 1 %, in {} of {}", equal, known));
  if (parts.empty()) return "Agrees: nothing was verified.";
  return fmt::format("Agrees: {}.", listed(parts, "; "));
}

std::string model_error(const Rows& good) {
  std::vector<double> errors;
  for (const Row& row : good)
    if (const double error = std::abs(row.number("model_residual_ratio")); std::isfinite(error))
      errors.push_back(error);
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  return fmt::format("the cost model is off by {:.2g} % in the median and {:.2g} % at worst",
                     kPercent * median(errors), kPercent * errors.back());
}

std::string what_does_not(const Rows& rows, const Rows& good) {
  std::vector<std::string> parts;
  if (good.size() < rows.size()) {
    std::vector<std::string> reasons;
    for (const Group& status : group(where(rows, std::not_fn(ran)), Columns{"status"}))
      reasons.push_back(status_reason(status));
    parts.push_back(fmt::format("{} {} no result ({})", counted(rows.size() - good.size(), "case"),
                                rows.size() - good.size() == 1 ? "has" : "have",
                                listed(reasons, "; ")));
  }
  if (const std::size_t late = count(good, disturbed); late > 0)
    parts.push_back(
        fmt::format("{} stayed disturbed by other work on the machine", counted(late, "case")));
  if (std::string error = model_error(good); !error.empty()) parts.push_back(std::move(error));
  if (parts.empty()) return "Does not agree: nothing; every case ran and none stayed disturbed.";
  return fmt::format("Does not agree: {}.", listed(parts, "; "));
}

}  // namespace

std::vector<std::string> conclusion(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  if (rows.empty()) return {"No case was run."};
  const Rows good = where(rows, ran);
  return {what_was_run(run, rows), what_agrees(good), what_does_not(rows, good)};
}

}  // namespace qb
