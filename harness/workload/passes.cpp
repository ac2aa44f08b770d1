// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/passes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

namespace qb {
namespace {

// Steps are left out where there are too many, and then those of neither pass are of use.
template <class Steps>
void append_steps(Steps& first, const Steps& second) {
  if (first.empty() || second.empty()) return first.clear();
  std::ranges::copy(second, std::back_inserter(first));
}

// Unknown where one of the two is not known.
std::optional<std::int64_t> larger(const std::optional<std::int64_t>& a,
                                   const std::optional<std::int64_t>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

}  // namespace

Work in_sequence(Work first, const Work& second) {
  first.bytes_total += second.bytes_total;
  first.flops += second.flops;
  first.root_sent_bytes += second.root_sent_bytes;
  first.sent_bytes_max = 0;
  for (std::size_t w = 0; w < first.workers.size(); ++w) {
    WorkerWork& worker = first.workers[w];
    const WorkerWork& then = second.workers[w];
    worker.bytes_in += then.bytes_in;
    worker.bytes_out += then.bytes_out;
    worker.bytes_from_root += then.bytes_from_root;
    append_steps(worker.steps, then.steps);
    first.sent_bytes_max = std::max(first.sent_bytes_max, worker.bytes_out);
  }
  return first;
}

PlanMemory in_sequence(PlanMemory first, const PlanMemory& second) {
  const std::size_t n = std::min(first.worker_peak_bytes.size(), second.worker_peak_bytes.size());
  for (std::size_t w = 0; w < n; ++w)
    first.worker_peak_bytes[w] = std::max(first.worker_peak_bytes[w], second.worker_peak_bytes[w]);
  first.device_peak_bytes = std::max(first.device_peak_bytes, second.device_peak_bytes);
  first.root_peak_bytes = std::max(first.root_peak_bytes, second.root_peak_bytes);
  first.serial_bytes = std::max(first.serial_bytes, second.serial_bytes);
  first.threads_bytes = std::max(first.threads_bytes, second.threads_bytes);
  return first;
}

Rehearsal in_sequence(Rehearsal first, const Rehearsal& second) {
  first.active_peak_bytes = larger(first.active_peak_bytes, second.active_peak_bytes);
  first.worker_peak_bytes = larger(first.worker_peak_bytes, second.worker_peak_bytes);
  if (!second.executed_pairs) first.executed_pairs.reset();
  if (first.step_pairs.size() != second.step_pairs.size()) first.step_pairs.clear();
  for (std::size_t w = 0; w < first.step_pairs.size(); ++w)
    append_steps(first.step_pairs[w], second.step_pairs[w]);
  return first;
}

Execution in_sequence(Execution first, const Execution& second) {
  // Workers that were launched together have no times.
  if (first.workers.size() != second.workers.size()) first.workers.clear();
  for (std::size_t w = 0; w < first.workers.size(); ++w) {
    WorkerTime& worker = first.workers[w];
    const WorkerTime& then = second.workers[w];
    worker.gather_s += then.gather_s;
    worker.compute_s += then.compute_s;
    worker.merge_s += then.merge_s;
    worker.active_peak_bytes = std::max(worker.active_peak_bytes, then.active_peak_bytes);
    worker.sent_bytes += then.sent_bytes;
    worker.from_root_bytes += then.from_root_bytes;
    for (StepTime step : then.steps) {
      step.start_s += first.wall_s;
      for (TimeSpan* const span : {&step.compute, &step.receive, &step.send}) {
        span->start_s += first.wall_s;
        span->end_s += first.wall_s;
      }
      worker.steps.push_back(step);
    }
  }
  first.wall_s += second.wall_s;
  first.device_s += second.device_s;
  first.delta_s += second.delta_s;
  first.critical_path_s += second.critical_path_s;
  first.worker_sum_s += second.worker_sum_s;
  first.longest_subsequence_s += second.longest_subsequence_s;
  return first;
}

}  // namespace qb
