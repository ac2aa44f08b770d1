// SPDX-License-Identifier: Apache-2.0
// The result of a case.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/host_activity.h"
#include "base/schema/row.h"
#include "base/status.h"

namespace qb {

// One timed repeat, and what the host did meanwhile. Warm-ups are kept and marked.
struct Sample {
  int repeat = 0;
  bool warmup = false;
  double wall_s = 0.0;
  double critical_path_s = 0.0;
  double worker_sum_s = 0.0;
  double longest_subsequence_s = 0.0;
  double gather_s = 0.0;  // the sum over workers
  double merge_s = 0.0;
  // What the worker that ends last spends, summed over its steps. NaN where it is not known.
  double compute_s = std::numeric_limits<double>::quiet_NaN();
  double communication_s = std::numeric_limits<double>::quiet_NaN();
  double exposed_communication_s = std::numeric_limits<double>::quiet_NaN();
  double idle_s = std::numeric_limits<double>::quiet_NaN();
  // NaN unless the repeat had both passes, whose sum is wall_s.
  double forward_s = std::numeric_limits<double>::quiet_NaN();
  double backward_s = std::numeric_limits<double>::quiet_NaN();
  // NaN unless the case ran on a GPU.
  double device_s = std::numeric_limits<double>::quiet_NaN();
  double sm_clock_hz = std::numeric_limits<double>::quiet_NaN();
  double throttled = std::numeric_limits<double>::quiet_NaN();  // 1: it was slowed down, 0: not
  // NaN unless the kernel is `staged`, under serial ranks.
  double stage_scores_s = std::numeric_limits<double>::quiet_NaN();
  double stage_softmax_s = std::numeric_limits<double>::quiet_NaN();
  double stage_product_s = std::numeric_limits<double>::quiet_NaN();
  HostActivity host{};
  std::optional<Disturbance> disturbed_by{};
};
// What parts of a case that run one after another add up.
inline constexpr double Sample::*kTimesThatAdd[] = {&Sample::wall_s,
                                                    &Sample::critical_path_s,
                                                    &Sample::worker_sum_s,
                                                    &Sample::longest_subsequence_s,
                                                    &Sample::gather_s,
                                                    &Sample::merge_s,
                                                    &Sample::compute_s,
                                                    &Sample::communication_s,
                                                    &Sample::exposed_communication_s,
                                                    &Sample::idle_s,
                                                    &Sample::forward_s,
                                                    &Sample::backward_s};

// Returns the places of the samples that medians are made of: no warm-ups, and the undisturbed ones
// alone if there are min_repeats of them.
[[nodiscard]] std::vector<std::size_t> counted_samples(const std::vector<Sample>& samples,
                                                       int min_repeats);

// NaN and empty mean "not available". Times are filled in only where status is ok.
struct CaseResult {
  Status status = Status::error;
  std::string message;
  std::vector<Sample> samples;
  // Every column of case_table() that the child process knows.
  RowValues values;
  // Rows for steps.csv, parts.csv and memory_timeline.csv, without the case_id column. A layer has
  // a row in parts for each of its parts in each repeat, warm-ups too.
  std::vector<RowValues> steps;
  std::vector<RowValues> parts;
  std::vector<RowValues> timeline;
  std::string schedule;  // the trace of the schedule (schedule_trace.h); it stays in the child
};

}  // namespace qb
