// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/schema/column_fields.h"
#include "base/schema/run_tables.h"
#include "harness/experiment/audit/matching.h"
#include "harness/experiment/store/machine.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

constexpr double kMinSamples = 3.0;
constexpr double kMemoryTolerance = 0.01;

using Change = RunComparison::Change;
using Side = RunComparison::Side;
using Verdict = RunComparison::Verdict;

// Ranks how bad a status is: a reached limit is a result, a wrong or lost output is a failure.
double severity(Status status) {
  if (status == Status::ok) return 0.0;
  if (is_allowed(status)) return 1.0;
  return status == Status::timeout || status == Status::interrupted ? 2.0 : 3.0;
}

// More is worse; NaN is the same as anything.
Change change_of(double a, double b, double tolerance) {
  if (b > a * (1.0 + tolerance)) return Change::worse;
  return b < a * (1.0 - tolerance) ? Change::better : Change::same;
}

void require_comparable(const RunFolder& a, const RunFolder& b, bool across_devices) {
  for (const RunFolder* run : {&a, &b})
    if (!is_readable_schema(run->manifest.schema_version))
      throw ExitError(
          ExitCode::not_comparable,
          fmt::format("{} has schema_version {}, this qb reads {} to {}; run it again "
                      "with this qb, or compare with the one that wrote it",
                      run->path, run->manifest.schema_version, kOldestSchema, kSchemaVersion));
  if (a.manifest.device_fingerprint != b.manifest.device_fingerprint && !across_devices)
    throw ExitError(ExitCode::not_comparable,
                    fmt::format("the runs are from different devices ({}; {}); --across-devices "
                                "compares them nevertheless, and labels them",
                                a.manifest.device_fingerprint, b.manifest.device_fingerprint));
}

Side side_of(const RunFolder& run, std::size_t row, const CompareOptions& options) {
  return {row_status(run, row), timing_of(run.cases, row, options.metric),
          Row{&run.cases, row}.number("active_memory_peak_bytes"),
          values_of(run, row, options.ignore)};
}

// Compares what does not depend on time, where both rows have it, and what tiles and threads decide
// where kernels and machines are the same.
void compare_exactly(const Row& a, const Row& b, RunComparison& comparison, std::string& unequal) {
  const bool same_tiles =
      comparison.device_a == comparison.device_b &&
      std::ranges::all_of(kParameterFields, [&](const Field& field) {
        return field.group != FieldGroup::means || a.at(field.column) == b.at(field.column);
      });
  for (const Field& field : kResultFields) {
    const std::string& in_a = a.at(field.column);
    const std::string& in_b = b.at(field.column);
    if (!field.is_exact() || (field.tiled && !same_tiles) || in_a.empty() || in_b.empty()) continue;
    ++comparison.exact_values;
    if (in_a != in_b) unequal += fmt::format("{}{}", unequal.empty() ? "" : " ", field.column);
  }
}

// Names rows that stayed disturbed, a machine that was busy when the run began, and by how much
// the same case differed from itself.
void add_cautions(char name, const RunFolder& run, std::vector<std::string>& cautions) {
  std::map<std::string, std::size_t> causes;
  std::size_t disturbed = 0;
  for (std::size_t row = 0; row < run.cases.size(); ++row)
    if (const std::string& by = Row{&run.cases, row}.text("disturbed_by"); !by.empty()) {
      ++disturbed;
      ++causes[by];
    }
  std::string causes_text;
  for (const auto& [cause, count] : causes)
    causes_text += fmt::format("{}{} {}", causes_text.empty() ? "" : ", ", count, cause);
  if (disturbed > 0)
    cautions.push_back(fmt::format("CAUTION: {} of the {} cases of {} stayed disturbed ({}).",
                                   disturbed, run.cases.size(), name, causes_text));
  const Manifest& manifest = run.manifest;
  if (manifest.processors > 0 &&
      manifest.load_average > kBusyLoad * static_cast<double>(manifest.processors))
    cautions.push_back(
        fmt::format("CAUTION: the machine was busy when {} began (load average {:.2f} on {} {}).",
                    name, manifest.load_average, manifest.processors,
                    manifest.processors == 1 ? "processor" : "processors"));
  if (run.cases.size() < manifest.n_cases)
    cautions.push_back(fmt::format("CAUTION: {} has {} of {} cases: it is not finished.", name,
                                   run.cases.size(), manifest.n_cases));
  if (manifest.noise_floor)
    cautions.push_back(fmt::format("{}: {}.", name, manifest.noise_floor->text()));
}

}  // namespace

std::size_t RunComparison::regressions() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, &Row::regression));
}

IntervalColumns judged_clock(std::string_view ranks) {
  return ranks == word(Ranks::threads) ? IntervalColumns("wall_time")
                                       : IntervalColumns("critical_path");
}

RunComparison::Timing timing_of(const CsvTable& cases, std::size_t row, const std::string& metric) {
  const std::string name =
      metric.empty() ? std::string(judged_clock(Row{&cases, row}.text("ranks")).name()) : metric;
  const bool counts = name == kInstructions;
  const std::string unit = counts ? "" : "_s";
  return {cases.number(row, name + "_median" + unit),
          cases.number(row, name + "_low95" + unit),
          cases.number(row, name + "_high95" + unit),
          Row{&cases, row}.number("n_samples"),
          counts || !cases.has("disturbed_by") ? "" : Row{&cases, row}.text("disturbed_by"),
          cases.has("interval_coverage") ? Row{&cases, row}.number("interval_coverage")
                                         : std::numeric_limits<double>::quiet_NaN()};
}

Verdict ratio_verdict(double ratio, double low, double high, double threshold) {
  if (!std::isfinite(ratio) || !std::isfinite(low) || !std::isfinite(high)) return Verdict::untimed;
  if (low > 1.0 && ratio > 1.0 + threshold) return Verdict::slow;
  if (high < 1.0 && ratio < 1.0 - threshold) return Verdict::fast;
  if (low >= 1.0 - threshold && high <= 1.0 + threshold) return Verdict::same;
  return Verdict::ambiguous;
}

Verdict time_verdict(const RunComparison::Timing& a, const RunComparison::Timing& b,
                     double threshold) {
  const Verdict verdict = ratio_verdict(b.median_s / a.median_s, b.low95_s / a.high95_s,
                                        b.high95_s / a.low95_s, threshold);
  if (verdict == Verdict::untimed) return verdict;
  const bool few = !(a.n_samples >= kMinSamples) || !(b.n_samples >= kMinSamples);
  const bool disturbed = !a.disturbed_by.empty() || !b.disturbed_by.empty();
  return few || disturbed ? Verdict::ambiguous : verdict;
}

RunComparison compare_runs(const RunFolder& a, const RunFolder& b, const CompareOptions& options) {
  const std::vector<std::string> identity = identity_without(options.ignore);
  require_comparable(a, b, options.across_devices);
  const CaseRows rows_a = rows_by_case(a, identity, options.ignore);
  const CaseRows rows_b = rows_by_case(b, identity, options.ignore);
  const RunFolder* const both[] = {&a, &b};
  const std::vector<std::string> columns = label_columns(both, identity);
  RunComparison comparison;
  comparison.device_a = a.manifest.device_fingerprint;
  comparison.device_b = b.manifest.device_fingerprint;
  comparison.ignored = options.ignore;
  add_cautions('A', a, comparison.cautions);
  add_cautions('B', b, comparison.cautions);
  for (const auto& [key, row_a] : rows_a) {
    const std::string label = label_of(a, row_a, columns);
    const auto match = rows_b.find(key);
    if (match == rows_b.end()) {
      comparison.missing.push_back(label);
      continue;
    }
    const Side in_a = side_of(a, row_a, options);
    const Side in_b = side_of(b, match->second, options);
    comparison.cases.push_back({label, in_a, in_b, in_b.time.median_s / in_a.time.median_s,
                                time_verdict(in_a.time, in_b.time, options.threshold),
                                change_of(in_a.memory_bytes, in_b.memory_bytes, kMemoryTolerance),
                                change_of(severity(in_a.status), severity(in_b.status), 0.0)});
    compare_exactly({&a.cases, row_a}, {&b.cases, match->second}, comparison,
                    comparison.cases.back().unequal);
  }
  for (const auto& [key, row_b] : rows_b)
    if (!rows_a.contains(key)) comparison.added.push_back(label_of(b, row_b, columns));
  if (comparison.cases.empty())
    throw ExitError(ExitCode::not_comparable,
                    fmt::format("{} and {} have no case in common", a.path, b.path));
  return comparison;
}

}  // namespace qb
