// SPDX-License-Identifier: Apache-2.0
// What is known of the cost model's error where somebody asks it: the published measurements that
// are nearest to the question, and how far the model is from all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/csv.h"
#include "harness/execute/model/advice.h"
#include "harness/papers/grade.h"
#include "harness/workload/case.h"
#include "plots/frame/table.h"

namespace qb {

// A published measurement of a scheme beside the model's prediction of it.
struct NearestPublished {
  GradedRow row;
  Case c;
  double doublings = 0.0;  // by which tokens, workers, heads, mask, pass and device differ, summed
};

// For each scheme that has a plan, in their order, the nearest row, if there is one.
[[nodiscard]] std::vector<NearestPublished> nearest_published(const SchemeQuestion& question,
                                                              const Advice& advice,
                                                              std::span<const GradedRow> rows);

// scheme | published case | published | predicted | published / predicted time | where.
[[nodiscard]] std::string nearest_table(std::span<const NearestPublished> nearest);

// How far the model is from published times that no device was made from: a line for each scheme,
// device, link and pass, signed (above 1 the published one is slower), with workers and range; a
// scheme of which nothing is published says so.
[[nodiscard]] Table model_error_table(std::span<const GradedRow> rows);

// The rows for model_grade_figure().
[[nodiscard]] CsvTable grade_csv(std::span<const GradedRow> rows);

// Of the rows of several workers: schemes whose times are closer than their typical distance from
// published ones are ties. A forward pass is graded by published forward passes, any other question
// by published times of both passes: of several workers, nobody published a backward pass alone.
[[nodiscard]] Grade scheme_grade(std::span<const GradedRow> rows, Passes passes);

// Writes `, backward pass`; nothing for the forward pass.
[[nodiscard]] std::string passes_text(Passes passes);

}  // namespace qb
