// SPDX-License-Identifier: Apache-2.0
// One worker of those that are alike is run alone, with messages that are always there.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "harness/plan/tiling.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/runner/worker.h"
#include "harness/run/transport/worker_team.h"

namespace qb {
namespace {

// The caller's tensors of a plan, at an address of their own; D is the caller's where workers take
// their rows of it.
ExecutionArguments whole_tensors(const Plan& plan, Kernel kernel, Allocator& memory) {
  void* const address = reinterpret_cast<void*>(kHugePageBytes);
  ExecutionArguments arguments;
  for (const CallerTensor& tensor : caller_tensors(plan))
    arguments.*tensor.view = contiguous_view(address, tensor.dtype, tensor.extent);
  if (!works_in_place(plan))
    arguments.delta = contiguous_view(address, DType::f32, plan.problem.shape.lse());
  arguments.kernel = kernel;
  arguments.allocator = &memory;
  return arguments;
}

struct Rehearsed {
  Rehearsed(const Plan& plan, Kernel kernel, int threads)
      : costs(threads),
        device(rehearsal_device(costs)),
        watch(*device),
        memory(over_addresses()),
        arguments(whole_tensors(plan, kernel, memory)) {}
  // Returns the most that was held since this was called last.
  [[nodiscard]] std::int64_t take_peak() {
    const std::uint64_t peak = memory.active_peak_bytes();
    memory.reset_peaks();
    return static_cast<std::int64_t>(peak);
  }
  const CpuDevice::Costs costs;
  const std::unique_ptr<AttentionDevice> device;
  Stopwatch watch;
  NoTransport transport;
  MemoryLedger memory;
  const ExecutionArguments arguments;
  const WorkerRunner::Tools tools{*device, watch, &transport};
  WorkerTime time;
};

// What a step's calls take besides what the worker holds: workspace, and room for the results of
// later calls on the same queries.
std::vector<std::int64_t> taken_by(const Plan& plan, const std::vector<KernelCall>& calls,
                                   Kernel kernel, int threads) {
  const Problem& problem = plan.problem;
  std::vector<std::int64_t> taken;
  for (const KernelCall& call : calls) {
    const Extent q = tensor_extent(problem, TensorRole::q, call.q_end - call.q_begin, call.heads);
    const Extent k = tensor_extent(problem, TensorRole::k, call.k_end - call.k_begin, call.heads);
    const std::int64_t value_dim = problem.shape.value_dim;
    const bool forward = plan.pass == Pass::forward;
    taken.push_back(
        forward ? kernel_workspace_bytes(kernel, q, k, problem.dtype, threads, value_dim, -1)
                : backward_workspace_bytes(kernel, q, k, problem.dtype, threads, value_dim));
    taken.push_back(forward && !call.first ? q.length : 0);
  }
  return taken;
}

// Workers whose calls in a step take as much have the same peak in it. Of those that do not, one is
// run.
std::vector<std::int64_t> counted_peaks(const Plan& plan, const CountedCalls& counted,
                                        Kernel kernel, int threads) {
  Plan sketched = plan;
  const auto n = static_cast<int>(plan.workers.size());
  sketched.workers = Workers(n, [&](int w, Workers::Parts) { return counted.sketch(w); });
  std::map<int, std::vector<std::int64_t>> played;  // by worker: the peaks of its steps
  const auto play = [&](int w) -> const std::vector<std::int64_t>& {
    std::vector<std::int64_t>& peaks = played[w];
    if (peaks.empty()) peaks = step_peak_bytes(sketched, w, kernel, threads);
    return peaks;
  };
  std::vector<std::int64_t> peaks(plan.workers.size(), 0);
  std::int64_t everyones = 0;  // the peak of the steps in which all have the same
  for (std::size_t s = 0; s < play(0).size(); ++s) {
    std::map<std::vector<std::int64_t>, std::int64_t> by_taken;
    std::vector<std::int64_t> of_class(counted.n_classes(s));
    counted.for_each_class(s, [&](int w, std::size_t which) {
      const auto [known, is_new] =
          by_taken.try_emplace(taken_by(plan, counted.calls(w, s), kernel, threads), 0);
      if (is_new) known->second = play(w)[s];
      of_class[which] = known->second;
    });
    if (by_taken.size() == 1) {
      everyones = std::max(everyones, by_taken.begin()->second);
      continue;
    }
    for (int w = 0; w < n; ++w) {
      std::int64_t& peak = peaks[static_cast<std::size_t>(w)];
      peak = std::max(peak, of_class[counted.class_of(w, s)]);
    }
  }
  for (std::int64_t& peak : peaks) peak = std::max(peak, everyones);
  return peaks;
}

// Runs one of the workers that are alike.
std::vector<std::int64_t> worker_peaks(const Plan& plan, const Representatives& alike,
                                       Kernel kernel, int threads) {
  if (works_in_place(plan)) {
    Rehearsed rehearsed(plan, kernel, threads);
    run_in_place(plan, rehearsed.arguments, rehearsed.tools, rehearsed.time);
    return {rehearsed.take_peak()};
  }
  std::vector<std::int64_t> peaks(plan.workers.size());
  // What `staged` stores follows from the pairs of each call.
  const bool reads_schedule = CpuDevice::Costs(threads).reads_schedule(kernel);
  if (reads_schedule || !alike.follow_rule()) {
    for (std::size_t w = 0; w < peaks.size(); ++w) {
      const auto index = static_cast<int>(w);
      const int like = reads_schedule ? index : alike.holds_like(index);
      peaks[w] = like < index ? peaks[static_cast<std::size_t>(like)]
                              : std::ranges::max(step_peak_bytes(plan, index, kernel, threads));
    }
    return peaks;
  }
  return counted_peaks(plan, *alike.counted(), kernel, threads);
}

}  // namespace

std::vector<std::int64_t> step_peak_bytes(const Plan& plan, int index, Kernel kernel, int threads) {
  struct Measured final : WorkerRunner {
    Measured(const Plan& plan, int index, Rehearsed& all)
        : WorkerRunner(plan, index, all.arguments, all.tools, all.time), rehearsed(all) {}
    void end_step() override {
      WorkerRunner::end_step();
      peaks.push_back(rehearsed.take_peak());
    }
    Rehearsed& rehearsed;
    std::vector<std::int64_t> peaks;
  };
  Rehearsed rehearsed(plan, kernel, threads);
  Measured worker(plan, index, rehearsed);
  run_steps(worker);
  worker.peaks.resize(std::max<std::size_t>(worker.peaks.size(), 1));
  worker.peaks.back() = std::max(worker.peaks.back(), rehearsed.take_peak());
  return worker.peaks;
}

PlanMemory plan_memory(const Plan& plan, const Representatives& alike, Kernel kernel, int threads) {
  PlanMemory memory{.worker_peak_bytes = worker_peaks(plan, alike, kernel, threads)};
  const std::vector<std::int64_t>& peaks = memory.worker_peak_bytes;
  const std::int64_t worst = peaks.empty() ? 0 : std::ranges::max(peaks);
  const auto sum = std::accumulate(peaks.begin(), peaks.end(), std::int64_t{0});
  std::int64_t whole = 0;
  for (const CallerTensor& tensor : caller_tensors(plan))
    whole += tensor.extent.elements() * size_of(tensor.dtype);
  if (plan.pass == Pass::backward && is_scattered(plan))
    whole += plan.problem.shape.lse().elements() * size_of(DType::f32);
  const std::int64_t at_root =
      finishes_rows(plan) || works_in_place(plan) ? 0 : Sinks::bytes(plan.problem);
  memory.serial_bytes = whole + at_root + (communicates(plan) ? sum : worst);
  memory.threads_bytes = whole + at_root + sum;
  if (is_scattered(plan)) memory.root_peak_bytes = whole + peaks.front();
  memory.device_peak_bytes = works_in_place(plan) ? whole + worst : worst;
  return memory;
}

}  // namespace qb
