#include "harness/experiment/audit/compare.h"
#include "base/schema/column_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "harness/workload/result.h"

namespace qb {
namespace {

constexpr double kMinSamples = 3.0;
constexpr double kMemoryTolerance = 0.01;

using Key = std::vector<std::string>;
using Columns = std::vector<std::string>;

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
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw UsageError("--ignore: " + unknown_word("key", key, known));
  Columns identity;
  for (const Field& field : kParameterFields)
    if (std::find(ignored.begin(), ignored.end(), field.column) == ignored.end())
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

std::map<Key, std::size_t> rows_by_key(const RunFolder& run, const Columns& identity,
                                       const Columns& ignored) {
  std::map<Key, std::size_t> rows;
  for (std::size_t row = 0; row < run.cases.size(); ++row)
    if (const auto [at, is_new] = rows.emplace(values_of(run, row, identity), row); !is_new)
      refuse_repeated(run, at->second, row, ignored);
  return rows;
}

// Compares numbers as numbers, so that N = 512 comes before N = 1024.
bool key_before(const Key& a, const Key& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const auto number_a = parse_real(a[i]);
    const auto number_b = parse_real(b[i]);
    return number_a && number_b ? *number_a < *number_b : a[i] < b[i];
  }
  return false;
}

// Sorts rows by their parameters, since they run in random order.
std::vector<std::size_t> sorted_rows(const RunFolder& run, const Columns& identity) {
  std::vector<std::size_t> rows(run.cases.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return key_before(values_of(run, a, identity), values_of(run, b, identity));
  });
  return rows;
}

// Names a case by the parameters that distinguish it from the others of both runs.
class Labels {
 public:
  Labels(const RunFolder& a, const RunFolder& b, const Columns& identity) {
    std::map<std::string, std::set<std::string>> values;
    for (const RunFolder* run : {&a, &b})
      for (std::size_t row = 0; row < run->cases.size(); ++row)
        for (const std::string& column : identity)
          values[column].insert(run->cases.text(row, column));
    for (const std::string& column : identity) {
      const bool follows_workers = column == "interest_set" && values["workers"].size() > 1;
      if (column == "algorithm" || (values[column].size() > 1 && !follows_workers))
        columns_.push_back(column);
    }
  }
  [[nodiscard]] std::string of(const RunFolder& run, std::size_t row) const {
    std::string label;
    for (const std::string& column : columns_) {
      const std::string& value = run.cases.text(row, column);
      const bool square = column == "kv_len" && value == run.cases.text(row, "n_tokens");
      if (!value.empty() && !square) label += (label.empty() ? "" : " ") + column + '=' + value;
    }
    return label;
  }

 private:
  Columns columns_;
};

Timing timing_of(const CsvTable& cases, std::size_t row, std::optional<Metric> metric) {
  const Metric by_ranks =
      cases.text(row, "ranks") == "threads" ? Metric::wall_time : Metric::critical_path;
  const std::string name(word(metric.value_or(by_ranks)));
  return {cases.number(row, name + "_median_s"), cases.number(row, name + "_low95_s"),
          cases.number(row, name + "_high95_s"), cases.number(row, "n_samples")};
}

// Ranks how bad a status is: a limit that was reached is a result, a wrong or lost output is a
// failure.
int severity(Status status) {
  switch (status) {
    case Status::ok:
      return 0;
    case Status::oom:
    case Status::oom_skipped:
    case Status::infeasible:
    case Status::unsupported:
      return 1;
    case Status::timeout:
    case Status::interrupted:
      return 2;
    case Status::incorrect:
    case Status::crashed:
    case Status::error:
      return 3;
  }
  return 3;
}

Change compare_statuses(Status a, Status b) {
  if (severity(b) > severity(a)) return Change::worse;
  return severity(b) < severity(a) ? Change::better : Change::same;
}

Change compare_memory(double a, double b) {
  if (b > a * (1.0 + kMemoryTolerance)) return Change::worse;
  return b < a * (1.0 - kMemoryTolerance) ? Change::better : Change::same;
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
                                "compares them all the same, labelled",
                                a.manifest.device_fingerprint, b.manifest.device_fingerprint));
}

// Fills everything but the label.
CaseComparison compare_rows(const RunFolder& a, std::size_t row_a, const RunFolder& b,
                            std::size_t row_b, const CompareOptions& options) {
  CaseComparison c;
  c.status_a = row_status(a, row_a);
  c.status_b = row_status(b, row_b);
  c.status = compare_statuses(c.status_a, c.status_b);
  c.a = timing_of(a.cases, row_a, options.metric);
  c.b = timing_of(b.cases, row_b, options.metric);
  c.ratio = c.b.median_s / c.a.median_s;
  c.verdict = time_verdict(c.a, c.b, options.threshold);
  c.memory_a_bytes = a.cases.number(row_a, "active_memory_peak_bytes");
  c.memory_b_bytes = b.cases.number(row_b, "active_memory_peak_bytes");
  c.memory = compare_memory(c.memory_a_bytes, c.memory_b_bytes);
  c.ignored_a = values_of(a, row_a, options.ignore);
  c.ignored_b = values_of(b, row_b, options.ignore);
  return c;
}

}  // namespace

std::size_t RunComparison::count(TimeVerdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [&](const CaseComparison& c) { return c.verdict == verdict; }));
}

std::size_t RunComparison::regressions() const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const CaseComparison& c) { return c.regression(); }));
}

TimeVerdict time_verdict(const Timing& a, const Timing& b, double threshold) {
  const double ratio = b.median_s / a.median_s;
  const double low = b.low95_s / a.high95_s;
  const double high = b.high95_s / a.low95_s;
  if (!std::isfinite(ratio) || !std::isfinite(low) || !std::isfinite(high))
    return TimeVerdict::untimed;
  if (!(a.n_samples >= kMinSamples) || !(b.n_samples >= kMinSamples)) return TimeVerdict::ambiguous;
  if (low > 1.0 && ratio > 1.0 + threshold) return TimeVerdict::slow;
  if (high < 1.0 && ratio < 1.0 - threshold) return TimeVerdict::fast;
  if (low >= 1.0 - threshold && high <= 1.0 + threshold) return TimeVerdict::same;
  return TimeVerdict::ambiguous;
}

RunComparison compare_runs(const RunFolder& a, const RunFolder& b, const CompareOptions& options) {
  const Columns identity = identity_without(options.ignore);
  require_comparable(a, b, options.across_devices);
  const std::map<Key, std::size_t> rows_a = rows_by_key(a, identity, options.ignore);
  const std::map<Key, std::size_t> rows_b = rows_by_key(b, identity, options.ignore);
  const Labels labels(a, b, identity);
  RunComparison comparison;
  comparison.device_a = a.manifest.device_fingerprint;
  comparison.device_b = b.manifest.device_fingerprint;
  comparison.ignored = options.ignore;
  for (const std::size_t row_a : sorted_rows(a, identity)) {
    const auto match = rows_b.find(values_of(a, row_a, identity));
    if (match == rows_b.end()) {
      comparison.missing.push_back(labels.of(a, row_a));
      continue;
    }
    CaseComparison c = compare_rows(a, row_a, b, match->second, options);
    c.label = labels.of(a, row_a);
    comparison.cases.push_back(std::move(c));
  }
  for (const std::size_t row_b : sorted_rows(b, identity))
    if (!rows_a.contains(values_of(b, row_b, identity)))
      comparison.added.push_back(labels.of(b, row_b));
  if (comparison.cases.empty())
    throw ExitError(ExitCode::not_comparable,
                    fmt::format("{} and {} have no case in common", a.path, b.path));
  return comparison;
}

}  // namespace qb
