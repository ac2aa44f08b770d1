// Kernels that want their rows in one piece: each worker, in its turn, gets copies of the rows that
// it would hold on a device of its own.
#include <algorithm>

#include "harness/execute/player/device_player.h"
#include "harness/execute/player/worker.h"
#include "harness/plan/work/tiling.h"

namespace qb {
namespace {

TensorView rows_of(const TensorView& whole, const TokenGroup& group) {
  return whole.tokens(group.first, group.count, group.stride);
}

// Tells the stages of a kernel's time apart, all of which is a step's.
cuda::OnStage stage_clock(Stopwatch& watch, double* compute_s, StageTimes& stages) {
  return [&watch, compute_s, &stages](cuda::KernelStage stage) {
    double* const stage_s[] = {&stages.scores_s, &stages.softmax_s, &stages.values_s, nullptr};
    watch.charge(compute_s, stage_s[static_cast<int>(stage)]);
  };
}

}  // namespace

// One worker's turn.
class DeviceExecutor::Shards::Turn {
 public:
  Turn(Shards& player, int index, Stopwatch& watch, Execution& execution)
      : player_(player),
        plan_(player.plan_),
        index_(index),
        worker_(plan_.workers[static_cast<std::size_t>(index)]),
        watch_(watch),
        time_(execution.workers[static_cast<std::size_t>(index)]),
        stages_(execution.stages),
        blocks_(plan_, worker_) {
    time_.steps.resize(worker_.steps.size());
  }

  void play() {
    watch_.charge(is_scattered() ? &time_.gather_s : nullptr);
    hold(blocks_.block(kResidentQueries), "q_local", "");
    hold(blocks_.block(kResidentKeys), "k_local", "v_local");
    for (std::size_t step = 0; step < worker_.steps.size(); ++step) {
      watch_.charge(nullptr);
      blocks_.enter_step();
      for (const Block& block : blocks_.arrived())
        hold(block, block.of_queries ? "q_block" : "k_block", "v_block");
      watch_.charge(&time_.steps[step].compute_s);
      for (const KernelCall& call : blocks_.take_calls())
        compute(call, &time_.steps[step].compute_s);
      watch_.charge(nullptr);
      for (const int id : blocks_.leave_step()) {
        deliver(id);
        held_.erase(id);
      }
    }
    watch_.charge(&time_.merge_s);
    while (!partials_.empty()) deliver(partials_.begin()->first);
    watch_.charge(nullptr);
  }

 private:
  [[nodiscard]] bool is_scattered() const {
    if (worker_.steps.empty()) return false;
    const std::vector<Transfer>& receives = worker_.steps[0].receives;
    return std::any_of(receives.begin(), receives.end(), [](const Transfer& transfer) {
      return transfer.kind == TransferKind::scatter;
    });
  }

  [[nodiscard]] Tensor copy(const TensorView& whole, const std::vector<TokenGroup>& groups,
                            const Block& block, const HeadRange& heads, const char* label) {
    Extent extent = whole.extent;
    extent.heads = heads.end - heads.begin;
    extent.length = block.rows;
    Tensor local(*player_.arguments_.allocator, whole.dtype, extent, label, index_);
    const TensorView part = whole.heads(heads.begin, extent.heads);
    for (std::size_t i = 0; i < block.groups.size(); ++i) {
      const TokenGroup& group = groups[static_cast<std::size_t>(block.groups[i])];
      player_.device_.copy_rows(rows_of(part, group),
                                local.view().tokens(block.begins[i], group.count));
    }
    return local;
  }

  void hold(const Block& block, const char* first_label, const char* second_label) {
    const DeviceArguments& a = player_.arguments_;
    Held& held = held_[block.id];
    if (block.of_queries) {
      held.first = copy(a.q, plan_.q_groups, block, block.heads, first_label);
      return;
    }
    const HeadRange heads = kv_heads_of(plan_.problem.shape, block.heads);
    held.first = copy(a.k, plan_.kv_groups, block, heads, first_label);
    held.second = copy(a.v, plan_.kv_groups, block, heads, second_label);
  }

  [[nodiscard]] std::pair<Tensor, Tensor> make_output(std::int64_t rows, const HeadRange& heads,
                                                      const char* out, const char* lse) const {
    const Shape& shape = plan_.problem.shape;
    const std::int64_t n_heads = heads.end - heads.begin;
    Allocator& memory = *player_.arguments_.allocator;
    return {Tensor(memory, DType::f32, {shape.batch, n_heads, rows, shape.value_dim}, out, index_),
            Tensor(memory, DType::f32, {shape.batch, n_heads, rows, 1}, lse, index_)};
  }

  Partial& partial_of(const Block& block) {
    const auto found = partials_.find(block.id);
    if (found != partials_.end()) return found->second;
    auto [out, lse] = make_output(block.rows, block.heads, "out_partial", "lse_partial");
    return partials_.emplace(block.id, Partial{block, std::move(out), std::move(lse)})
        .first->second;
  }

  void compute(const KernelCall& call, double* compute_s) {
    const Block& q = blocks_.block(call.q_block);
    const Block& kv = blocks_.block(call.kv_block);
    const bool known = partials_.count(q.id) > 0;
    Partial& partial = partial_of(q);
    const bool writes_all =
        !known && call.q_begin == 0 && call.q_end == q.rows && call.heads == q.heads;
    if (!known && !writes_all)
      player_.device_.clear_partial(partial.out.view(), partial.lse.view());

    const std::int64_t rows = call.q_end - call.q_begin;
    const std::int64_t keys = call.k_end - call.k_begin;
    const HeadRange kv_heads = kv_heads_of(plan_.problem.shape, call.heads);
    const HeadRange held_kv_heads = kv_heads_of(plan_.problem.shape, kv.heads);
    const auto of_queries = [&](const TensorView& view) {
      return view.tokens(call.q_begin, rows)
          .heads(call.heads.begin - q.heads.begin, call.heads.end - call.heads.begin);
    };
    const auto of_keys = [&](const TensorView& view) {
      return view.tokens(call.k_begin, keys)
          .heads(kv_heads.begin - held_kv_heads.begin, kv_heads.end - kv_heads.begin);
    };
    const Kernel kernel = player_.arguments_.kernel;
    const TileSchedule schedule =
        call_schedule(plan_, blocks_, call,
                      player_.device_.tiles(kernel, plan_.problem.shape.head_dim).query_tile);
    std::pair<Tensor, Tensor> result;
    if (!writes_all) result = make_output(rows, call.heads, "out_step", "lse_step");
    const TensorView out = writes_all ? partial.out.view() : result.first.view();
    const TensorView lse = writes_all ? partial.lse.view() : result.second.view();
    const Held& keys_values = held_.at(kv.id);
    player_.device_.attention(
        kernel,
        {of_queries(held_.at(q.id).first.view()), of_keys(keys_values.first.view()),
         of_keys(keys_values.second.view()), &schedule, plan_.problem.scale, out, lse},
        *player_.arguments_.allocator, index_, stage_clock(watch_, compute_s, stages_));
    if (!writes_all)
      player_.device_.merge_partial(of_queries(partial.out.view()), of_queries(partial.lse.view()),
                                    out, lse);
  }

  // Into the output, group by group.
  void deliver(int id) {
    const auto found = partials_.find(id);
    if (found == partials_.end()) return;
    const Partial& partial = found->second;
    const HeadRange& heads = partial.block.heads;
    const DeviceArguments& a = player_.arguments_;
    for (std::size_t i = 0; i < partial.block.groups.size(); ++i) {
      const auto number = static_cast<std::size_t>(partial.block.groups[i]);
      const TokenGroup& group = plan_.q_groups[number];
      const std::int64_t n_heads = heads.end - heads.begin;
      const TensorView out = rows_of(a.out, group).heads(heads.begin, n_heads);
      const TensorView lse = rows_of(a.lse, group).heads(heads.begin, n_heads);
      const TensorView part_out = partial.out.view().tokens(partial.block.begins[i], group.count);
      const TensorView part_lse = partial.lse.view().tokens(partial.block.begins[i], group.count);
      // Some heads are not all of its rows: those of the others must hold something too.
      const bool all_heads = n_heads == plan_.problem.shape.q_heads;
      if (player_.written_[number] == 0 && !all_heads)
        player_.device_.clear_partial(rows_of(a.out, group), rows_of(a.lse, group));
      if (player_.written_[number] != 0 || !all_heads) {
        player_.device_.merge_partial(out, lse, part_out, part_lse);
      } else {
        player_.device_.copy_rows(part_out, out);
        player_.device_.copy_rows(part_lse, lse);
      }
      player_.written_[number] = 1;
    }
    partials_.erase(found);
  }

  Shards& player_;
  const Plan& plan_;
  const int index_;
  const Worker& worker_;
  Stopwatch& watch_;
  WorkerTime& time_;
  StageTimes& stages_;
  BlockTracker blocks_;
  std::map<int, Held> held_;         // by block
  std::map<int, Partial> partials_;  // by block of queries
};

void DeviceExecutor::Shards::play_in_place(Stopwatch& watch, Execution& execution) {
  WorkerTime& time = execution.workers[0];
  BlockTracker blocks(plan_, plan_.workers[0]);
  blocks.enter_step();
  const std::vector<KernelCall> calls = blocks.take_calls();
  time.steps.resize(1);
  if (calls.empty()) {
    watch.charge(&time.steps[0].compute_s);
    device_.clear_partial(arguments_.out, arguments_.lse);
    return;
  }
  const std::int64_t tile =
      device_.tiles(arguments_.kernel, plan_.problem.shape.head_dim).query_tile;
  const TileSchedule schedule = call_schedule(plan_, blocks, calls[0], tile);
  watch.charge(&time.steps[0].compute_s);
  device_.attention(arguments_.kernel,
                    {arguments_.q, arguments_.k, arguments_.v, &schedule, plan_.problem.scale,
                     arguments_.out, arguments_.lse},
                    *arguments_.allocator, 0,
                    stage_clock(watch, &time.steps[0].compute_s, execution.stages));
}

Execution DeviceExecutor::Shards::run() {
  Execution execution;
  execution.workers.resize(plan_.workers.size());
  written_.assign(plan_.q_groups.size(), 0);
  Stopwatch watch(device_, arguments_.clock);
  watch.start();
  if (works_in_place(plan_)) {
    play_in_place(watch, execution);
  } else {
    watch.charge(nullptr);
    for (std::size_t i = 0; i < plan_.workers.size(); ++i)
      Turn(*this, static_cast<int>(i), watch, execution).play();
    for (std::size_t group = 0; group < written_.size(); ++group)
      if (written_[group] == 0)
        device_.clear_partial(rows_of(arguments_.out, plan_.q_groups[group]),
                              rows_of(arguments_.lse, plan_.q_groups[group]));
  }
  watch.stop();
  execution.wall_s = watch.wall_s();
  execution.device_s = watch.device_s();
  for (WorkerTime& worker : execution.workers)
    for (const StepTime& step : worker.steps) worker.compute_s += step.compute_s;
  execution.critical_path_s = composed_critical_path_s(plan_, execution.workers);
  add_sums(plan_, execution);
  return execution;
}

}  // namespace qb
