// SPDX-License-Identifier: Apache-2.0
// What the times of a case's workers and steps become: numbers of a repeat, and rows of steps.csv.
#pragma once

#include <span>
#include <vector>

#include "harness/run/runner/executor.h"
#include "harness/workload/prediction.h"
#include "harness/workload/result.h"

namespace qb {

// The times of a repeat, with its parts.
[[nodiscard]] Sample sample_of(const Case& c, const Execution& execution);
// Adds what gathering and merging took all workers, and how the one that ends last spends the
// repeat: it computes and merges, waits for what is sent (its gather included, and whatever else
// nothing hides) and is idle, which add up to the wall clock. Under serial ranks its gather is what
// the critical path has besides computing. Adds nothing where the workers have no times.
void add_parts(const Case& c, const Execution& execution, Sample& sample);

// The execution whose wall clock is the median; of an even number the faster of the two.
[[nodiscard]] const Execution& median_execution(std::span<const Execution> executions);

// Adds a row for each worker and step with the times of the median repeat, whole. Adds none where
// the workers have no times.
void add_steps(const Case& c, const PlannedCase& planned, std::span<const Execution> executions,
               std::vector<RowValues>& rows);

}  // namespace qb
