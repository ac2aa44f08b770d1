// SPDX-License-Identifier: Apache-2.0
// What the two passes of a case come to where each repeat times one after the other: work, memory
// and times of the forward pass, then of the backward pass. The workers of both are the same.
#pragma once

#include "harness/plan/work/work.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/runner/executor.h"

namespace qb {

// FLOP and bytes add up, and the steps of a worker follow each other. What is the same in both
// passes (tokens, pairs) is that of the first.
[[nodiscard]] Work in_sequence(Work first, const Work& second);

// What the first pass has taken is free again when the second begins, so that peaks are the larger
// of two. The second begins with more: dO and the gradients.
[[nodiscard]] PlanMemory in_sequence(PlanMemory first, const PlanMemory& second);
[[nodiscard]] Rehearsal in_sequence(Rehearsal first, const Rehearsal& second);

// Times add up, and the steps of the second pass start when the first has ended.
[[nodiscard]] Execution in_sequence(Execution first, const Execution& second);

}  // namespace qb
