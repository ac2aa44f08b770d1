#include "harness/execute/player/worker.h"

#include <algorithm>

#include "kernels/parallel.h"

namespace qb {
namespace {

TensorView group_rows(const TensorView& whole, const TokenGroup& group) {
  return whole.tokens(group.first, group.count, group.stride);
}

// Returns one head of one sequence of the batch.
TensorView head_of(TensorView view, std::int64_t batch, std::int64_t head) {
  view.data = view.row(batch, head, 0);
  view.extent.batch = 1;
  view.extent.heads = 1;
  return view;
}

// Copies the groups of a block from a whole tensor into a local one. On the host, threads share
// slices of a head and a group.
void gather(const std::vector<TokenGroup>& groups, const Block& block, const TensorView& whole,
            const TensorView& local, ComputeDevice& device) {
  const auto rows_of = [&](std::size_t i, bool from_whole) {
    const TokenGroup& group = groups[static_cast<std::size_t>(block.groups[i])];
    return from_whole ? group_rows(whole, group) : local.tokens(block.begins[i], group.count);
  };
  if (!device.facts().on_host) {
    for (std::size_t i = 0; i < block.groups.size(); ++i)
      device.copy_rows(rows_of(i, true), rows_of(i, false));
    return;
  }
  const std::int64_t heads = whole.extent.heads;
  const std::int64_t slices = whole.extent.batch * heads;
  parallel_for(static_cast<std::int64_t>(block.groups.size()) * slices,
               threads_for_bytes(local.bytes(), device.facts().host_threads), 1,
               [&](std::int64_t first, std::int64_t last, int) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const auto group = static_cast<std::size_t>(i / slices);
                   const std::int64_t batch = i % slices / heads;
                   device.copy_rows(head_of(rows_of(group, true), batch, i % heads),
                                    head_of(rows_of(group, false), batch, i % heads));
                 }
               });
}

}  // namespace

int threads_for_bytes(std::int64_t bytes, int threads) {
  constexpr std::int64_t kBytesPerThread = 1 << 20;
  return static_cast<int>(std::clamp<std::int64_t>(bytes / kBytesPerThread, 1, threads));
}

WorkerPlayer::WorkerPlayer(const Plan& plan, int index, const ExecutionArguments& arguments,
                           const PlayerTools& tools, WorkerTime& time)
    : plan_(plan),
      index_(index),
      worker_(plan.workers[static_cast<std::size_t>(index)]),
      arguments_(arguments),
      tools_(tools),
      device_(tools.device),
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
  if (!arguments_.shard)
    return gather(groups, block, whole.heads(heads.begin, heads.end - heads.begin), local, device_);
  if (local.extent.elements() == 0) return;
  Tensor staged;
  if (!device_.facts().on_host)
    staged = Tensor(heap_allocator(), local.dtype, local.extent, "staged");
  const TensorView& rows = device_.facts().on_host ? local : staged.view();
  for (std::size_t i = 0; i < block.groups.size(); ++i) {
    const TokenGroup& group = groups[static_cast<std::size_t>(block.groups[i])];
    arguments_.shard(what, group, heads, rows.tokens(block.begins[i], group.count));
  }
  if (!device_.facts().on_host) device_.upload(rows, local);
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
  // Work begins with the shards in place; only a scatter counts as work.
  tools_.watch.charge(is_scattered() ? &time_.gather_s : nullptr);
  make_room();
  const Block& q = blocks_.block(kResidentQueries);
  const Block& kv = blocks_.block(kResidentKeys);
  fill(TensorRole::q, arguments_.q, q, shard(TensorRole::q));
  fill(TensorRole::k, arguments_.k, kv, shard(TensorRole::k));
  fill(TensorRole::v, arguments_.v, kv, shard(TensorRole::v));
  tools_.watch.charge(nullptr);
}

void WorkerPlayer::begin_step() {
  tools_.watch.note(&step_time().start_s);
  await_messages();
  end_sends();
  blocks_.enter_step();
  const double start_s = now_s();
  tools_.watch.charge(&step_time().compute_s);
  hold_arrived_blocks();
  merge_messages();
  incoming_.clear();
  slow_down(arguments_, index_, now_s() - start_s);
  tools_.watch.charge(nullptr);
  post_receives();
  post_sends(false);
}

void WorkerPlayer::compute_step() {
  const double start_s = now_s();
  tools_.watch.charge(&step_time().compute_s);
  for (const KernelCall& call : blocks_.take_calls()) compute(call);
  slow_down(arguments_, index_, now_s() - start_s);
  tools_.watch.charge(nullptr);
}

// Most sends of the step before have left by the time that the next messages arrive.
void WorkerPlayer::end_sends() {
  for (const Outgoing& outgoing : sent_) wait(outgoing.ticket);
  sent_.clear();
  if (step_ > 0)
    for (int id : blocks_.leave_step()) held_.erase(id);
}

void WorkerPlayer::end_step() {
  post_sends(true);
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

}  // namespace qb
