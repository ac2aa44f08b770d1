#include "harness/workload/step_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/numbers.h"
#include "base/statistics.h"

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

// Returns an empty text where it is not known.
std::string median_of(const Case& c, std::span<const Execution> executions, std::size_t w,
                      std::size_t s, double StepTime::*time) {
  if (!is_known(c, time)) return {};
  std::vector<double> values;
  for (const Execution& execution : executions)
    if (w < execution.workers.size() && s < execution.workers[w].steps.size())
      values.push_back(execution.workers[w].steps[s].*time);
  return to_text(median(values));
}

}  // namespace

void add_parts(const Case& c, const Execution& execution, Sample& sample) {
  if (execution.workers.empty()) return;
  constexpr std::pair<double Sample::*, double StepTime::*> kParts[] = {
      {&Sample::compute_s, &StepTime::compute_s},
      {&Sample::communication_s, &StepTime::communication_s},
      {&Sample::exposed_communication_s, &StepTime::exposed_communication_s},
      {&Sample::idle_s, &StepTime::idle_s}};
  for (const auto& [part, member] : kParts) {
    if (!is_known(c, member)) continue;
    sample.*part = 0.0;
    for (const WorkerTime& worker : execution.workers) {
      double sum_s = 0.0;
      for (const StepTime& step : worker.steps) sum_s += step.*member;
      sample.*part = std::max(sample.*part, sum_s);
    }
  }
}

void add_steps(const Case& c, const PlannedCase& planned, std::span<const Execution> executions,
               std::vector<std::vector<std::string>>& rows) {
  if (executions.front().workers.empty()) return;
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
      for (double StepTime::*time :
           {&StepTime::start_s, &StepTime::compute_s, &StepTime::communication_s,
            &StepTime::exposed_communication_s, &StepTime::idle_s})
        row.push_back(median_of(c, executions, w, s, time));
    }
}

}  // namespace qb
