// What a case answers.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/execute/device/cuda_device.h"
#include "harness/experiment/schema/case.h"

namespace qb {

// One timed repeat. Warm-ups are kept and marked.
struct Sample {
  int repeat = 0;
  bool warmup = false;
  double wall_s = 0.0;
  double critical_path_s = 0.0;
  double worker_sum_s = 0.0;
  double longest_subsequence_s = 0.0;
  double gather_s = 0.0;  // sum over workers
  double merge_s = 0.0;
  // NaN unless the case ran on a GPU.
  double device_s = std::numeric_limits<double>::quiet_NaN();
  double sm_clock_hz = std::numeric_limits<double>::quiet_NaN();
  double throttled = std::numeric_limits<double>::quiet_NaN();  // 1: it was slowed down, 0: not
  // NaN unless the kernel is `staged`, under serial ranks.
  double stage_scores_s = std::numeric_limits<double>::quiet_NaN();
  double stage_softmax_s = std::numeric_limits<double>::quiet_NaN();
  double stage_product_s = std::numeric_limits<double>::quiet_NaN();
};

// NaN and empty mean "not available". Times are filled in only where status is ok.
struct CaseResult {
  Status status = Status::error;
  std::string message;
  std::vector<Sample> samples;
  // column -> value, for every column of case_table() that the child knows (predicted work,
  // medians and intervals, memory, verification, isa, environment of the case).
  std::map<std::string, std::string> values;
  // Rows for steps.csv, parts.csv and memory_timeline.csv, without the case_id column. Parts are
  // those of a layer: a row for each part of each repeat, warm-ups too.
  std::vector<std::vector<std::string>> steps;
  std::vector<std::vector<std::string>> parts;
  std::vector<std::vector<std::string>> timeline;
};

// Values of every column that can be told before running: parameters and predictions. Throws
// Unsupported / UsageError as make_plan does.
[[nodiscard]] std::map<std::string, std::string> predicted_values(const Case& c);

// Runs one case in this process: plan, check, inputs, verify, memory pass, timed pass. Never throws
// for what the case does: every CaseError becomes a status. trace_directory non-empty: also writes
// the Perfetto trace and PyTorch snapshot there as <case_id>.trace.json and <case_id>.pickle.
// open_gpu: a fake in tests.
using OpenGpu = std::function<std::unique_ptr<ComputeDevice>(const CudaDeviceOptions&)>;
[[nodiscard]] CaseResult run_case(const Case& c, const std::string& trace_directory,
                                  const OpenGpu& open_gpu = open_cuda_device);

}  // namespace qb
