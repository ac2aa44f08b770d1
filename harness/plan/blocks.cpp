// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/blocks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/plan/layout.h"

namespace qb {
namespace {

Block make_block(const Plan& plan, bool of_queries, const Range& heads, std::vector<int> groups) {
  Block block;
  block.of_queries = of_queries;
  block.heads = heads;
  block.groups = std::move(groups);
  const std::vector<TokenGroup>& all = of_queries ? plan.q_groups : plan.kv_groups;
  for (int group : block.groups) {
    block.begins.push_back(block.rows);
    block.rows += group_at(all, group).count;
  }
  return block;
}

}  // namespace

bool Block::holds(int group) const { return std::ranges::binary_search(groups, group); }

std::int64_t Block::begin_of(int group) const {
  const auto at = std::ranges::lower_bound(groups, group);
  if (at == groups.end() || *at != group)
    throw std::logic_error("a task names a group that its worker does not hold");
  return begins[static_cast<std::size_t>(at - groups.begin())];
}

BlockTracker::BlockTracker(const Plan& plan, const Worker& worker)
    : plan_(plan),
      worker_(worker),
      block_of_q_(plan.q_groups.size(), -1),
      block_of_kv_(plan.kv_groups.size(), -1) {
  add(make_block(plan, true, plan.query_heads_of(worker), worker.q_groups));
  add(make_block(plan, false, plan.heads_of(worker), worker.kv_groups));
  if (worker.saved.end == 0) return;
  add(make_block(plan, true, worker.saved, every_group(plan.q_groups)));
  add(make_block(plan, false, worker.saved, every_group(plan.kv_groups)));
}

void BlockTracker::add(Block block) {
  block.id = next_id_++;
  auto& newest = block.of_queries ? block_of_q_ : block_of_kv_;
  for (int group : block.groups) newest[static_cast<std::size_t>(group)] = block.id;
  live_.emplace(block.id, std::move(block));
}

// The queries, or keys, that this step's messages bring to be held until one step form one block.
void BlockTracker::arrive(bool of_queries) {
  const TensorRole what = of_queries ? TensorRole::q : TensorRole::k;
  const std::size_t first = arrived_.size();
  for (std::size_t m = 0; m < received_.size(); ++m)
    for (const Transfer& part : received_[m].parts) {
      if (part.what != what) continue;
      auto block = std::ranges::find(arrived_.begin() + static_cast<std::ptrdiff_t>(first),
                                     arrived_.end(), part.until, &Block::until);
      if (block == arrived_.end()) {
        arrived_.emplace_back().until = part.until;
        block = arrived_.end() - 1;
      }
      block->groups.insert(block->groups.end(), plan_.groups_of(part).begin(),
                           plan_.groups_of(part).end());
      // Messages bring other tokens, or other heads.
      const bool is_first = block->messages.empty();
      block->messages.push_back(m);
      block->heads.begin =
          is_first ? part.heads.begin : std::min(block->heads.begin, part.heads.begin);
      block->heads.end = std::max(block->heads.end, part.heads.end);
    }
  for (std::size_t b = first; b < arrived_.size(); ++b) {
    std::vector<int>& groups = arrived_[b].groups;
    std::ranges::sort(groups);
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    Block block = make_block(plan_, of_queries, arrived_[b].heads, arrived_[b].groups);
    block.resident = false;
    block.until = arrived_[b].until;
    block.messages = std::move(arrived_[b].messages);
    block.id = next_id_;
    arrived_[b] = block;
    add(std::move(block));
  }
}

void BlockTracker::enter_step() {
  if (entered_) ++step_;
  entered_ = true;
  received_ = messages_of(step().receives);
  arrived_.clear();
  arrive(true);
  arrive(false);
}

int BlockTracker::find(bool of_queries, int group) const {
  const int block = (of_queries ? block_of_q_ : block_of_kv_)[static_cast<std::size_t>(group)];
  if (block < 0) throw std::logic_error("a task names a group that its worker does not hold");
  return block;
}

void BlockTracker::complete(KernelCall& call) {
  const Block& q = live_.at(call.q_block);
  const Block& kv = live_.at(call.kv_block);
  const bool begun = begun_.contains(call.q_block);
  if (!begun) begun_.emplace(call.q_block, q);
  if (!begun && !q.resident)
    for (int group : q.groups) begun_of_q_[group] = q.id;
  call.first = plan_.pass == Pass::forward && !begun && call.heads == q.heads;
  call.q_end = q.rows;
  call.k_end = kv.rows;
  if (call.first) return;
  // A block's groups are in ascending order, and so are their rows.
  const auto [q_first, q_last] = std::ranges::minmax_element(call.tasks, {}, &PairTask::q_group);
  const auto [k_first, k_last] = std::ranges::minmax_element(call.tasks, {}, &PairTask::kv_group);
  call.q_begin = q.begin_of(q_first->q_group);
  call.k_begin = kv.begin_of(k_first->kv_group);
  call.q_end = q.begin_of(q_last->q_group) + group_at(plan_.q_groups, q_last->q_group).count;
  call.k_end = kv.begin_of(k_last->kv_group) + group_at(plan_.kv_groups, k_last->kv_group).count;
}

std::vector<KernelCall> BlockTracker::take_calls() {
  std::vector<KernelCall> calls;
  for (const PairTask& task : step().tasks) {
    const int q = find(true, task.q_group);
    const int kv = find(false, task.kv_group);
    const auto same = std::ranges::find_if(calls, [&](const KernelCall& call) {
      return call.q_block == q && call.kv_block == kv && call.heads == task.heads;
    });
    if (same != calls.end()) {
      same->tasks.push_back(task);
      continue;
    }
    calls.push_back({});
    calls.back().q_block = q;
    calls.back().kv_block = kv;
    calls.back().heads = task.heads;
    calls.back().tasks = {task};
  }
  for (KernelCall& call : calls) complete(call);
  return calls;
}

std::optional<std::size_t> BlockTracker::passed_on(const Message& send) const {
  for (std::size_t m = 0; m < received_.size(); ++m) {
    const bool in_place = std::ranges::all_of(arrived_, [m](const Block& block) {
      return block.messages.size() == 1 && block.messages[0] == m;
    });
    if (in_place && same_content(received_[m], send)) return m;
  }
  return std::nullopt;
}

const Block* BlockTracker::computed(const Transfer& part) const {
  for (int group : plan_.groups_of(part)) {
    const auto found = begun_of_q_.find(group);
    if (found != begun_of_q_.end()) {
      const Block& block = begun_.at(found->second);
      if (block.heads.begin <= part.heads.begin && part.heads.end <= block.heads.end) return &block;
    }
    const Block& resident = live_.at(kResidentQueries);
    if (resident.holds(group)) return &resident;
  }
  return nullptr;
}

std::vector<int> BlockTracker::leave_step() {
  std::vector<int> gone;
  for (const auto& [id, block] : live_)
    if (std::cmp_less_equal(block.until, step_)) gone.push_back(id);
  std::ranges::sort(gone);
  for (const int id : gone) {
    const Block block = std::move(live_.extract(id).mapped());
    auto& newest = block.of_queries ? block_of_q_ : block_of_kv_;
    for (int group : block.groups) {
      int& held_in = newest[static_cast<std::size_t>(group)];
      if (held_in != id) continue;
      held_in = -1;
      for (const auto& [other, held] : live_)
        if (held.of_queries == block.of_queries && other > held_in && held.holds(group))
          held_in = other;
    }
  }
  return gone;
}

}  // namespace qb
