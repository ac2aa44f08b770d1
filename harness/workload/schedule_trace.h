// SPDX-License-Identifier: Apache-2.0
// The schedule of a run as a trace for https://ui.perfetto.dev.
#pragma once

#include <span>
#include <string>

#include "harness/plan/plan.h"
#include "harness/run/runner/executor.h"

namespace qb {

// Returns a trace with a process for each worker, whose tracks hold a slice for what each step
// computes, sends and receives; an arrow for each message from the step that sends it to the one
// that receives it; and a counter of the bytes in flight. passes: the plans whose steps follow one
// another in the execution. Returns no text where an executor has no such times (one device runs
// the workers in turn) or nobody could look at so many messages.
[[nodiscard]] std::string schedule_trace(std::span<const Plan* const> passes,
                                         const Execution& execution);

}  // namespace qb
