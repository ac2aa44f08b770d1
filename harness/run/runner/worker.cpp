// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/worker.h"

#include <algorithm>

namespace qb {
namespace {

// The caller's tensor, and the labels of what a worker holds of it: its shard, what the forward
// pass left here, and what a collective's messages are joined to.
struct Labelled {
  TensorRole what;
  TensorView ExecutionArguments::*whole;
  const char* local;
  const char* saved;
  const char* joined;
};

constexpr Labelled kLabelled[] = {
    {TensorRole::q, &ExecutionArguments::q, "q_local", "q_saved", "q_block"},
    {TensorRole::k, &ExecutionArguments::k, "k_local", "k_saved", "k_block"},
    {TensorRole::v, &ExecutionArguments::v, "v_local", "v_saved", "v_block"},
    {TensorRole::partial, &ExecutionArguments::out, "out_local", "out_saved", ""},
    {TensorRole::d_out, &ExecutionArguments::d_out, "d_out_local", "d_out_saved", "d_out_block"},
    {TensorRole::lse, &ExecutionArguments::lse, "lse_local", "lse_saved", "lse_block"},
    {TensorRole::delta, &ExecutionArguments::delta, "delta_local", "delta_saved", "delta_block"},
};

const Labelled& labelled(TensorRole what) {
  return *std::ranges::find(kLabelled, what, &Labelled::what);
}

}  // namespace

std::vector<Piece> pieces_of(const Plan& plan, const Worker& worker) {
  if (plan.pass == Pass::forward)
    return {{kResidentQueries, TensorRole::q},
            {kResidentKeys, TensorRole::k},
            {kResidentKeys, TensorRole::v}};
  if (worker.saved.end > 0)
    return {{kSavedQueries, TensorRole::q},   {kSavedKeys, TensorRole::k},
            {kSavedKeys, TensorRole::v},      {kResidentQueries, TensorRole::d_out},
            {kSavedQueries, TensorRole::lse}, {kSavedQueries, TensorRole::partial}};
  // A root has made D; else each worker makes its own out of O.
  const TensorRole last = is_scattered(worker) ? TensorRole::delta : TensorRole::partial;
  return {{kResidentQueries, TensorRole::q},   {kResidentKeys, TensorRole::k},
          {kResidentKeys, TensorRole::v},      {kResidentQueries, TensorRole::d_out},
          {kResidentQueries, TensorRole::lse}, {kResidentQueries, last}};
}

std::vector<Extent> result_extents(const Plan& plan, const Worker& worker) {
  const auto extent = [&](TensorRole what) {
    const std::int64_t rows = is_of_keys(what) ? tokens_of(plan.kv_groups, worker.kv_groups)
                                               : tokens_of(plan.q_groups, worker.q_groups);
    return tensor_extent(plan.problem, what, rows,
                         is_of_keys(what) ? plan.heads_of(worker) : plan.result_heads_of(worker));
  };
  if (plan.pass == Pass::backward) {
    std::vector<Extent> extents;
    for (const TensorRole what : kGradients) extents.push_back(extent(what));
    if (!plan.problem.sinks.empty() && finishes_rows(plan))
      extents.push_back(plan.problem.shape.d_sinks());
    return extents;
  }
  Extent lse = extent(TensorRole::lse);
  // A root gathers what travels of LSE.
  if (plan.result != Result::root) lse.head_dim = plan.problem.lse_kept;
  return {extent(TensorRole::partial), lse};
}

bool is_scattered(const Worker& worker) {
  return !worker.steps.empty() &&
         std::ranges::any_of(worker.steps[0].receives,
                             [](const Transfer& transfer) { return transfer.peer == kRoot; });
}

bool is_scattered(const Plan& plan) {
  return plan.result == Result::root &&
         std::ranges::any_of(plan.workers.all(),
                             [](const Worker& worker) { return is_scattered(worker); });
}

Tensor room_for_root_delta(const Plan& plan, ExecutionArguments& arguments) {
  if (plan.pass == Pass::forward || !is_scattered(plan)) return {};
  Tensor delta(*arguments.allocator, DType::f32, plan.problem.shape.lse(), "delta", kRoot);
  arguments.delta = delta.view();
  return delta;
}

void make_root_delta(const Plan& plan, const ExecutionArguments& arguments,
                     AttentionDevice& device) {
  device.compute_delta(arguments.out, arguments.d_out, arguments.delta);
  Sinks(plan.problem, *arguments.allocator, device, kRoot)
      .set_gradients(device, arguments.lse, arguments.delta, arguments.d_sinks);
}

bool finishes_rows(const Plan& plan) {
  return plan.pass == Pass::forward ? plan.result != Result::root : !is_scattered(plan);
}

WorkerRunner::WorkerRunner(const Plan& plan, int index, const ExecutionArguments& arguments,
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
  for (const Step& step : worker_.steps)
    for (const Transfer& transfer : step.receives) {
      longest_delay_ = std::max(longest_delay_, transfer.delay);
      fetches_at_once_ = fetches_at_once_ || transfer.delay == 0;
    }
}

const std::vector<TokenGroup>& WorkerRunner::groups_for(TensorRole what) const {
  return is_of_keys(what) ? plan_.kv_groups : plan_.q_groups;
}

Range WorkerRunner::heads_of(TensorRole what, const Range& heads) const {
  return is_of_keys(what) ? kv_heads_of(plan_.problem.shape, heads) : heads;
}

// A worker that no root sends its shard has LSE as its forward pass left it.
Extent WorkerRunner::shard_extent(const Worker& worker, TensorRole what, const Block& block) const {
  Extent shard = extent(what, block.rows, block.heads);
  if (what == TensorRole::lse && !is_scattered(worker)) shard.head_dim = plan_.problem.lse_kept;
  return shard;
}

const Tensor& WorkerRunner::own(const Block& block, TensorRole what, const Extent& extent) {
  const Labelled& labels = labelled(what);
  const char* const label = !block.resident             ? labels.joined
                            : block.id >= kSavedQueries ? labels.saved
                                                        : labels.local;
  Held& held = held_[block.id];
  Tensor& owned = held.owned[what];
  owned = Tensor(*arguments_.allocator, tensor_dtype(plan_.problem, what), extent, label, index_);
  held.views[what] = owned.view();
  return owned;
}

TensorView WorkerRunner::heads_in(const Block& block, TensorRole what, const TensorView& rows,
                                  const Range& heads) const {
  const Range wanted = heads_of(what, heads);
  return rows.heads(wanted.begin - heads_of(what, block.heads).begin, wanted.end - wanted.begin);
}

TensorView WorkerRunner::rows_in(const Block& block, TensorRole what, const TensorView& view,
                                 int group, const Range& heads) const {
  const std::int64_t count = groups_for(what)[static_cast<std::size_t>(group)].count;
  return heads_in(block, what, view.tokens(block.begin_of(group), count), heads);
}

TensorView WorkerRunner::rows_of_call(const KernelCall& call, TensorRole what,
                                      const TensorView& view) const {
  const bool keys = is_of_keys(what);
  const std::int64_t begin = keys ? call.k_begin : call.q_begin;
  const std::int64_t end = keys ? call.k_end : call.q_end;
  return heads_in(blocks_.block(keys ? call.kv_block : call.q_block), what,
                  view.tokens(begin, end - begin), call.heads);
}

TensorView WorkerRunner::input_of(const KernelCall& call, TensorRole what) const {
  const int block = is_of_keys(what) ? call.kv_block : call.q_block;
  return rows_of_call(call, what, held_.at(block).view(what));
}

WorkerRunner::Partial WorkerRunner::make_partial(std::int64_t rows, const Range& heads,
                                                 const char* out_label,
                                                 const char* lse_label) const {
  Extent of_rows = extent(TensorRole::partial, rows, heads);
  Tensor out(*arguments_.allocator, DType::f32, of_rows, out_label, index_);
  of_rows.head_dim = plan_.problem.lse_kept;
  return {std::move(out), Tensor(*arguments_.allocator, DType::f32, of_rows, lse_label, index_),
          false};
}

void WorkerRunner::make_room() {
  for (const Piece& piece : pieces_of(plan_, worker_)) {
    const Block& block = blocks_.block(piece.block);
    const Tensor& tensor = own(block, piece.what, shard_extent(worker_, piece.what, block));
    if (is_scattered(worker_)) time_.from_root_bytes += tensor.view().bytes();
  }
  const bool is_backward = plan_.pass == Pass::backward;
  if (!plan_.problem.sinks.empty() && finishes_rows(plan_))
    sinks_ = Sinks(plan_.problem, *arguments_.allocator, device_, index_);
  if (is_backward && sinks_) {
    d_sinks_ =
        Tensor(*arguments_.allocator, DType::f32, plan_.problem.shape.d_sinks(), "d_sinks", index_);
    device_.clear_rows(d_sinks_.view());
  }
  const Block& q = blocks_.block(kResidentQueries);
  if (q.rows == 0 || is_backward) return;
  resident_ = make_partial(q.rows, q.heads, "out_partial", "lse_partial");
  begin_reduction();
}

TensorView WorkerRunner::piece(const Piece& piece) const {
  return held_.at(piece.block).view(piece.what);
}

void WorkerRunner::take(const Piece& piece) {
  fill(piece.what, blocks_.block(piece.block), this->piece(piece));
}

// Takes a block's groups from the caller's whole tensor, or makes them.
void WorkerRunner::fill(TensorRole what, const Block& block, const TensorView& local) const {
  const Range heads = heads_of(what, block.heads);
  std::vector<TokenGroup> groups;
  for (const int group : block.groups)
    groups.push_back(groups_for(what)[static_cast<std::size_t>(group)]);
  // A ShardSource knows nothing of what the forward pass computed.
  const bool is_generated = is_input(what) && what != TensorRole::lse && what != TensorRole::delta;
  if (!arguments_.shard || !is_generated) {
    const TensorView& whole = arguments_.*labelled(what).whole;
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

Tensor WorkerRunner::piece_of(int worker, const Piece& piece) const {
  // The tracker must not outlive the worker that it refers to.
  const Worker other = plan_.workers[static_cast<std::size_t>(worker)];
  const BlockTracker blocks(plan_, other);
  const Block& block = blocks.block(piece.block);
  Tensor tensor(*arguments_.allocator, tensor_dtype(plan_.problem, piece.what),
                shard_extent(other, piece.what, block), "scattered", kRoot);
  fill(piece.what, block, tensor.view());
  return tensor;
}

void WorkerRunner::prepare() {
  // Work begins with the shards in place; only a scatter counts as work.
  tools_.watch.charge(is_scattered(worker_) ? &time_.gather_s : nullptr);
  make_room();
  for (const Piece& piece : pieces_of(plan_, worker_)) take(piece);
  tools_.watch.charge(nullptr);
}

// Makes D of a block's queries, which is all that O was there for.
void WorkerRunner::make_delta(int id) {
  const Block& block = blocks_.block(id);
  Held& held = held_[id];
  own(block, TensorRole::delta, extent(TensorRole::delta, block.rows, block.heads));
  if (block.rows > 0)
    device_.compute_delta(held.view(TensorRole::partial), held.view(TensorRole::d_out),
                          held.view(TensorRole::delta));
  sinks_.set_gradients(device_, held.view(TensorRole::lse), held.view(TensorRole::delta),
                       d_sinks_.view(), block.heads);
  held.views.erase(TensorRole::partial);
  held.owned.erase(TensorRole::partial);
}

void WorkerRunner::begin_step() {
  tools_.watch.note(&step_time().start_s);
  if (fetches_at_once_) post_receives(0);
  incoming_ = std::move(expected_[step_]);
  expected_.erase(step_);
  await_messages();
  end_sends(step_);
  blocks_.enter_step();
  tools_.watch.note(&step_time().compute.start_s);
  tools_.watch.charge(&step_time().compute_s);
  if (step_ == 0 && plan_.pass == Pass::backward && worker_.saved.end == 0 &&
      !is_scattered(worker_))
    make_delta(kResidentQueries);
  hold_arrived_blocks();
  merge_messages();
  incoming_.clear();
  tools_.watch.charge(nullptr);
  for (int delay = 1; delay <= longest_delay_; ++delay) post_receives(delay);
  post_sends(false);
}

void WorkerRunner::compute_step() {
  tools_.watch.charge(&step_time().compute_s);
  for (const KernelCall& call : blocks_.take_calls())
    plan_.pass == Pass::forward ? compute(call) : compute_gradients(call);
  tools_.watch.charge(nullptr);
  tools_.watch.note(&step_time().compute.end_s);
}

// Most sends that are due have left by the time that the next messages arrive.
void WorkerRunner::end_sends(std::size_t due) {
  std::erase_if(sent_, [&](const Outgoing& outgoing) {
    if (outgoing.due > due) return false;
    wait(outgoing);
    return true;
  });
  if (step_ > 0 && step_ == due)
    for (int id : blocks_.leave_step()) held_.erase(id);
}

void WorkerRunner::end_step() {
  post_sends(true);
  ++step_;
}

void WorkerRunner::finish() {
  if (!sent_.empty()) {
    --step_;  // the waiting belongs to the last step
    end_sends(step_ + 1);
    ++step_;
  }
  if (plan_.pass == Pass::backward) {
    finish_gradients();
  } else if (resident_.exists()) {
    if (!resident_.begun) begin_partial(resident_);
    finish_reduction();
    keep_owned_heads();
    if (sinks_ && !time_.steps.empty()) tools_.watch.charge(&time_.steps.back().compute_s);
    sinks_.merge_into(device_, resident_.out.view(), resident_.lse.view(),
                      plan_.result_heads_of(worker_));
    if (sinks_) tools_.watch.charge(nullptr);
  }
  if (plan_.result != Result::root) return;
  narrow_lse();
  for (const TensorView& view : result()) time_.sent_bytes += view.bytes();
}

void WorkerRunner::keep_owned_heads() {
  const Block& block = blocks_.block(kResidentQueries);
  const Range heads = plan_.result_heads_of(worker_);
  if (heads == block.heads) return;
  Partial owned = make_partial(block.rows, heads, "out_owned", "lse_owned");
  const auto keep = [&](const Tensor& from, const Tensor& to) {
    device_.copy_rows(heads_in(block, TensorRole::partial, from.view(), heads), to.view());
  };
  keep(resident_.out, owned.out);
  keep(resident_.lse, owned.lse);
  resident_ = std::move(owned);
}

// Makes of the result's LSE what travels to the root.
void WorkerRunner::narrow_lse() {
  if (!resident_.exists() || plan_.problem.lse_sent == plan_.problem.lse_kept) return;
  Extent extent = resident_.lse.view().extent;
  extent.head_dim = plan_.problem.lse_sent;
  Tensor sent(*arguments_.allocator, DType::f32, extent, "lse_sent", index_);
  device_.copy_rows(resident_.lse.view(), sent.view());
  resident_.lse = std::move(sent);
}

WorkerResult WorkerRunner::result() const {
  if (plan_.pass == Pass::forward) return {resident_.out.view(), resident_.lse.view()};
  WorkerResult result;
  for (const TensorRole what : kGradients) {
    const auto sum = sums_.find({is_of_keys(what) ? kResidentKeys : kResidentQueries, what});
    result.push_back(sum == sums_.end() ? TensorView{} : sum->second.view);
  }
  if (sinks_) result.push_back(d_sinks_.view());
  return result;
}

}  // namespace qb
