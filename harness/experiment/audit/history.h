// SPDX-License-Identifier: Apache-2.0
// The times of the same cases over many runs of one machine: their median at each commit, where
// their level changed, and whether the newest commit departs from what came before.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/experiment/audit/compare.h"

namespace qb {

struct HistoryOptions {
  std::string experiment{};  // empty: all
  std::string metric{};      // as in CompareOptions
  std::string device{};      // device_fingerprint; empty: that of the newest run
  double threshold = 0.05;   // the least change that matters, as a fraction
};

struct CaseHistory {
  // All runs of one commit together.
  struct Point {
    std::string commit;
    std::string started_at;  // of its first run
    std::size_t n_runs = 0;
    double median_s = 0.0;       // over its undisturbed runs, or over all if there are none
    std::string disturbed_by{};  // what disturbed the last run if there are none
    double level_s = 0.0;        // the median between two changes
    bool is_change = false;      // the first of a new level
  };
  std::string experiment;
  std::string label;          // the parameters that tell it from the others of its experiment
  std::vector<Point> points;  // oldest commit first
  // The newest commit against those of the same level before it.
  double ratio = 0.0;
  double z = 0.0;  // modified z-score of the logarithm
  RunComparison::Verdict verdict = RunComparison::Verdict::untimed;
};

struct History {
  std::string device;
  std::vector<std::string> commits;  // oldest first
  std::vector<CaseHistory> cases;    // experiment by experiment
  std::size_t n_runs = 0;
  std::vector<std::string> left_out;  // runs that could not be read, and why
  [[nodiscard]] std::size_t regressions() const;
};

// Reads every run under `results` (results/EXPERIMENT/RUN). Runs of other machines and other
// schemas are left out. A case is SLOW or FAST at the newest commit if its modified z-score against
// the earlier commits of its level, four at least, exceeds 3.5 and the change the threshold; SAME
// within the threshold; AMBIGUOUS otherwise and where that commit's runs stayed disturbed; untimed
// with too few commits. Throws UsageError where no run is left.
[[nodiscard]] History read_history(const std::string& results, const HistoryOptions& options);

// The same for one series of points, which get their levels and changes.
void judge_history(CaseHistory& one, double threshold);

// A table of the cases that changed, and a line that counts all.
[[nodiscard]] std::string history_text(const History& history);
// A row for each case and commit: experiment, case, commit, commit_index, started_at, runs,
// time_median_s, level_s, disturbed_by, change, verdict. The index counts the commits of all cases.
[[nodiscard]] std::string history_csv(const History& history);

}  // namespace qb
