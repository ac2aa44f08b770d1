// Compares two runs case by case: their times, memory and statuses.
//
// A time verdict comes from the 95 % intervals of the two medians, so that noise is no finding:
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
inline constexpr auto kWords<TimeVerdict> =
    word_table<TimeVerdict>("verdict", {{TimeVerdict::fast, "FAST"},
                                        {TimeVerdict::slow, "SLOW"},
                                        {TimeVerdict::same, "SAME"},
                                        {TimeVerdict::ambiguous, "AMBIGUOUS"},
                                        {TimeVerdict::untimed, "-"}});

// Which of a row's clocks is compared.
enum class Metric { critical_path, wall_time, worker_sum, longest_subsequence };

template <>
inline constexpr auto kWords<Metric> =
    word_table<Metric>("metric", {{Metric::critical_path, "critical_path"},
                                  {Metric::wall_time, "wall_time"},
                                  {Metric::worker_sum, "worker_sum"},
                                  {Metric::longest_subsequence, "longest_subsequence"}});

struct CompareOptions {
  double threshold = 0.05;
  // Empty: wall_time where the ranks are threads, otherwise critical_path.
  std::optional<Metric> metric;
  bool across_devices = false;
  // Parameters, or isa, that may differ between a case of A and its case of B.
  std::vector<std::string> ignore;
};

// A field is NaN where there is no value.
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
  // The values of the ignored keys, in their order.
  std::vector<std::string> ignored_a;
  std::vector<std::string> ignored_b;

  [[nodiscard]] bool regression() const {
    return verdict == TimeVerdict::slow || memory == Change::worse || status == Change::worse;
  }
};

struct RunComparison {
  std::vector<CaseComparison> cases;  // cases in both runs, matched by their parameters
  std::vector<std::string> missing;   // labels of cases only in A
  std::vector<std::string> added;     // labels of cases only in B
  std::string device_a;
  std::string device_b;
  std::vector<std::string> ignored;  // keys that the cases were matched without

  [[nodiscard]] std::size_t count(TimeVerdict verdict) const;
  [[nodiscard]] std::size_t regressions() const;
};

// Applies the rule above. Fewer than three repeats in a run always give AMBIGUOUS.
[[nodiscard]] TimeVerdict time_verdict(const Timing& a, const Timing& b, double threshold);

// Throws ExitError(not_comparable) when schema or device differ, or no case is in both; UsageError
// for an ignored key that does not exist, and where two cases of a run have the same parameters
// besides the ignored ones.
[[nodiscard]] RunComparison compare_runs(const RunFolder& a, const RunFolder& b,
                                         const CompareOptions& options);

// A table, lists of missing and new cases, and one summary line. The values of ignored keys are
// above the table, or in its columns where a run has several values of one.
[[nodiscard]] std::string comparison_text(const RunComparison& comparison,
                                          const CompareOptions& options);
// The same cases as CSV, with missing and new ones, and with columns KEY_a and KEY_b for each
// ignored key.
[[nodiscard]] std::string comparison_csv(const RunComparison& comparison);

}  // namespace qb
