// SPDX-License-Identifier: Apache-2.0
// Runs a case that resolve_case() has made in this process, or predicts what it will take.
#pragma once

#include <memory>

#include "harness/run/device/compute_device.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

// The values of every column that is known before the run: parameters and predictions. Throws
// Unsupported and UsageError as plan_workload does.
[[nodiscard]] RowValues predicted_values(const Case& c);

// Opens the GPU on which this process runs a case of device: cuda; a fake in tests.
using OpenGpu = std::function<std::unique_ptr<ComputeDevice>(const Case&)>;
[[nodiscard]] std::unique_ptr<ComputeDevice> open_gpu_of(const Case& c);

// Names the traces of a case: `cqs_w7_n4096_1a2b3c`, of which the last word begins its id.
[[nodiscard]] std::string trace_name(const Case& c);

// Plans, checks, opens, verifies and times one case. The case itself never makes it throw: every
// CaseError becomes a status. It writes the Perfetto trace and PyTorch snapshot into a non-empty
// trace_directory as NAME.trace.json and NAME.pickle, NAME of trace_name().
[[nodiscard]] CaseResult run_case(const Case& c, const std::string& trace_directory,
                                  const OpenGpu& open_gpu = open_gpu_of);

}  // namespace qb
