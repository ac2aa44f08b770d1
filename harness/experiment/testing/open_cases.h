// SPDX-License-Identifier: Apache-2.0
// Cases as tests write them, whose open choices are made here.
#pragma once

#include "harness/experiment/process/run_case.h"

namespace qb {

inline CaseResult run_open_case(const Case& c, const std::string& trace_directory,
                                const OpenGpu& open_gpu = open_gpu_of) {
  try {
    return run_case(resolve_case(c), trace_directory, open_gpu);
  } catch (const UsageError& error) {
    CaseResult result;
    result.message = error.what();
    return result;
  }
}

[[nodiscard]] inline RowValues predicted_open_values(const Case& c) {
  return predicted_values(resolve_case(c));
}

}  // namespace qb
