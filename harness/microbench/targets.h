// SPDX-License-Identifier: Apache-2.0
// Compares the rows of a run of microbenchmarks with the targets of the CPU kernels.
#pragma once

#include <string>
#include <vector>

#include "harness/microbench/subject.h"

namespace qb {

struct Target {
  std::string what;
  std::string target;    // `>= 85 %`
  std::string measured;  // empty: not measured
  std::string verdict;   // met, missed, disturbed or not measured
};

// Judges by medians of the undisturbed repeats after the warm-up. A target whose benchmarks had
// fewer than two of them, and some that were disturbed, is neither met nor missed. `all_threads` is
// the number on this machine. Rates of different benchmarks are compared through ceilings measured
// beside them: clocks drift.
[[nodiscard]] std::vector<Target> judge(const std::vector<MicrobenchRow>& rows, int all_threads);

// Returns a table for a terminal: what, target, measured, verdict.
[[nodiscard]] std::string target_table(const std::vector<Target>& targets);

}  // namespace qb
