// The targets of the CPU kernels, held against the rows of a run of microbenchmarks.
#pragma once

#include <string>
#include <vector>

#include "harness/microbench/row.h"

namespace qb {

enum class Reached { met, missed, not_measured };

struct Target {
  std::string what;
  std::string target;    // `>= 85 %`
  std::string measured;  // empty: not measured
  Reached reached = Reached::not_measured;
};

// From the medians of the repeats that are no warm-up; `all_threads` is what "all threads" means on
// this machine. Rates of different benchmarks are compared through the ceilings measured beside
// them, since clocks drift.
[[nodiscard]] std::vector<Target> judge(const std::vector<MicrobenchRow>& rows, int all_threads);

// For a terminal: what, target, measured, verdict.
[[nodiscard]] std::string target_table(const std::vector<Target>& targets);

}  // namespace qb
