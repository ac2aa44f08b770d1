// SPDX-License-Identifier: Apache-2.0
// How far the cost model is from published measurements that it was not made from.
#pragma once

#include <span>
#include <vector>

#include "harness/papers/coverage.h"

namespace qb {

struct GradedRow {
  const Paper* paper = nullptr;
  const PublishedAnswer* answer = nullptr;
  double slowness = 1.0;  // published over predicted time: above 1 the model is too fast
};

// Every published measurement that a device's model answers: those that were printed, or those that
// were read off pictures, which are never mixed with them.
[[nodiscard]] std::vector<GradedRow> graded_rows(std::span<const AnsweredPaper> papers,
                                                 bool digitised = false);

// Factors between published and predicted times, whichever is larger.
struct Grade {
  std::size_t rows = 0;
  double median = 1.0;
  double p90 = 1.0;  // of which nine of ten are no larger
  double worst = 1.0;
};
[[nodiscard]] Grade grade_of(std::span<const GradedRow> rows);

}  // namespace qb
