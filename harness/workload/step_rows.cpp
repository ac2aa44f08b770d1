// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/step_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace qb {
namespace {

// Serial ranks have compute times only: they send no messages and never wait.
bool is_known(const Case& c, double StepTime::*time) {
  // A GPU that waits for another does not report how long the other was not ready.
  if (time == &StepTime::idle_s && c.ranks == Ranks::nccl) return false;
  return time == &StepTime::compute_s || c.ranks != Ranks::serial;
}

std::optional<std::int64_t> executed_pairs(const Case& c, const PlannedCase& planned,
                                           std::size_t worker, std::size_t step) {
  if (c.device != Device::cuda) return planned.work.workers[worker].steps[step].executed_pairs;
  if (!planned.gpu || planned.gpu->step_pairs.empty()) return std::nullopt;
  return planned.gpu->step_pairs[worker][step];
}

// The worker that ends last; of workers that end together, the one that computes most.
const WorkerTime& last_worker(const Execution& execution) {
  constexpr double kTogether = 1e-9;
  const auto end_s = [](const WorkerTime& worker) {
    return worker.total_s() + worker.sum_s(&StepTime::exposed_communication_s) +
           worker.sum_s(&StepTime::idle_s);
  };
  const WorkerTime* last = &execution.workers.front();
  for (const WorkerTime& worker : execution.workers) {
    const double later_s = end_s(worker) - end_s(*last);
    const bool together = std::abs(later_s) <= kTogether * end_s(*last);
    if (together ? worker.compute_s > last->compute_s : later_s > 0.0) last = &worker;
  }
  return *last;
}

}  // namespace

const Execution& median_execution(std::span<const Execution> executions) {
  std::vector<const Execution*> sorted;
  for (const Execution& execution : executions) sorted.push_back(&execution);
  std::ranges::sort(sorted, {}, [](const Execution* execution) { return execution->wall_s; });
  return *sorted[(sorted.size() - 1) / 2];
}

Sample sample_of(const Case& c, const Execution& execution) {
  Sample sample{.wall_s = execution.wall_s,
                .critical_path_s = execution.critical_path_s,
                .worker_sum_s = execution.worker_sum_s,
                .longest_subsequence_s = execution.longest_subsequence_s};
  add_parts(c, execution, sample);
  return sample;
}

void add_parts(const Case& c, const Execution& execution, Sample& sample) {
  if (execution.workers.empty()) return;
  for (const WorkerTime& worker : execution.workers) {
    sample.gather_s += worker.gather_s;
    sample.merge_s += worker.merge_s;
  }
  const WorkerTime& last = last_worker(execution);
  if (c.ranks == Ranks::serial) {
    sample.compute_s = execution.critical_path_s - last.gather_s;
    return;
  }
  sample.compute_s = last.compute_s + last.merge_s;
  sample.communication_s = last.gather_s + last.sum_s(&StepTime::communication_s);
  double idle_s = 0.0;
  if (is_known(c, &StepTime::idle_s)) sample.idle_s = idle_s = last.sum_s(&StepTime::idle_s);
  sample.exposed_communication_s = std::max(0.0, execution.wall_s - sample.compute_s - idle_s);
}

void add_steps(const Case& c, const PlannedCase& planned, std::span<const Execution> executions,
               std::vector<RowValues>& rows) {
  const Execution& execution = median_execution(executions);
  if (execution.workers.empty()) return;
  const auto& workers = planned.work.workers;
  for (std::size_t w = 0; w < workers.size(); ++w)
    for (std::size_t s = 0; s < workers[w].steps.size(); ++s) {
      const StepWork& work = workers[w].steps[s];
      RowValues& row = rows.emplace_back();
      row.set("worker", w);
      row.set("step", s);
      row.set("unmasked_pairs", work.unmasked_pairs);
      row.set("executed_pairs", executed_pairs(c, planned, w, s));
      row.set("in_bytes", work.bytes_in);
      row.set("out_bytes", work.bytes_out);
      row.set("kv_tokens", work.kv_tokens);
      if (w >= execution.workers.size() || s >= execution.workers[w].steps.size()) continue;
      const auto set_time = [&](RealColumn column, double StepTime::*time) {
        if (is_known(c, time)) row.set(column, execution.workers[w].steps[s].*time);
      };
      set_time("start_s", &StepTime::start_s);
      set_time("compute_s", &StepTime::compute_s);
      set_time("communication_s", &StepTime::communication_s);
      set_time("exposed_communication_s", &StepTime::exposed_communication_s);
      set_time("idle_s", &StepTime::idle_s);
      if (c.ranks == Ranks::serial) continue;
      const StepTime& time = execution.workers[w].steps[s];
      row.set("compute_start_s", time.compute.start_s);
      row.set("compute_end_s", time.compute.end_s);
      row.set("receive_start_s", time.receive.start_s);
      row.set("receive_end_s", time.receive.end_s);
      row.set("send_start_s", time.send.start_s);
      row.set("send_end_s", time.send.end_s);
    }
}

}  // namespace qb
