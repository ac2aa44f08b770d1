// What the times of a case's workers and steps become: numbers of a repeat, and rows of steps.csv.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/execute/player/executor.h"
#include "harness/workload/prediction.h"
#include "harness/workload/result.h"

namespace qb {

// Adds the time that workers compute, communicate, wait for messages and are idle: for each that of
// the worker with the most of it. Adds nothing where the workers have no times.
void add_parts(const Case& c, const Execution& execution, Sample& sample);

// Adds a row for each worker and step, with medians over the executions. Adds none where the
// workers have no times.
void add_steps(const Case& c, const PlannedCase& planned, std::span<const Execution> executions,
               std::vector<std::vector<std::string>>& rows);

}  // namespace qb
