// SPDX-License-Identifier: Apache-2.0
// Compares the rows of a run of microbenchmarks with the limits of the benchmarks.
#pragma once

#include <string>
#include <vector>

#include "harness/microbench/subject.h"

namespace qb {

struct Target {
  std::string benchmark{};
  std::string target{};    // `>= 85 %`
  std::string measured{};  // empty: not measured
  std::string verdict{};   // met, missed, disturbed or not measured
};

// Judges the benchmarks that have a limit, by medians of the undisturbed repeats after the warm-up.
// A target whose benchmark had fewer than two of them, and some that were disturbed, is neither met
// nor missed.
[[nodiscard]] std::vector<Target> judge(const std::vector<MicrobenchRow>& rows,
                                        const Benchmarks& benchmarks);

// Returns a table for a terminal: benchmark, target, measured, verdict.
[[nodiscard]] std::string target_table(const std::vector<Target>& targets);

}  // namespace qb
