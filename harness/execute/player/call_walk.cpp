#include "harness/execute/player/call_walk.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace qb {

CallWalk::CallWalk(const Plan& plan, std::function<std::int64_t(const PairTask&)> pairs_of)
    : plan_(plan), pairs_of_(std::move(pairs_of)) {
  q_.groups = &plan.q_groups;
  kv_.groups = &plan.kv_groups;
  for (Side* side : {&q_, &kv_}) {
    side->resident.resize(side->groups->size());
    side->newest.resize(side->groups->size());
  }
}

int CallWalk::add_block(Side& side, const std::vector<int>& groups, const HeadRange& heads) {
  const int id = static_cast<int>(blocks_.size());
  std::int64_t rows = 0;
  for (int group : groups) {
    side.newest[static_cast<std::size_t>(group)] = {id, rows};
    rows += (*side.groups)[static_cast<std::size_t>(group)].count;
  }
  blocks_.push_back({heads, rows, false});
  return id;
}

void CallWalk::reset(Side& side, const std::vector<int>& resident, const HeadRange& heads) {
  for (int group : side.touched) {
    side.resident[static_cast<std::size_t>(group)] = {};
    side.newest[static_cast<std::size_t>(group)] = {};
  }
  side.touched = resident;
  side.one_step.clear();
  (void)add_block(side, resident, heads);
  for (int group : resident)
    side.resident[static_cast<std::size_t>(group)] = side.newest[static_cast<std::size_t>(group)];
}

void CallWalk::begin_worker(int index) {
  worker_ = &plan_.workers[static_cast<std::size_t>(index)];
  step_ = 0;
  blocks_.clear();
  const HeadRange heads = plan_.heads_of(*worker_);
  reset(q_, worker_->q_groups, heads);
  reset(kv_, worker_->kv_groups, heads);
}

// All of one kind that the messages of this step bring is one block.
void CallWalk::arrive(bool of_queries, const std::vector<MessageView>& receives) {
  const TensorRole what = of_queries ? TensorRole::q : TensorRole::k;
  ArrivedBlock block;
  block.of_queries = of_queries;
  bool one_step = true;
  arriving_.clear();
  for (const MessageView& message : receives)
    for (const Transfer& part : message.parts) {
      if (part.what != what) continue;
      const std::vector<int>& more = plan_.groups_of(part);
      arriving_.insert(arriving_.end(), more.begin(), more.end());
      ++block.n_messages;
      block.message_peer = message.peer;
      block.heads = part.heads;
      one_step = part.kind == TransferKind::p2p;
    }
  if (block.n_messages == 0) return;
  if (block.n_messages > 1) std::sort(arriving_.begin(), arriving_.end());
  Side& side = of_queries ? q_ : kv_;
  const int id = add_block(side, arriving_, block.heads);
  block.rows = blocks_[static_cast<std::size_t>(id)].rows;
  (one_step ? side.one_step : side.touched)
      .insert((one_step ? side.one_step : side.touched).end(), arriving_.begin(), arriving_.end());
  arrived_.push_back(block);
}

void CallWalk::take_task(const PairTask& task) {
  const auto q_group = static_cast<std::size_t>(task.q_group);
  const auto kv_group = static_cast<std::size_t>(task.kv_group);
  const Place q = q_.newest[q_group];
  const Place kv = kv_.newest[kv_group];
  if (q.block < 0 || kv.block < 0)
    throw std::logic_error("a task names a group that its worker does not hold");
  const auto is_same = [&](const CallTotals& call) {
    return call.q_block == q.block && call.kv_block == kv.block && call.heads == task.heads;
  };
  // Tasks of one call mostly stand together.
  auto found = calls_.end();
  if (!calls_.empty())
    found = is_same(calls_.back()) ? calls_.end() - 1
                                   : std::find_if(calls_.begin(), calls_.end(), is_same);
  if (found == calls_.end()) {
    calls_.push_back({q.block, kv.block, task.heads, false, q.row, q.row, kv.row, kv.row, 0});
    found = calls_.end() - 1;
  }
  found->q_begin = std::min(found->q_begin, q.row);
  found->q_end = std::max(found->q_end, q.row + plan_.q_groups[q_group].count);
  found->k_begin = std::min(found->k_begin, kv.row);
  found->k_end = std::max(found->k_end, kv.row + plan_.kv_groups[kv_group].count);
  found->pairs += pairs_of_(task);
}

void CallWalk::complete(CallTotals& call) {
  LightBlock& q = blocks_[static_cast<std::size_t>(call.q_block)];
  call.first = !q.begun && call.heads == q.heads;
  q.begun = true;
  if (!call.first) return;
  call.q_begin = 0;
  call.k_begin = 0;
  call.q_end = q.rows;
  call.k_end = blocks_[static_cast<std::size_t>(call.kv_block)].rows;
}

const std::vector<CallTotals>& CallWalk::enter_step(const std::vector<MessageView>& receives) {
  arrived_.clear();
  arrive(true, receives);
  arrive(false, receives);
  calls_.clear();
  for (const PairTask& task : worker_->steps[step_].tasks) take_task(task);
  for (CallTotals& call : calls_) complete(call);
  return calls_;
}

void CallWalk::leave_step() {
  for (Side* side : {&q_, &kv_}) {
    // What is resident counts again.
    for (int group : side->one_step)
      side->newest[static_cast<std::size_t>(group)] =
          side->resident[static_cast<std::size_t>(group)];
    side->one_step.clear();
  }
  ++step_;
}

}  // namespace qb
