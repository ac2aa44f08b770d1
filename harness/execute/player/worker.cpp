#include "harness/execute/player/worker.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace qb {
namespace {

TensorView group_rows(const TensorView& whole, const TokenGroup& group) {
  return whole.tokens(group.first, group.count, group.stride);
}

TileSchedule schedule_of(const Plan& plan, const BlockTracker& blocks, const KernelCall& call,
                         Kernel kernel, const WorkerDevice& device) {
  const KernelTiles tiles = device.tiles(kernel, plan.problem.shape.head_dim);
  return call_schedule(plan, blocks, call, tiles.query_tile,
                       {tiles.residue_classes, device.host_threads()});
}

// See ExecutionArguments::worker_speeds.
void slow_down(const ExecutionArguments& arguments, int worker, double busy_s) {
  if (arguments.worker_speeds.empty()) return;
  const double speed = arguments.worker_speeds[static_cast<std::size_t>(worker)];
  if (speed < 1.0)
    std::this_thread::sleep_for(std::chrono::duration<double>(busy_s * (1.0 / speed - 1.0)));
}

}  // namespace

int threads_for_bytes(std::int64_t bytes, int threads) {
  constexpr std::int64_t kBytesPerThread = 1 << 20;
  return static_cast<int>(std::clamp<std::int64_t>(bytes / kBytesPerThread, 1, threads));
}

WorkerPlayer::WorkerPlayer(const Plan& plan, int index, const ExecutionArguments& arguments,
                           WorkerDevice& device, Transport* transport, WorkerTime& time)
    : plan_(plan),
      index_(index),
      worker_(plan.workers[static_cast<std::size_t>(index)]),
      arguments_(arguments),
      device_(device),
      transport_(transport),
      time_(time),
      blocks_(plan, worker_) {
  time_.steps.resize(worker_.steps.size());
}

bool WorkerPlayer::is_scattered() const {
  if (worker_.steps.empty()) return false;
  const std::vector<Transfer>& receives = worker_.steps[0].receives;
  return std::any_of(receives.begin(), receives.end(), [](const Transfer& transfer) {
    return transfer.kind == TransferKind::scatter;
  });
}

Extent WorkerPlayer::extent(TensorRole what, std::int64_t rows, const HeadRange& heads) const {
  const Shape& shape = plan_.problem.shape;
  const bool of_keys = what == TensorRole::k || what == TensorRole::v;
  const HeadRange range = of_keys ? kv_heads_of(shape, heads) : heads;
  const bool wide = what == TensorRole::q || what == TensorRole::k;
  return {shape.batch, range.end - range.begin, rows, wide ? shape.head_dim : shape.value_dim};
}

Partial WorkerPlayer::make_partial(std::int64_t rows, const HeadRange& heads, const char* out_label,
                                   const char* lse_label) const {
  Extent lse = extent(TensorRole::partial, rows, heads);
  lse.head_dim = 1;
  Allocator& memory = *arguments_.allocator;
  return {Tensor(memory, DType::f32, extent(TensorRole::partial, rows, heads), out_label, index_),
          Tensor(memory, DType::f32, lse, lse_label, index_), false};
}

void WorkerPlayer::make_room() {
  const Block& q = blocks_.block(kResidentQueries);
  const Block& kv = blocks_.block(kResidentKeys);
  Held& queries = held_[kResidentQueries];
  Held& keys = held_[kResidentKeys];
  const auto local = [&](TensorRole what, const Block& block, const char* label) {
    return Tensor(*arguments_.allocator, plan_.problem.dtype, extent(what, block.rows, block.heads),
                  label, index_);
  };
  queries.first_owned = local(TensorRole::q, q, "q_local");
  keys.first_owned = local(TensorRole::k, kv, "k_local");
  keys.second_owned = local(TensorRole::v, kv, "v_local");
  queries.first = queries.first_owned.view();
  keys.first = keys.first_owned.view();
  keys.second = keys.second_owned.view();
  if (q.rows == 0) return;
  resident_ = make_partial(q.rows, q.heads, "out_partial", "lse_partial");
  begin_reduction();
}

TensorView WorkerPlayer::shard(TensorRole what) const {
  const Held& held = held_.at(what == TensorRole::q ? kResidentQueries : kResidentKeys);
  return what == TensorRole::v ? held.second : held.first;
}

// Takes a block's groups from the caller's whole tensor, or makes them.
void WorkerPlayer::fill(TensorRole what, const TensorView& whole, const Block& block,
                        const TensorView& local) const {
  const bool of_queries = what == TensorRole::q;
  const std::vector<TokenGroup>& groups = of_queries ? plan_.q_groups : plan_.kv_groups;
  const HeadRange heads = of_queries ? block.heads : kv_heads_of(plan_.problem.shape, block.heads);
  if (!arguments_.shard) {
    device_.gather(whole.heads(heads.begin, heads.end - heads.begin), local,
                   {groups, block.groups, block.begins});
    return;
  }
  device_.write(local, [&](const TensorView& rows) {
    for (std::size_t i = 0; i < block.groups.size(); ++i) {
      const TokenGroup& group = groups[static_cast<std::size_t>(block.groups[i])];
      arguments_.shard(what, group, heads, rows.tokens(block.begins[i], group.count));
    }
  });
}

Tensor WorkerPlayer::shard_of(int worker, TensorRole what, const TensorView& whole) const {
  const BlockTracker blocks(plan_, plan_.workers[static_cast<std::size_t>(worker)]);
  const Block& block = blocks.block(what == TensorRole::q ? kResidentQueries : kResidentKeys);
  Tensor tensor(*arguments_.allocator, plan_.problem.dtype, extent(what, block.rows, block.heads),
                "scattered", kRoot);
  fill(what, whole, block, tensor.view());
  return tensor;
}

void WorkerPlayer::prepare() {
  // Shards are where the work begins; only a scatter is part of it.
  device_.charge(is_scattered() ? &time_.gather_s : nullptr);
  make_room();
  const Block& q = blocks_.block(kResidentQueries);
  const Block& kv = blocks_.block(kResidentKeys);
  fill(TensorRole::q, arguments_.q, q, shard(TensorRole::q));
  fill(TensorRole::k, arguments_.k, kv, shard(TensorRole::k));
  fill(TensorRole::v, arguments_.v, kv, shard(TensorRole::v));
  device_.charge(nullptr);
}

void WorkerPlayer::begin_step() {
  device_.note(&step_time().start_s);
  await_messages();
  end_sends();
  blocks_.enter_step();
  const double start_s = now_s();
  device_.charge(&step_time().compute_s);
  take_up_blocks();
  merge_messages();
  incoming_.clear();
  slow_down(arguments_, index_, now_s() - start_s);
  device_.charge(nullptr);
  post_receives();
  post_sends(false);
}

void WorkerPlayer::compute_step() {
  const double start_s = now_s();
  device_.charge(&step_time().compute_s);
  for (const KernelCall& call : blocks_.take_calls()) compute(call);
  slow_down(arguments_, index_, now_s() - start_s);
  device_.charge(nullptr);
}

// What the step before sent has mostly gone by the time that the next messages have come.
void WorkerPlayer::end_sends() {
  for (const Outgoing& outgoing : sent_) wait(outgoing.ticket);
  sent_.clear();
  if (step_ > 0)
    for (int id : blocks_.leave_step()) held_.erase(id);
}

void WorkerPlayer::end_step() {
  post_sends(true);
  time_.compute_s += step_time().compute_s;
  ++step_;
}

void WorkerPlayer::finish() {
  if (!sent_.empty()) {
    --step_;  // the waiting belongs to the last step
    for (const Outgoing& outgoing : sent_) wait(outgoing.ticket);
    sent_.clear();
    ++step_;
  }
  if (resident_.out.view().data == nullptr) return;
  if (!resident_.begun) begin_partial(resident_);
  finish_reduction();
}

void WorkerPlayer::play() {
  for (std::size_t s = 0; s < worker_.steps.size(); ++s) {
    begin_step();
    compute_step();
    end_step();
  }
  finish();
}

void WorkerPlayer::begin_partial(Partial& partial) {
  device_.clear_partial(partial.out.view(), partial.lse.view());
  partial.begun = true;
}

void WorkerPlayer::compute(const KernelCall& call) {
  const Block& q = blocks_.block(call.q_block);
  const Block& kv = blocks_.block(call.kv_block);
  Partial& partial = q.resident ? resident_ : passing_[q.id];
  if (partial.out.view().data == nullptr)
    partial = make_partial(q.rows, q.heads, "out_partial", "lse_partial");
  const TileSchedule schedule = schedule_of(plan_, blocks_, call, arguments_.kernel, device_);

  const std::int64_t rows = call.q_end - call.q_begin;
  const std::int64_t keys = call.k_end - call.k_begin;
  const std::int64_t n_heads = call.heads.end - call.heads.begin;
  const std::int64_t first_head = call.heads.begin - q.heads.begin;
  const Shape& shape = plan_.problem.shape;
  const HeadRange kv_heads = kv_heads_of(shape, call.heads);
  const std::int64_t first_kv_head = kv_heads.begin - kv_heads_of(shape, kv.heads).begin;
  const std::int64_t n_kv_heads = kv_heads.end - kv_heads.begin;
  const Held& queries = held_.at(q.id);
  const Held& keys_values = held_.at(kv.id);
  const auto of_keys = [&](const TensorView& view) {
    return view.tokens(call.k_begin, keys).heads(first_kv_head, n_kv_heads);
  };
  const auto of_queries = [&](const TensorView& view) {
    return view.tokens(call.q_begin, rows).heads(first_head, n_heads);
  };

  Partial result;
  if (!call.first) result = make_partial(rows, call.heads, "out_step", "lse_step");
  const Partial& target = call.first ? partial : result;
  device_.attention(
      arguments_.kernel,
      {of_queries(queries.first), of_keys(keys_values.first), of_keys(keys_values.second),
       &schedule, plan_.problem.scale, target.out.view(), target.lse.view()},
      *arguments_.allocator, index_);
  if (call.first) {
    partial.begun = true;
    return;
  }
  if (!partial.begun) begin_partial(partial);
  device_.merge_partial(of_queries(partial.out.view()), of_queries(partial.lse.view()),
                        result.out.view(), result.lse.view());
}

void play_in_place(const Plan& plan, const ExecutionArguments& arguments, WorkerTime& time) {
  BlockTracker blocks(plan, plan.workers[0]);
  blocks.enter_step();
  const std::vector<KernelCall> calls = blocks.take_calls();
  HostWorkerDevice device(arguments.threads, arguments.stages);
  const double start_s = now_s();
  if (calls.empty()) {
    device.clear_partial(arguments.out, arguments.lse);
  } else {
    const TileSchedule schedule = schedule_of(plan, blocks, calls[0], arguments.kernel, device);
    device.attention(arguments.kernel,
                     {arguments.q, arguments.k, arguments.v, &schedule, plan.problem.scale,
                      arguments.out, arguments.lse},
                     *arguments.allocator, 0);
  }
  slow_down(arguments, 0, now_s() - start_s);
  time.compute_s = now_s() - start_s;
  time.steps = {StepTime{.compute_s = time.compute_s}};
}

void deliver_group(const Plan& plan, const Worker& worker, const LocalLayout& layout,
                   std::size_t position, const Partial& partial, bool first,
                   const ExecutionArguments& arguments, WorkerDevice& device) {
  const TokenGroup& group = plan.q_groups[static_cast<std::size_t>(worker.q_groups[position])];
  const HeadRange heads = plan.heads_of(worker);
  const std::int64_t n_heads = heads.end - heads.begin;
  const TensorView out = group_rows(arguments.out, group).heads(heads.begin, n_heads);
  const TensorView lse = group_rows(arguments.lse, group).heads(heads.begin, n_heads);
  const std::int64_t begin = layout.q_begin[position];
  const TensorView part_out = partial.out.view().tokens(begin, group.count);
  const TensorView part_lse = partial.lse.view().tokens(begin, group.count);
  if (first) {
    device.copy_rows(part_out, out);
    device.copy_rows(part_lse, lse);
  } else {
    device.merge_partial(out, lse, part_out, part_lse);
  }
}

void deliver_whole(const Plan& plan, const Worker& worker, const Partial& partial,
                   const ExecutionArguments& arguments, WorkerDevice& device) {
  if (partial.out.view().data == nullptr) return;
  const LocalLayout layout = local_layout(plan, worker);
  for (std::size_t i = 0; i < worker.q_groups.size(); ++i)
    deliver_group(plan, worker, layout, i, partial, true, arguments, device);
}

bool splits_heads(const Plan& plan) {
  return std::any_of(plan.workers.begin(), plan.workers.end(),
                     [](const Worker& worker) { return worker.heads.end > 0; });
}

void clear_group(const Plan& plan, int group, const ExecutionArguments& arguments,
                 WorkerDevice& device) {
  const TokenGroup& tokens = plan.q_groups[static_cast<std::size_t>(group)];
  device.clear_partial(group_rows(arguments.out, tokens), group_rows(arguments.lse, tokens));
}

}  // namespace qb
