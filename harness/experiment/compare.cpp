#include "harness/experiment/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "harness/base/numbers.h"
#include "harness/experiment/result.h"

namespace qb {
namespace {

constexpr double kMinSamples = 3.0;
constexpr double kMemoryTolerance = 0.01;

using Key = std::vector<std::string>;

Key key_of(const RunFolder& run, std::size_t row) {
  Key key;
  for (const std::string& column : parameter_columns()) key.push_back(run.cases.text(row, column));
  return key;
}

std::map<Key, std::size_t> rows_by_key(const RunFolder& run) {
  std::map<Key, std::size_t> rows;
  for (std::size_t row = 0; row < run.cases.size(); ++row)
    if (!rows.emplace(key_of(run, row), row).second)
      throw UsageError(
          fmt::format("{}/cases.csv: record {} repeats the parameters of an earlier one; `qb "
                      "verify` lists such rows",
                      run.path, row + 1));
  return rows;
}

// Numbers as numbers, so that N = 512 stands before N = 1024.
bool key_before(const Key& a, const Key& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const auto number_a = parse_real(a[i]);
    const auto number_b = parse_real(b[i]);
    return number_a && number_b ? *number_a < *number_b : a[i] < b[i];
  }
  return false;
}

// Rows run in random order; people look for theirs by its parameters.
std::vector<std::size_t> sorted_rows(const RunFolder& run) {
  std::vector<std::size_t> rows(run.cases.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return key_before(key_of(run, a), key_of(run, b));
  });
  return rows;
}

// Names a case by the parameters that tell it from the others of both runs.
class Labels {
 public:
  Labels(const RunFolder& a, const RunFolder& b) {
    std::map<std::string, std::set<std::string>> values;
    for (const RunFolder* run : {&a, &b})
      for (std::size_t row = 0; row < run->cases.size(); ++row)
        for (const std::string& column : parameter_columns())
          values[column].insert(run->cases.text(row, column));
    for (const std::string& column : parameter_columns()) {
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
  std::vector<std::string> columns_;
};

Timing timing_of(const CsvTable& cases, std::size_t row, std::optional<Metric> metric) {
  const Metric by_ranks =
      cases.text(row, "ranks") == "threads" ? Metric::wall_time : Metric::critical_path;
  const std::string name(word(metric.value_or(by_ranks)));
  return {cases.number(row, name + "_median_s"), cases.number(row, name + "_low95_s"),
          cases.number(row, name + "_high95_s"), cases.number(row, "n_samples")};
}

// How bad an end is: a limit that was reached is a data point, a wrong or lost result a failure.
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

}  // namespace

std::size_t RunComparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [&](const CaseComparison& c) { return c.verdict == verdict; }));
}

std::size_t RunComparison::regressions() const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const CaseComparison& c) { return c.regression(); }));
}

Verdict time_verdict(const Timing& a, const Timing& b, double threshold) {
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
  require_comparable(a, b, options.across_devices);
  const std::map<Key, std::size_t> rows_a = rows_by_key(a);
  const std::map<Key, std::size_t> rows_b = rows_by_key(b);
  const Labels labels(a, b);
  RunComparison comparison;
  comparison.device_a = a.manifest.device_fingerprint;
  comparison.device_b = b.manifest.device_fingerprint;
  for (const std::size_t row_a : sorted_rows(a)) {
    const auto match = rows_b.find(key_of(a, row_a));
    if (match == rows_b.end()) {
      comparison.missing.push_back(labels.of(a, row_a));
      continue;
    }
    CaseComparison c;
    c.label = labels.of(a, row_a);
    c.status_a = row_status(a, row_a);
    c.status_b = row_status(b, match->second);
    c.status = compare_statuses(c.status_a, c.status_b);
    c.a = timing_of(a.cases, row_a, options.metric);
    c.b = timing_of(b.cases, match->second, options.metric);
    c.ratio = c.b.median_s / c.a.median_s;
    c.verdict = time_verdict(c.a, c.b, options.threshold);
    c.memory_a_bytes = a.cases.number(row_a, "active_memory_peak_bytes");
    c.memory_b_bytes = b.cases.number(match->second, "active_memory_peak_bytes");
    c.memory = compare_memory(c.memory_a_bytes, c.memory_b_bytes);
    comparison.cases.push_back(c);
  }
  for (const std::size_t row_b : sorted_rows(b))
    if (!rows_a.contains(key_of(b, row_b))) comparison.added.push_back(labels.of(b, row_b));
  if (comparison.cases.empty())
    throw ExitError(ExitCode::not_comparable,
                    fmt::format("{} and {} have no case in common", a.path, b.path));
  return comparison;
}

}  // namespace qb
