// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/device_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/status.h"
#include "harness/plan/tiling.h"
#include "harness/run/runner/worker.h"

namespace qb {
namespace {

// Returns rows [begin, end) of a block as tokens of the whole sequence.
std::vector<TokenGroup> token_rows(const std::vector<TokenGroup>& groups, const Block& block,
                                   std::int64_t begin, std::int64_t end) {
  std::vector<TokenGroup> rows;
  for (std::size_t i = 0; i < block.groups.size(); ++i) {
    const TokenGroup& group = groups[static_cast<std::size_t>(block.groups[i])];
    const std::int64_t first = std::max<std::int64_t>(begin - block.begins[i], 0);
    const std::int64_t last = std::min(end - block.begins[i], group.count);
    if (first < last) rows.push_back({group.token(first), last - first, group.stride});
  }
  return rows;
}

}  // namespace

// One launch of kernel flash, and the worker and step that its time belongs to.
struct DeviceExecutor::Round {
  int worker = 0;  // for `alone`
  std::size_t step = 0;
  std::vector<cuda::GroupedWorker> workers{};
  std::list<TileSchedule> schedules{};  // the workers refer to them
  AttentionDevice::Prepared prepared{};
};

void require_launch(Launch launch, Pass pass, Kernel kernel) {
  if (launch == Launch::alone) return;
  if (pass == Pass::backward)
    throw Unsupported(fmt::format(
        "launch: {} is for the forward pass; a backward pass computes each worker alone",
        word(launch)));
  if (kernel != Kernel::flash)
    throw Unsupported(
        fmt::format("launch: {} needs kernel flash; kernel {} computes each worker alone",
                    word(launch), word(kernel)));
}

DeviceExecutor::DeviceExecutor(const Plan& plan, const ExecutionArguments& arguments,
                               ComputeDevice& device)
    : plan_(plan), arguments_(arguments), device_(device.as<AttentionDevice>()) {
  const Problem& problem = plan.problem;
  for (const std::int64_t dim : {problem.shape.head_dim, problem.shape.value_dim})
    device_.require(arguments.kernel, problem.dtype, dim);
  require_launch(arguments.launch, plan.pass, arguments.kernel);
  if (runs_workers()) {
    keeps_prepared_ = plan.pass == Pass::backward && works_in_place(plan) &&
                      keep_in_place(plan_, arguments_, device_, kept_);
    return;
  }
  sinks_ = Sinks(plan_.problem, *arguments_.allocator, device_, kRoot);
  for (std::size_t i = 0; i < plan.workers.size(); ++i) add_worker(static_cast<int>(i));
  keeps_prepared_ = arguments_.launch != Launch::alone || plan_.workers.size() == 1;
  if (keeps_prepared_)
    for (Round& round : rounds_) round.prepared = prepare(round);
  if (arguments_.launch != Launch::graph) return;
  const auto enqueue_all = [this] {
    std::vector<WorkerTime> ignored;
    enqueue(nullptr, ignored);
  };
  enqueue_all();
  device_.wait();
  replay_ = device_.record(enqueue_all);
}

DeviceExecutor::~DeviceExecutor() = default;

// In `alone` a round is a worker's step, otherwise a step of all workers.
DeviceExecutor::Round& DeviceExecutor::round_of(int worker, std::size_t step) {
  const bool alone = arguments_.launch == Launch::alone;
  const auto found = std::ranges::find_if(rounds_, [&](const Round& round) {
    return round.step == step && (!alone || round.worker == worker);
  });
  if (found != rounds_.end()) return *found;
  return rounds_.emplace_back(Round{.worker = worker, .step = step});
}

void DeviceExecutor::add_worker(int index) {
  const Worker& worker = plan_.workers[static_cast<std::size_t>(index)];
  const std::int64_t tile = device_.tiles(Kernel::flash, plan_.problem.shape.head_dim).query_tile;
  BlockTracker blocks(plan_, worker);
  for (std::size_t step = 0; step < worker.steps.size(); ++step) {
    blocks.enter_step();
    for (const KernelCall& call : blocks.take_calls()) {
      if (call.tasks.empty()) continue;
      Round& round = round_of(index, step);
      const TileSchedule& schedule =
          round.schedules.emplace_back(call_schedule(plan_, blocks, call, tile));
      round.workers.push_back({.worker = index,
                               .q_groups = token_rows(plan_.q_groups, blocks.block(call.q_block),
                                                      call.q_begin, call.q_end),
                               .kv_groups = token_rows(plan_.kv_groups, blocks.block(call.kv_block),
                                                       call.k_begin, call.k_end),
                               .schedule = &schedule,
                               .head_begin = call.heads.begin,
                               .head_end = call.heads.end});
    }
    (void)blocks.leave_step();
  }
}

AttentionDevice::Prepared DeviceExecutor::prepare(const Round& round) const {
  return device_.prepare({.q = arguments_.q,
                          .k = arguments_.k,
                          .v = arguments_.v,
                          .scale = plan_.problem.scale,
                          .workers = round.workers,
                          .out = arguments_.out,
                          .lse = arguments_.lse,
                          .accumulate = rounds_.size() != 1},
                         *arguments_.allocator);
}

void DeviceExecutor::enqueue(Stopwatch* watch, std::vector<WorkerTime>& times) {
  const auto charge = [&](double* seconds) {
    if (watch != nullptr) watch->charge(seconds);
  };
  if (rounds_.size() != 1) device_.clear_partial(arguments_.out, arguments_.lse);
  for (Round& round : rounds_) {
    const AttentionDevice::Prepared call = keeps_prepared_ ? round.prepared : prepare(round);
    WorkerTime* const time =
        times.empty() ? nullptr : &times[static_cast<std::size_t>(round.worker)];
    charge(time == nullptr ? nullptr : &time->steps[round.step].compute_s);
    call.attend();
    charge(time == nullptr ? nullptr : &time->merge_s);
    call.merge();
    charge(nullptr);
  }
  if (!sinks_) return;
  charge(times.empty() ? nullptr : &times.back().merge_s);
  sinks_.merge_into(device_, arguments_.out, arguments_.lse);
  charge(nullptr);
}

Execution DeviceExecutor::run() {
  Execution execution;
  std::vector<WorkerTime>& times = execution.workers;
  if (runs_workers()) {
    kept_.rewind();
    execution = execute_serial(plan_, arguments_, device_, keeps_prepared_ ? &kept_ : nullptr);
    add_peaks(arguments_, execution);
    add_sums(plan_, execution);
    return execution;
  }
  if (times_workers()) {
    times.resize(plan_.workers.size());
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i].steps.resize(plan_.workers[i].steps.size());
  }
  Stopwatch watch(device_, arguments_.clock);
  watch.start();
  if (replay_) {
    const bool one = !times.empty() && !times[0].steps.empty();
    watch.charge(one ? &times[0].steps[0].compute_s : nullptr);
    replay_();
  } else {
    enqueue(&watch, times);
  }
  watch.stop();
  execution.wall_s = watch.wall_s();
  execution.device_s = watch.device_s();
  for (WorkerTime& worker : times) worker.compute_s = worker.sum_s(&StepTime::compute_s);
  if (times_workers()) {
    execution.critical_path_s = composed_critical_path_s(plan_, times);
    add_peaks(arguments_, execution);
    add_sums(plan_, execution);
  } else {
    execution.critical_path_s = execution.wall_s;
    execution.worker_sum_s = std::numeric_limits<double>::quiet_NaN();
    execution.longest_subsequence_s = execution.worker_sum_s;
  }
  return execution;
}

}  // namespace qb
