// SPDX-License-Identifier: Apache-2.0
// Compares two runs case by case: their times, memory and statuses.
//
// A time verdict comes from the intervals of the two medians (of 95 % or more, or the whole range
// where there are too few repeats for that), so that noise does not become a finding:
//   ratio          = median B / median A
//   ratio interval = [low B / high A, high B / low A]
//   SLOW, FAST     the intervals are disjoint and the medians differ by more than the threshold
//   SAME           the ratio interval lies within 1 ± threshold
//   AMBIGUOUS      neither, or one of the two rows stayed disturbed: measure longer
// Disturbances do not change how many instructions a case retires (--metric instructions).
#pragma once

#include <cstddef>
#include <limits>

#include "base/schema/column.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {

struct CompareOptions {
  double threshold = 0.05;
  // One of kMetrics. Empty: wall_time where the ranks are threads, otherwise critical_path.
  std::string metric{};
  bool across_devices = false;
  bool only_regressed = false;  // print no other cases
  // Parameters, or isa, that may differ between a case of A and its case of B.
  std::vector<std::string> ignore{};
};

inline constexpr std::string_view kInstructions = "instructions";
// What can be compared of a row.
inline constexpr std::string_view kMetrics[] = {"critical_path", "wall_time", "worker_sum",
                                                "longest_subsequence", kInstructions};

struct RunComparison {
  enum class Verdict {
    fast,
    slow,
    same,
    ambiguous,
    untimed,  // one of the two has no time
  };
  enum class Change { same, better, worse };

  struct Timing {  // a field is NaN where there is no value
    double median_s = 0.0;
    double low95_s = 0.0;
    double high95_s = 0.0;
    double n_samples = 0.0;
    std::string disturbed_by{};                                  // empty: nothing
    double coverage = std::numeric_limits<double>::quiet_NaN();  // of the interval
  };

  struct Side {  // what one run has of a case
    Status status = Status::ok;
    Timing time;
    double memory_bytes = 0.0;         // active peak
    std::vector<std::string> ignored;  // the values of the ignored keys, in their order
  };

  struct Row {
    std::string label;  // the parameters that differ between cases: `algorithm=cqs workers=7`
    Side a;
    Side b;
    double ratio = 0.0;
    Verdict verdict = Verdict::untimed;
    Change memory = Change::same;
    Change status = Change::same;
    std::string unequal{};  // exact columns of which the runs have different values

    [[nodiscard]] bool regression() const {
      return verdict == Verdict::slow || memory == Change::worse || status == Change::worse;
    }
  };

  std::vector<Row> cases;            // cases in both runs, matched by their parameters
  std::vector<std::string> missing;  // labels of cases only in A
  std::vector<std::string> added;    // labels of cases only in B
  std::string device_a;
  std::string device_b;
  std::vector<std::string> ignored;   // keys that the cases were matched without
  std::size_t exact_values = 0;       // of exact columns that both runs have
  std::vector<std::string> cautions;  // what makes the times of a run less sure, one line each

  [[nodiscard]] std::size_t regressions() const;
};

template <>
inline constexpr auto kWords<RunComparison::Verdict> =
    word_table<RunComparison::Verdict>("verdict", {{RunComparison::Verdict::fast, "FAST"},
                                                   {RunComparison::Verdict::slow, "SLOW"},
                                                   {RunComparison::Verdict::same, "SAME"},
                                                   {RunComparison::Verdict::ambiguous, "AMBIGUOUS"},
                                                   {RunComparison::Verdict::untimed, "-"}});

// Applies the rule above. Fewer than three repeats in a run always give AMBIGUOUS.
[[nodiscard]] RunComparison::Verdict time_verdict(const RunComparison::Timing& a,
                                                  const RunComparison::Timing& b, double threshold);

// The rule without the number of repeats; [low, high] is the interval of the ratio. UNTIMED if one
// of the three is not finite.
[[nodiscard]] RunComparison::Verdict ratio_verdict(double ratio, double low, double high,
                                                   double threshold);

// The clock by which a case with these `ranks` is judged.
[[nodiscard]] IntervalColumns judged_clock(std::string_view ranks);

// Reads a row of cases.csv, of this or of an older version. metric: as in CompareOptions.
[[nodiscard]] RunComparison::Timing timing_of(const CsvTable& cases, std::size_t row,
                                              const std::string& metric);

// Throws ExitError(not_comparable) when schema or device differ or no case is in both, UsageError
// for an unknown ignored key and where two cases of a run differ in ignored parameters only.
[[nodiscard]] RunComparison compare_runs(const RunFolder& a, const RunFolder& b,
                                         const CompareOptions& options);

// A table, the first missing and new cases, and one summary line. The values of ignored keys are
// above the table, or in its columns where a run has several values of one.
[[nodiscard]] std::string comparison_text(const RunComparison& comparison,
                                          const CompareOptions& options);
// The same as CSV, with missing and new cases, and columns KEY_a and KEY_b for each ignored key.
[[nodiscard]] std::string comparison_csv(const RunComparison& comparison,
                                         const CompareOptions& options);

}  // namespace qb
