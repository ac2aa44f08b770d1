#include "harness/workload/step_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers.h"

namespace qb {
namespace {

// Serial ranks have compute times only: they send no messages and never wait.
bool is_known(const Case& c, double StepTime::*time) {
  // A GPU that waits for another does not report how long the other was not ready.
  if (time == &StepTime::idle_s && c.ranks == Ranks::nccl) return false;
  return time == &StepTime::compute_s || c.ranks != Ranks::serial;
}

std::string executed_pairs_text(const Case& c, const PlannedCase& planned, std::size_t worker,
                                std::size_t step) {
  if (c.device != Device::cuda)
    return to_text(planned.work.workers[worker].steps[step].executed_pairs);
  if (!planned.gpu || planned.gpu->step_pairs.empty()) return {};
  return to_text(planned.gpu->step_pairs[worker][step]);
}

double sum_over_steps(const WorkerTime& worker, double StepTime::*time) {
  double sum_s = 0.0;
  for (const StepTime& step : worker.steps) sum_s += step.*time;
  return sum_s;
}

// The worker that ends last; of workers that end together, the one that computes most.
const WorkerTime& last_worker(const Execution& execution) {
  constexpr double kTogether = 1e-9;
  const auto end_s = [](const WorkerTime& worker) {
    return worker.total_s() + sum_over_steps(worker, &StepTime::exposed_communication_s) +
           sum_over_steps(worker, &StepTime::idle_s);
  };
  const WorkerTime* last = &execution.workers.front();
  for (const WorkerTime& worker : execution.workers) {
    const double later_s = end_s(worker) - end_s(*last);
    const bool together = std::abs(later_s) <= kTogether * end_s(*last);
    if (together ? worker.compute_s > last->compute_s : later_s > 0.0) last = &worker;
  }
  return *last;
}

const Execution& median_execution(std::span<const Execution> executions) {
  std::vector<const Execution*> sorted;
  for (const Execution& execution : executions) sorted.push_back(&execution);
  std::ranges::sort(sorted, {}, [](const Execution* execution) { return execution->wall_s; });
  return *sorted[(sorted.size() - 1) / 2];
}

}  // namespace

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
  sample.communication_s = last.gather_s + sum_over_steps(last, &StepTime::communication_s);
  double idle_s = 0.0;
  if (is_known(c, &StepTime::idle_s))
    sample.idle_s = idle_s = sum_over_steps(last, &StepTime::idle_s);
  sample.exposed_communication_s = std::max(0.0, execution.wall_s - sample.compute_s - idle_s);
}

void add_steps(const Case& c, const PlannedCase& planned, std::span<const Execution> executions,
               std::vector<std::vector<std::string>>& rows) {
  const Execution& execution = median_execution(executions);
  if (execution.workers.empty()) return;
  const auto& workers = planned.work.workers;
  for (std::size_t w = 0; w < workers.size(); ++w)
    for (std::size_t s = 0; s < workers[w].steps.size(); ++s) {
      const StepWork& work = workers[w].steps[s];
      std::vector<std::string>& row = rows.emplace_back();
      row = {to_text(static_cast<std::int64_t>(w)),
             to_text(static_cast<std::int64_t>(s)),
             to_text(work.unmasked_pairs),
             executed_pairs_text(c, planned, w, s),
             to_text(work.bytes_in),
             to_text(work.bytes_out),
             to_text(work.kv_tokens)};
      const bool timed = w < execution.workers.size() && s < execution.workers[w].steps.size();
      for (double StepTime::*time :
           {&StepTime::start_s, &StepTime::compute_s, &StepTime::communication_s,
            &StepTime::exposed_communication_s, &StepTime::idle_s})
        row.push_back(timed && is_known(c, time) ? to_text(execution.workers[w].steps[s].*time)
                                                 : std::string());
    }
}

}  // namespace qb
