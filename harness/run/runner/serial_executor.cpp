// SPDX-License-Identifier: Apache-2.0
// One device runs each worker in turn: this measures one worker's cost without a second device.
#include <algorithm>
#include <deque>
#include <numeric>

#include "harness/run/runner/worker.h"
#include "harness/run/transport/memory_transport.h"

namespace qb {
namespace {

double longest_step_sum_s(const std::vector<WorkerTime>& workers) {
  std::vector<double> slowest_s;  // by step
  for (const WorkerTime& worker : workers) {
    slowest_s.resize(std::max(slowest_s.size(), worker.steps.size()));
    for (std::size_t s = 0; s < worker.steps.size(); ++s)
      slowest_s[s] = std::max(slowest_s[s], worker.steps[s].compute_s);
  }
  return std::accumulate(slowest_s.begin(), slowest_s.end(), 0.0);
}

// Runs the workers, whose messages wait in memory: all of them together where they communicate, and
// else each from its first step to its last before the next one, so that only one holds memory.
void run_in_turn(const Plan& plan, const ExecutionArguments& arguments, WorkerRunner::Tools tools,
                 std::vector<WorkerTime>& times) {
  const auto copy = [&](std::span<const std::byte> from, std::byte* to) {
    const Extent words{1, 1, 1, static_cast<std::int64_t>(from.size() / sizeof(float))};
    tools.device.copy_rows(contiguous_view(const_cast<std::byte*>(from.data()), DType::f32, words),
                           contiguous_view(to, DType::f32, words));
  };
  const std::size_t n = plan.workers.size();
  const bool together = communicates(plan);
  MemoryTransport transport({.workers = static_cast<int>(n), .copy = copy});
  tools.transport = &transport;
  OutputMerge output(plan, arguments, tools.device, tools.device.facts().host_threads);
  for (std::size_t first = 0; first < n; first += together ? n : 1) {
    std::deque<WorkerRunner> workers;
    std::vector<StepWorker*> all;
    for (std::size_t w = first; w < (together ? n : first + 1); ++w)
      all.push_back(&workers.emplace_back(plan, static_cast<int>(w), arguments, tools, times[w]));
    run_steps(all);
    for (const WorkerRunner& worker : workers) {
      tools.watch.charge(together ? nullptr : &times[first].merge_s);
      output.add(worker.worker(), worker.result());
      tools.watch.charge(nullptr);
      if (plan.result == Result::everyone) break;
    }
  }
  if (!plan.problem.sinks.empty() && !together) tools.watch.charge(&times.back().merge_s);
  output.finish();
  tools.watch.charge(nullptr);
}

}  // namespace

double composed_critical_path_s(const Plan& plan, const std::vector<WorkerTime>& workers) {
  double gather_s = 0.0;
  double gather_and_compute_s = 0.0;
  double merge_s = 0.0;
  for (const WorkerTime& worker : workers) {
    gather_s = std::max(gather_s, worker.gather_s);
    gather_and_compute_s = std::max(gather_and_compute_s, worker.gather_s + worker.compute_s);
    merge_s += worker.merge_s;
  }
  return merge_s + (plan.synchronisation == Synchronisation::fork_join
                        ? gather_and_compute_s
                        : gather_s + longest_step_sum_s(workers));
}

Execution execute_serial(const Plan& plan, const ExecutionArguments& given, AttentionDevice& device,
                         KeptCalls* kept) {
  Execution execution;
  ExecutionArguments arguments = given;
  std::vector<WorkerTime>& times = execution.workers;
  times.resize(plan.workers.size());
  Stopwatch watch(device, arguments.clock);
  const WorkerRunner::Tools tools{
      .device = device, .watch = watch, .stages = &execution.stages, .kept = kept};
  watch.start();
  const Tensor delta = room_for_root_delta(plan, arguments);
  if (delta.view().data != nullptr) {
    watch.charge(&execution.delta_s);
    make_root_delta(plan, arguments, device);
    watch.charge(nullptr);
  }
  if (works_in_place(plan))
    run_in_place(plan, arguments, tools, times[0]);
  else
    run_in_turn(plan, arguments, tools, times);
  watch.stop();
  for (WorkerTime& worker : times) {
    // Nothing overlaps and nothing is sent over a link.
    for (StepTime& step : worker.steps) step = {.compute_s = step.compute_s};
    worker.compute_s = worker.sum_s(&StepTime::compute_s);
  }
  execution.wall_s = watch.wall_s();
  execution.device_s = watch.device_s();
  execution.critical_path_s = execution.delta_s + composed_critical_path_s(plan, times);
  return execution;
}

}  // namespace qb
