// SPDX-License-Identifier: Apache-2.0
// Judges the output and the gradient of a stack of layers by their definition in float64.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/execute/verify/verify.h"
#include "harness/workload/pipeline/pipeline_stage.h"

namespace qb {

// Every element of y and d_x must be finite; then the given rows are compared with `layers` layers
// as pipeline_stage.h defines them, computed whole and in float64. Rows of y are judged among rows
// that see about as many tokens, those of d_x among rows that are seen by about as many.
[[nodiscard]] Verification verify_pipeline(const Problem& problem, int layers,
                                           const StackViews& stack,
                                           const std::vector<std::int64_t>& rows, int threads);

}  // namespace qb
