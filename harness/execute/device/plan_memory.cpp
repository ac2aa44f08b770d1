// SPDX-License-Identifier: Apache-2.0
// Each worker of a plan is played alone, with messages that are always there.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "harness/execute/device/cpu_device.h"
#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/player/worker.h"
#include "harness/execute/transport/worker_team.h"
#include "harness/plan/representatives.h"
#include "harness/plan/work/tiling.h"

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
        memory(over_addresses(*device)),
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
  const WorkerPlayer::Tools tools{*device, watch, &transport};
  WorkerTime time;
};

// A worker keeps its partials of other workers' queries until it returns them all in one step.
struct StepMemory {
  std::int64_t peak_bytes = 0;   // without the partials that are kept when the step begins
  std::int64_t keeps_bytes = 0;  // partials that the step adds to them
  bool returns = false;
};

// peaks: those of the steps of worker 0.
std::vector<StepMemory> step_memory(const Plan& plan, const std::vector<std::int64_t>& peaks) {
  const Worker& worker = plan.workers[0];
  Problem held = plan.problem;
  held.lse_sent = held.lse_kept;
  std::vector<StepMemory> steps;
  std::int64_t kept = 0;
  for (std::size_t s = 0; s < peaks.size(); ++s) {
    const Step& step = worker.steps[s];
    StepMemory& memory = steps.emplace_back();
    memory.peak_bytes = peaks[s] - kept;
    if (!step.tasks.empty() && !std::ranges::count(worker.q_groups, step.tasks[0].q_group))
      for (const Transfer& transfer : step.receives)
        if (transfer.what == TensorRole::q)
          memory.keeps_bytes +=
              tensor_bytes(held, TensorRole::partial,
                           tokens_of(plan.q_groups, plan.groups_of(transfer)), transfer.heads);
    memory.returns = std::ranges::any_of(
        step.sends, [](const Transfer& transfer) { return transfer.what == TensorRole::partial; });
    kept = memory.returns ? 0 : kept + memory.keeps_bytes;
  }
  return steps;
}

// What a step's calls take besides what the worker holds: workspace, and room for the results of
// later calls on the same queries.
std::vector<std::int64_t> taken_by(const Plan& plan, const std::vector<CountedCalls::Call>& calls,
                                   Kernel kernel, int threads) {
  const Problem& problem = plan.problem;
  std::vector<std::int64_t> taken;
  for (const CountedCalls::Call& call : calls) {
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
// played.
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
  const std::size_t n_steps = std::max<std::size_t>(play(0).size(), play(n - 1).size());
  for (std::size_t s = 0; s < n_steps; ++s) {
    std::map<std::vector<std::int64_t>, std::int64_t> by_taken;
    std::vector<std::int64_t> of_class(counted.n_classes(s), -1);
    const auto peak_of = [&](int w) {
      std::int64_t& peak = of_class[counted.class_of(w, s)];
      if (peak >= 0) return peak;
      const auto [known, is_new] =
          by_taken.try_emplace(taken_by(plan, counted.calls(w, s), kernel, threads), 0);
      if (is_new) known->second = play(w)[s];
      return peak = known->second;
    };
    for (const int w : {0, n - 1}) (void)peak_of(w);
    for (int w = 0; w < n; ++w) {
      std::int64_t& peak = peaks[static_cast<std::size_t>(w)];
      peak = std::max(peak, peak_of(w));
    }
  }
  return peaks;
}

// What the memory of a worker follows from, where its kernel reads no schedule: the sizes and roles
// of its groups, numbered as they first occur, and its tasks and messages.
class Likeness {
 public:
  explicit Likeness(const Plan& plan)
      : plan_(plan),
        numbers_{std::vector<Number>(plan.q_groups.size()),
                 std::vector<Number>(plan.kv_groups.size())} {}

  [[nodiscard]] const std::vector<std::int64_t>& of(const Worker& worker, int index) {
    index_ = index;
    n_known_ = {};
    said_.clear();
    for (const Range& heads : {worker.heads, worker.queries, worker.results}) add(heads);
    add(worker.saved);
    add_groups(false, worker.q_groups);
    add_groups(true, worker.kv_groups);
    for (const Step& step : worker.steps) {
      for (const Transfer& transfer : step.receives) add(transfer);
      said_.push_back(-1);
      for (const PairTask& task : step.tasks) {
        add_group(false, task.q_group);
        add_group(true, task.kv_group);
        add(task.heads);
      }
      said_.push_back(-1);
      for (const Transfer& transfer : step.sends) add(transfer);
      said_.push_back(-1);
    }
    return said_;
  }

 private:
  struct Number {
    int of_worker = -1;
    std::int64_t number = 0;
  };

  void add(const Range& range) { said_.insert(said_.end(), {range.begin, range.end}); }
  void add(const Transfer& transfer) {
    const auto n = static_cast<int>(plan_.workers.size());
    said_.insert(said_.end(), {static_cast<std::int64_t>(transfer.kind),
                               static_cast<std::int64_t>(transfer.what), transfer.bytes,
                               transfer.peer == kRoot ? kRoot : (transfer.peer - index_ + n) % n});
    add(transfer.heads);
    add_groups(is_of_keys(transfer.what), plan_.groups_of(transfer));
  }
  void add_groups(bool of_keys, const std::vector<int>& groups) {
    said_.push_back(std::ssize(groups));
    for (const int group : groups) add_group(of_keys, group);
  }
  void add_group(bool of_keys, int group) {
    const std::size_t side = of_keys ? 1 : 0;
    Number& known = numbers_[side][static_cast<std::size_t>(group)];
    const bool is_new = known.of_worker != index_;
    if (is_new) known = {index_, n_known_[side]++};
    said_.push_back(known.number);
    if (!is_new) return;
    said_.push_back(group_at(of_keys ? plan_.kv_groups : plan_.q_groups, group).count);
    if (of_keys && !plan_.kv_first_step.empty())
      said_.push_back(plan_.kv_first_step[static_cast<std::size_t>(group)]);
  }

  const Plan& plan_;
  std::array<std::vector<Number>, 2> numbers_;  // of queries and of keys, by group
  std::array<std::int64_t, 2> n_known_{};
  int index_ = 0;
  std::vector<std::int64_t> said_;
};

// Plays one worker of those that are alike.
std::vector<std::int64_t> peaks_by_likeness(const Plan& plan, Kernel kernel, int threads) {
  std::map<std::vector<std::int64_t>, std::int64_t> known;
  std::vector<std::int64_t> peaks;
  Likeness likeness(plan);
  Worker scratch;
  for (int w = 0; std::cmp_less(w, plan.workers.size()); ++w) {
    const Worker& worker = plan.workers.read(static_cast<std::size_t>(w), scratch);
    const auto [peak, is_new] = known.try_emplace(likeness.of(worker, w), 0);
    if (is_new) peak->second = std::ranges::max(step_peak_bytes(plan, w, kernel, threads));
    peaks.push_back(peak->second);
  }
  return peaks;
}

// Workers that are alike step by step are played only once.
std::vector<std::int64_t> worker_peaks(const Plan& plan, Kernel kernel, int threads) {
  if (works_in_place(plan)) {
    Rehearsed rehearsed(plan, kernel, threads);
    play_in_place(plan, rehearsed.arguments, rehearsed.tools, rehearsed.time);
    return {rehearsed.take_peak()};
  }
  std::vector<std::int64_t> peaks(plan.workers.size());
  const auto n = static_cast<int>(peaks.size());
  const Representatives representatives(plan);
  // What `staged` stores follows from the pairs of each call.
  const bool reads_schedule = CpuDevice::Costs(threads).reads_schedule(kernel);
  if (!reads_schedule && representatives.size() == 0)
    return peaks_by_likeness(plan, kernel, threads);
  if (reads_schedule) {
    for (int w = 0; w < n; ++w)
      peaks[static_cast<std::size_t>(w)] =
          std::ranges::max(step_peak_bytes(plan, w, kernel, threads));
    return peaks;
  }
  if (const CountedCalls* const counted = representatives.counted())
    return counted_peaks(plan, *counted, kernel, threads);
  std::vector<std::vector<StepMemory>> by_step;
  for (std::size_t i = 0; i < representatives.size(); ++i) {
    const Plan like = representatives.plan(i);
    by_step.push_back(step_memory(like, step_peak_bytes(like, 0, kernel, threads)));
  }
  for (int w = 0; w < n; ++w) {
    std::int64_t kept = 0;
    for (std::size_t s = 0; s < by_step[0].size(); ++s) {
      const StepMemory& step = by_step[representatives.of(w, s)][s];
      std::int64_t& peak = peaks[static_cast<std::size_t>(w)];
      peak = std::max(peak, step.peak_bytes + kept);
      kept = step.returns ? 0 : kept + step.keeps_bytes;
    }
  }
  return peaks;
}

}  // namespace

std::vector<std::int64_t> step_peak_bytes(const Plan& plan, int index, Kernel kernel, int threads) {
  Rehearsed rehearsed(plan, kernel, threads);
  std::vector<std::int64_t> peaks;
  WorkerPlayer player(plan, index, rehearsed.arguments, rehearsed.tools, rehearsed.time);
  player.prepare();
  for (std::size_t step = 0; step < player.worker().steps.size(); ++step) {
    player.begin_step();
    player.compute_step();
    player.end_step();
    peaks.push_back(rehearsed.take_peak());
  }
  player.finish();
  peaks.resize(std::max<std::size_t>(peaks.size(), 1));
  peaks.back() = std::max(peaks.back(), rehearsed.take_peak());
  return peaks;
}

PlanMemory plan_memory(const Plan& plan, Kernel kernel, int threads) {
  PlanMemory memory{.worker_peak_bytes = worker_peaks(plan, kernel, threads)};
  const std::vector<std::int64_t>& peaks = memory.worker_peak_bytes;
  const std::int64_t worst = peaks.empty() ? 0 : std::ranges::max(peaks);
  const auto sum = std::accumulate(peaks.begin(), peaks.end(), std::int64_t{0});
  std::int64_t whole = 0;
  for (const CallerTensor& tensor : caller_tensors(plan))
    whole += tensor.extent.elements() * size_of(tensor.dtype);
  if (plan.pass == Pass::backward && is_scattered(plan))
    whole += plan.problem.shape.lse().elements() * size_of(DType::f32);
  memory.serial_bytes = whole + (communicates(plan) ? sum : worst);
  memory.threads_bytes = whole + sum;
  if (is_scattered(plan)) memory.root_peak_bytes = whole + peaks.front();
  memory.device_peak_bytes = works_in_place(plan) ? whole + worst : worst;
  return memory;
}

}  // namespace qb
