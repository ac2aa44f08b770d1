// SPDX-License-Identifier: Apache-2.0
// Compares two subjects on a noisy machine: they take turns, case by case in random order, so that
// what disturbs one disturbs the other, and the ratio of each pair of neighbours counts.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "harness/experiment/audit/compare.h"

namespace qb {

enum class AbSide { a, b };

struct AlternationOptions {
  int pairs = 8;
  int retakes = 8;  // rounds more, for cases of which pairs were disturbed
  double threshold = 0.05;
  std::uint64_t seed = 1;
};

struct AlternatedCase {
  // What one turn of one side gave.
  struct Turn {
    double time_s = std::numeric_limits<double>::quiet_NaN();
    std::string disturbed_by{};  // empty: nothing
    std::string failure{};       // why there is no time; empty: there is one
  };
  struct Pair {
    Turn a;
    Turn b;
    bool a_first = true;
    [[nodiscard]] bool disturbed() const {
      return !a.disturbed_by.empty() || !b.disturbed_by.empty();
    }
  };
  std::vector<Pair> pairs;
  std::string failure;     // the first failed turn ends the case
  bool disturbed = false;  // fewer than `pairs` were undisturbed, so that all count
  Summary ratio;           // of time B over time A, over the pairs that count
  RunComparison::Verdict verdict = RunComparison::Verdict::untimed;
};

// Takes the turns of all cases. measure(side, case) takes one; take_turns stops early, and returns
// what it has, once stop() is true. The verdict of a case follows from the interval of its ratios:
// SLOW or FAST if it excludes 1 and the median is beyond the threshold, SAME if it lies within the
// threshold, else AMBIGUOUS; AMBIGUOUS too if it covers less than 95 % or is of disturbed pairs.
[[nodiscard]] std::vector<AlternatedCase> take_turns(
    std::size_t n_cases, const AlternationOptions& options,
    const std::function<AlternatedCase::Turn(AbSide, std::size_t)>& measure,
    const std::function<bool()>& stop);

// A table, and a line with the geometric mean of the ratios.
[[nodiscard]] std::string alternation_text(const std::vector<std::string>& labels,
                                           const std::vector<AlternatedCase>& cases,
                                           const AlternationOptions& options);
// A line with what A differs by from itself: a case of that label with A on both sides. Empty where
// it has no pair.
[[nodiscard]] std::string itself_text(const std::string& label, const AlternatedCase& itself);
// A row for each pair: case, pair, first, a_time_s, b_time_s, ratio, a_disturbed_by,
// b_disturbed_by, counted.
[[nodiscard]] std::string alternation_csv(const std::vector<std::string>& labels,
                                          const std::vector<AlternatedCase>& cases);

}  // namespace qb
