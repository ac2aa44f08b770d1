#include "harness/execute/player/device_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/status.h"
#include "harness/execute/player/worker.h"
#include "harness/plan/work/tiling.h"

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

// Kernel flash: launches that read Q, K and V in place.
class DeviceExecutor::Rounds {
 public:
  Rounds(const Plan& plan, const ExecutionArguments& arguments, ComputeDevice& device);
  [[nodiscard]] Execution run();

 private:
  // The calls of one launch, and the worker and step that their time belongs to.
  struct Round {
    int worker = 0;  // for `alone`
    std::size_t step = 0;
    std::vector<cuda::GroupedWorker> workers;
    std::vector<std::unique_ptr<TileSchedule>> schedules;
    std::unique_ptr<PreparedCall> prepared;
  };

  void add_worker(int index);
  Round& round_of(int worker, std::size_t step);
  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const Round& round) const;
  [[nodiscard]] bool clears_first() const { return rounds_.size() != 1; }
  void enqueue(Stopwatch* watch, Execution& execution);

  const Plan& plan_;
  const ExecutionArguments& arguments_;
  ComputeDevice& device_;
  std::vector<Round> rounds_;
  bool keeps_prepared_ = false;
  std::function<void()> replay_;  // for `graph`
};

DeviceExecutor::Rounds::Rounds(const Plan& plan, const ExecutionArguments& arguments,
                               ComputeDevice& device)
    : plan_(plan), arguments_(arguments), device_(device) {
  for (std::size_t i = 0; i < plan.workers.size(); ++i) add_worker(static_cast<int>(i));
  keeps_prepared_ = arguments_.launch != Launch::alone || plan_.workers.size() == 1;
  if (keeps_prepared_)
    for (Round& round : rounds_) round.prepared = prepare(round);
  if (arguments_.launch == Launch::graph)
    replay_ = device_.record([this] {
      Execution ignored;
      enqueue(nullptr, ignored);
    });
}

// In `alone` a round is a worker's step, otherwise a step of all workers.
DeviceExecutor::Rounds::Round& DeviceExecutor::Rounds::round_of(int worker, std::size_t step) {
  const bool alone = arguments_.launch == Launch::alone;
  const auto found = std::find_if(rounds_.begin(), rounds_.end(), [&](const Round& round) {
    return round.step == step && (!alone || round.worker == worker);
  });
  if (found != rounds_.end()) return *found;
  rounds_.push_back(
      {.worker = worker, .step = step, .workers = {}, .schedules = {}, .prepared = nullptr});
  return rounds_.back();
}

void DeviceExecutor::Rounds::add_worker(int index) {
  const Worker& worker = plan_.workers[static_cast<std::size_t>(index)];
  const std::int64_t tile = device_.tiles(Kernel::flash, plan_.problem.shape.head_dim).query_tile;
  BlockTracker blocks(plan_, worker);
  for (std::size_t step = 0; step < worker.steps.size(); ++step) {
    blocks.enter_step();
    for (const KernelCall& call : blocks.take_calls()) {
      if (call.tasks.empty()) continue;
      Round& round = round_of(index, step);
      auto schedule = std::make_unique<TileSchedule>(call_schedule(plan_, blocks, call, tile));
      round.workers.push_back({.worker = index,
                               .q_groups = token_rows(plan_.q_groups, blocks.block(call.q_block),
                                                      call.q_begin, call.q_end),
                               .kv_groups = token_rows(plan_.kv_groups, blocks.block(call.kv_block),
                                                       call.k_begin, call.k_end),
                               .schedule = schedule.get(),
                               .head_begin = call.heads.begin,
                               .head_end = call.heads.end});
      round.schedules.push_back(std::move(schedule));
    }
    (void)blocks.leave_step();
  }
}

std::unique_ptr<PreparedCall> DeviceExecutor::Rounds::prepare(const Round& round) const {
  return device_.prepare({.q = arguments_.q,
                          .k = arguments_.k,
                          .v = arguments_.v,
                          .scale = plan_.problem.scale,
                          .workers = round.workers,
                          .out = arguments_.out,
                          .lse = arguments_.lse,
                          .accumulate = clears_first()},
                         *arguments_.allocator);
}

void DeviceExecutor::Rounds::enqueue(Stopwatch* watch, Execution& execution) {
  if (clears_first()) device_.clear_partial(arguments_.out, arguments_.lse);
  for (Round& round : rounds_) {
    const std::unique_ptr<PreparedCall> own = keeps_prepared_ ? nullptr : prepare(round);
    PreparedCall& call = keeps_prepared_ ? *round.prepared : *own;
    double* compute_s = nullptr;
    double* merge_s = nullptr;
    if (watch != nullptr && !execution.workers.empty()) {
      WorkerTime& time = execution.workers[static_cast<std::size_t>(round.worker)];
      compute_s = &time.steps[round.step].compute_s;
      merge_s = &time.merge_s;
    }
    if (watch != nullptr) watch->charge(compute_s);
    call.attend();
    if (watch != nullptr) watch->charge(merge_s);
    call.merge();
    if (watch != nullptr) watch->charge(nullptr);
  }
}

Execution DeviceExecutor::Rounds::run() {
  Execution execution;
  const bool of_workers = arguments_.launch == Launch::alone || plan_.workers.size() == 1;
  if (of_workers) {
    execution.workers.resize(plan_.workers.size());
    for (std::size_t i = 0; i < plan_.workers.size(); ++i)
      execution.workers[i].steps.resize(plan_.workers[i].steps.size());
  }
  Stopwatch watch(device_, arguments_.clock);
  watch.start();
  if (replay_) {
    const bool one = !execution.workers.empty() && !execution.workers[0].steps.empty();
    watch.charge(one ? &execution.workers[0].steps[0].compute_s : nullptr);
    replay_();
  } else {
    enqueue(&watch, execution);
  }
  watch.stop();
  execution.wall_s = watch.wall_s();
  execution.device_s = watch.device_s();
  for (WorkerTime& worker : execution.workers) sum_steps(worker);
  execution.critical_path_s =
      of_workers ? composed_critical_path_s(plan_, execution.workers) : execution.wall_s;
  if (of_workers) {
    add_sums(plan_, execution);
  } else {
    execution.worker_sum_s = std::numeric_limits<double>::quiet_NaN();
    execution.longest_subsequence_s = execution.worker_sum_s;
  }
  return execution;
}

DeviceExecutor::DeviceExecutor(const Plan& plan, const ExecutionArguments& arguments,
                               ComputeDevice& device)
    : plan_(plan), arguments_(arguments), device_(device) {
  const Problem& problem = plan.problem;
  for (const std::int64_t dim : {problem.shape.head_dim, problem.shape.value_dim})
    device.require(arguments.kernel, problem.dtype, dim);
  if (arguments.kernel == Kernel::flash)
    rounds_ = std::make_unique<Rounds>(plan_, arguments_, device_);
  else if (arguments.launch != Launch::alone)
    throw Unsupported(
        fmt::format("launch: {} needs kernel flash; kernel {} computes each worker alone",
                    word(arguments.launch), word(arguments.kernel)));
}

DeviceExecutor::~DeviceExecutor() = default;

Execution DeviceExecutor::run() {
  if (rounds_) return rounds_->run();
  Execution execution = execute_serial(plan_, arguments_, device_);
  add_sums(plan_, execution);
  return execution;
}

}  // namespace qb
