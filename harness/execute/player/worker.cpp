#include "harness/execute/player/worker.h"

#include <algorithm>

namespace qb {
namespace {

constexpr TensorRole kInputs[] = {TensorRole::q, TensorRole::k, TensorRole::v};

bool is_of_keys(TensorRole what) { return what == TensorRole::k || what == TensorRole::v; }

int resident_block(TensorRole what) { return is_of_keys(what) ? kResidentKeys : kResidentQueries; }

}  // namespace

bool is_scattered(const Worker& worker) {
  return !worker.steps.empty() &&
         std::ranges::any_of(worker.steps[0].receives, [](const Transfer& transfer) {
           return transfer.kind == TransferKind::scatter;
         });
}

WorkerPlayer::WorkerPlayer(const Plan& plan, int index, const ExecutionArguments& arguments,
                           const Tools& tools, WorkerTime& time)
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

const std::vector<TokenGroup>& WorkerPlayer::groups_for(TensorRole what) const {
  return is_of_keys(what) ? plan_.kv_groups : plan_.q_groups;
}

Extent WorkerPlayer::extent(TensorRole what, std::int64_t rows, const HeadRange& heads) const {
  const Shape& shape = plan_.problem.shape;
  const HeadRange range = is_of_keys(what) ? kv_heads_of(shape, heads) : heads;
  const bool wide = what == TensorRole::q || what == TensorRole::k;
  return {shape.batch, range.end - range.begin, rows, wide ? shape.head_dim : shape.value_dim};
}

WorkerPlayer::Partial WorkerPlayer::make_partial(std::int64_t rows, const HeadRange& heads,
                                                 const char* out_label,
                                                 const char* lse_label) const {
  Extent of_rows = extent(TensorRole::partial, rows, heads);
  Tensor out(*arguments_.allocator, DType::f32, of_rows, out_label, index_);
  of_rows.head_dim = 1;
  return {std::move(out), Tensor(*arguments_.allocator, DType::f32, of_rows, lse_label, index_),
          false};
}

void WorkerPlayer::make_room() {
  constexpr const char* kLabels[] = {"q_local", "k_local", "v_local"};
  for (const TensorRole what : kInputs) {
    const Block& block = blocks_.block(resident_block(what));
    Held& held = held_[block.id];
    Tensor& owned = held.owned[what == TensorRole::v ? 1 : 0];
    owned =
        Tensor(*arguments_.allocator, plan_.problem.dtype, extent(what, block.rows, block.heads),
               kLabels[static_cast<std::size_t>(what)], index_);
    held.views[what == TensorRole::v ? 1 : 0] = owned.view();
  }
  const Block& q = blocks_.block(kResidentQueries);
  if (q.rows == 0) return;
  resident_ = make_partial(q.rows, q.heads, "out_partial", "lse_partial");
  begin_reduction();
}

TensorView WorkerPlayer::shard(TensorRole what) const {
  return held_.at(resident_block(what)).view(what);
}

// Takes a block's groups from the caller's whole tensor, or makes them.
void WorkerPlayer::fill(TensorRole what, const Block& block, const TensorView& local) const {
  const HeadRange heads =
      is_of_keys(what) ? kv_heads_of(plan_.problem.shape, block.heads) : block.heads;
  std::vector<TokenGroup> groups;
  for (const int group : block.groups)
    groups.push_back(groups_for(what)[static_cast<std::size_t>(group)]);
  if (!arguments_.shard) {
    const TensorView& whole = what == TensorRole::q   ? arguments_.q
                              : what == TensorRole::k ? arguments_.k
                                                      : arguments_.v;
    return device_.gather(groups, whole.heads(heads.begin, heads.end - heads.begin), local);
  }
  if (local.extent.elements() == 0) return;
  Tensor staged;
  if (!device_.facts().on_host)
    staged = Tensor(heap_allocator(), local.dtype, local.extent, "staged");
  const TensorView& rows = device_.facts().on_host ? local : staged.view();
  for (std::size_t i = 0; i < groups.size(); ++i)
    arguments_.shard(what, groups[i], heads, rows.tokens(block.begins[i], groups[i].count));
  if (!device_.facts().on_host) device_.upload(rows, local);
}

Tensor WorkerPlayer::shard_of(int worker, TensorRole what) const {
  const BlockTracker blocks(plan_, plan_.workers[static_cast<std::size_t>(worker)]);
  const Block& block = blocks.block(resident_block(what));
  Tensor tensor(*arguments_.allocator, plan_.problem.dtype, extent(what, block.rows, block.heads),
                "scattered", kRoot);
  fill(what, block, tensor.view());
  return tensor;
}

void WorkerPlayer::prepare() {
  // Work begins with the shards in place; only a scatter counts as work.
  tools_.watch.charge(is_scattered(worker_) ? &time_.gather_s : nullptr);
  make_room();
  for (const TensorRole what : kInputs)
    fill(what, blocks_.block(resident_block(what)), shard(what));
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
  if (!resident_.exists()) return;
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
