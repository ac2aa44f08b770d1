// Two runs side by side: is B faster, slower, hungrier or more broken than A, case by case?
//
// A time verdict comes from the 95 % intervals of the two medians, so that noise is not news:
//   ratio          = median B / median A
//   ratio interval = [low B / high A, high B / low A]
//   SLOW, FAST     the intervals are disjoint and the medians differ by more than the threshold
//   SAME           the ratio interval lies within 1 ± threshold
//   AMBIGUOUS      neither: measure longer
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/words.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {

enum class TimeVerdict {
  fast,
  slow,
  same,
  ambiguous,
  untimed,  // one of the two has no time
};

template <>
struct Words<TimeVerdict> {
  static constexpr std::string_view what = "verdict";
  static constexpr std::pair<TimeVerdict, std::string_view> table[] = {
      {TimeVerdict::fast, "FAST"},
      {TimeVerdict::slow, "SLOW"},
      {TimeVerdict::same, "SAME"},
      {TimeVerdict::ambiguous, "AMBIGUOUS"},
      {TimeVerdict::untimed, "-"}};
};

// Which of a row's clocks is compared.
enum class Metric { critical_path, wall_time, worker_sum, longest_subsequence };

template <>
struct Words<Metric> {
  static constexpr std::string_view what = "metric";
  static constexpr std::pair<Metric, std::string_view> table[] = {
      {Metric::critical_path, "critical_path"},
      {Metric::wall_time, "wall_time"},
      {Metric::worker_sum, "worker_sum"},
      {Metric::longest_subsequence, "longest_subsequence"}};
};

struct CompareOptions {
  double threshold = 0.05;
  // Without one: wall_time where the ranks are threads, else critical_path.
  std::optional<Metric> metric;
  bool across_devices = false;
  // Parameters, or isa, that may differ between a case of A and its case of B.
  std::vector<std::string> ignore;
};

// NaN where there is no value.
struct Timing {
  double median_s = 0.0;
  double low95_s = 0.0;
  double high95_s = 0.0;
  double n_samples = 0.0;
};

enum class Change { same, better, worse };

struct CaseComparison {
  std::string label;  // the parameters that differ between cases: `algorithm=cqs workers=7`
  Status status_a = Status::ok;
  Status status_b = Status::ok;
  Timing a;
  Timing b;
  double ratio = 0.0;
  TimeVerdict verdict = TimeVerdict::untimed;
  double memory_a_bytes = 0.0;  // active peak
  double memory_b_bytes = 0.0;
  Change memory = Change::same;
  Change status = Change::same;
  // Of the ignored keys, in their order.
  std::vector<std::string> ignored_a;
  std::vector<std::string> ignored_b;

  [[nodiscard]] bool regression() const {
    return verdict == TimeVerdict::slow || memory == Change::worse || status == Change::worse;
  }
};

struct RunComparison {
  std::vector<CaseComparison> cases;  // in both, by their parameters
  std::vector<std::string> missing;   // labels of cases only in A
  std::vector<std::string> added;     // only in B
  std::string device_a;
  std::string device_b;
  std::vector<std::string> ignored;  // keys that the cases were matched without

  [[nodiscard]] std::size_t count(TimeVerdict verdict) const;
  [[nodiscard]] std::size_t regressions() const;
};

// The rule above. Fewer than three repeats on a side is AMBIGUOUS whatever the numbers say.
[[nodiscard]] TimeVerdict time_verdict(const Timing& a, const Timing& b, double threshold);

// Throws ExitError(not_comparable) when schema or device differ, or no case is in both; UsageError
// for an ignored key that is none, and for a parameter set that is in a run twice, if only because
// of what is ignored.
[[nodiscard]] RunComparison compare_runs(const RunFolder& a, const RunFolder& b,
                                         const CompareOptions& options);

// Table, lists of missing and new cases, and one summary line; above it which run has which value
// of an ignored key, or in columns of the table where a run has several.
[[nodiscard]] std::string comparison_text(const RunComparison& comparison,
                                          const CompareOptions& options);
// The same cases as CSV, missing and new ones included; columns KEY_a and KEY_b for each ignored
// key.
[[nodiscard]] std::string comparison_csv(const RunComparison& comparison);

}  // namespace qb
