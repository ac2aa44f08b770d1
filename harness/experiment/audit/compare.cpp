#include "harness/experiment/audit/compare.h"
#include "base/schema/column_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

constexpr double kMinSamples = 3.0;
constexpr double kMemoryTolerance = 0.01;

using Key = std::vector<std::string>;
using Columns = std::vector<std::string>;
using Change = RunComparison::Change;
using Side = RunComparison::Side;
using Verdict = RunComparison::Verdict;

Key values_of(const RunFolder& run, std::size_t row, const Columns& columns) {
  Key values;
  for (const std::string& column : columns) values.push_back(run.cases.text(row, column));
  return values;
}

// The parameters that make two rows the same case.
Columns identity_without(const Columns& ignored) {
  std::vector<std::string_view> known;
  for (const Field& field : kParameterFields) known.push_back(field.column);
  known.emplace_back("isa");  // no parameter, but it names a kernel together with `kernel`
  for (const std::string& key : ignored)
    if (std::ranges::find(known, key) == known.end())
      throw UsageError("--ignore: " + unknown_word("key", key, known));
  Columns identity;
  for (const Field& field : kParameterFields)
    if (std::ranges::find(ignored, field.column) == ignored.end())
      identity.emplace_back(field.column);
  return identity;
}

// `kernel=flash isa=avx512`
std::string assignments(const Columns& columns, const Key& values) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", columns[i], values[i]);
  return text;
}

[[noreturn]] void refuse_repeated(const RunFolder& run, std::size_t first, std::size_t second,
                                  const Columns& ignored) {
  const Key one = values_of(run, first, ignored);
  const Key other = values_of(run, second, ignored);
  if (one == other)
    throw UsageError(
        fmt::format("{}/cases.csv: record {} repeats the parameters of an earlier one; `qb "
                    "verify` lists such rows",
                    run.path, second + 1));
  throw UsageError(fmt::format(
      "--ignore: it makes records {} and {} of {}/cases.csv the same case ({}; {}); "
      "ignore less, or compare a run that has one of the two",
      first + 1, second + 1, run.path, assignments(ignored, one), assignments(ignored, other)));
}

// Compares numbers as numbers, so that N = 512 comes before N = 1024.
bool key_before(const Key& a, const Key& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end()) return false;
  const auto number_a = parse_real(*in_a);
  const auto number_b = parse_real(*in_b);
  const bool numbers = number_a && number_b && *number_a != *number_b;
  return numbers ? *number_a < *number_b : *in_a < *in_b;
}

// Rows by their parameters, in the order of these, since cases run in random order.
using Rows = std::map<Key, std::size_t, decltype(&key_before)>;

Rows rows_by_key(const RunFolder& run, const Columns& identity, const Columns& ignored) {
  Rows rows(key_before);
  for (std::size_t row = 0; row < run.cases.size(); ++row)
    if (const auto [at, is_new] = rows.emplace(values_of(run, row, identity), row); !is_new)
      refuse_repeated(run, at->second, row, ignored);
  return rows;
}

// Returns the parameters that distinguish a case from the others of both runs.
Columns label_columns(const RunFolder& a, const RunFolder& b, const Columns& identity) {
  std::map<std::string, std::set<std::string>> values;
  for (const RunFolder* run : {&a, &b})
    for (std::size_t row = 0; row < run->cases.size(); ++row)
      for (const std::string& column : identity)
        values[column].insert(run->cases.text(row, column));
  Columns columns;
  std::ranges::copy_if(identity, std::back_inserter(columns), [&](const std::string& column) {
    const bool follows_workers = column == "interest_set" && values["workers"].size() > 1;
    return column == "algorithm" || (values[column].size() > 1 && !follows_workers);
  });
  return columns;
}

std::string label_of(const RunFolder& run, std::size_t row, const Columns& columns) {
  std::string label;
  for (const std::string& column : columns) {
    const std::string& value = run.cases.text(row, column);
    const bool square = column == "kv_len" && value == run.cases.text(row, "n_tokens");
    if (!value.empty() && !square) label += (label.empty() ? "" : " ") + column + '=' + value;
  }
  return label;
}

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
    if (run->manifest.schema_version != kSchemaVersion)
      throw ExitError(ExitCode::not_comparable,
                      fmt::format("{} has schema_version {}, this qb reads {}; run it again with "
                                  "this qb, or compare with the one that wrote it",
                                  run->path, run->manifest.schema_version, kSchemaVersion));
  if (a.manifest.device_fingerprint != b.manifest.device_fingerprint && !across_devices)
    throw ExitError(ExitCode::not_comparable,
                    fmt::format("the runs are from different devices ({}; {}); --across-devices "
                                "compares them nevertheless, and labels them",
                                a.manifest.device_fingerprint, b.manifest.device_fingerprint));
}

Side side_of(const RunFolder& run, std::size_t row, const CompareOptions& options) {
  const CsvTable& cases = run.cases;
  const std::string by_ranks =
      cases.text(row, "ranks") == "threads" ? "wall_time" : "critical_path";
  const std::string name = options.metric.empty() ? by_ranks : options.metric;
  return {row_status(run, row),
          {cases.number(row, name + "_median_s"), cases.number(row, name + "_low95_s"),
           cases.number(row, name + "_high95_s"), cases.number(row, "n_samples")},
          cases.number(row, "active_memory_peak_bytes"),
          values_of(run, row, options.ignore)};
}

}  // namespace

std::size_t RunComparison::regressions() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, &Row::regression));
}

Verdict time_verdict(const RunComparison::Timing& a, const RunComparison::Timing& b,
                     double threshold) {
  const double ratio = b.median_s / a.median_s;
  const double low = b.low95_s / a.high95_s;
  const double high = b.high95_s / a.low95_s;
  if (!std::isfinite(ratio) || !std::isfinite(low) || !std::isfinite(high)) return Verdict::untimed;
  if (!(a.n_samples >= kMinSamples) || !(b.n_samples >= kMinSamples)) return Verdict::ambiguous;
  if (low > 1.0 && ratio > 1.0 + threshold) return Verdict::slow;
  if (high < 1.0 && ratio < 1.0 - threshold) return Verdict::fast;
  if (low >= 1.0 - threshold && high <= 1.0 + threshold) return Verdict::same;
  return Verdict::ambiguous;
}

RunComparison compare_runs(const RunFolder& a, const RunFolder& b, const CompareOptions& options) {
  const Columns identity = identity_without(options.ignore);
  require_comparable(a, b, options.across_devices);
  const Rows rows_a = rows_by_key(a, identity, options.ignore);
  const Rows rows_b = rows_by_key(b, identity, options.ignore);
  const Columns columns = label_columns(a, b, identity);
  RunComparison comparison;
  comparison.device_a = a.manifest.device_fingerprint;
  comparison.device_b = b.manifest.device_fingerprint;
  comparison.ignored = options.ignore;
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
  }
  for (const auto& [key, row_b] : rows_b)
    if (!rows_a.contains(key)) comparison.added.push_back(label_of(b, row_b, columns));
  if (comparison.cases.empty())
    throw ExitError(ExitCode::not_comparable,
                    fmt::format("{} and {} have no case in common", a.path, b.path));
  return comparison;
}

}  // namespace qb
