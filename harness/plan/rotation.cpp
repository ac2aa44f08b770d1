// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/rotation.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "base/integers.h"
#include "base/interruption.h"
#include "harness/plan/layout.h"
#include "harness/plan/messages.h"

namespace qb {
namespace {

// Peers ascend for worker 0. After the turn they ascend again, from where they wrap around.
std::vector<Transfer> turned(const Rotation& rotation, const std::vector<Transfer>& transfers,
                             int worker) {
  poll_interrupt();
  std::vector<Transfer> all;
  all.reserve(transfers.size());
  for (const Transfer& transfer : transfers) all.push_back(rotation.turned(transfer, worker));
  const auto wrap = std::ranges::is_sorted_until(all, {}, &Transfer::peer);
  std::rotate(all.begin(), wrap, all.end());
  if (!std::ranges::is_sorted(all, {}, &Transfer::peer))
    std::ranges::stable_sort(all, {}, &Transfer::peer);
  return all;
}

std::vector<int> groups_of(const Rotation& rotation, const PlaceSet& shards, int worker,
                           bool queries) {
  if (shards.axes == kEveryAxis && !shards.others)
    return queries ? every_group(rotation.q_groups)
                   : integers_below(
                         static_cast<int>(rotation.kv_groups.size() - rotation.resident.size()));
  std::vector<int> groups;
  for (const int place : rotation.group.places(shards, worker)) {
    const std::vector<int>& shard = queries ? rotation.q_shard(place) : rotation.kv_shard(place);
    groups.insert(groups.end(), shard.begin(), shard.end());
  }
  std::ranges::sort(groups);
  return groups;
}

// Gives a worker of the rule the keys that every worker has. It computes with them and the queries
// of its tile, for its share of the heads, and sends its sums of their gradients to the owners.
Worker with_resident(const Rotation& rule, Pass pass, Workers::Parts parts, int index) {
  const std::vector<int>& resident = rule.resident;
  Worker worker = rule.worker(index, parts);
  worker.kv_groups.insert(worker.kv_groups.end(), resident.begin(), resident.end());
  if (parts == Workers::Parts::share) return worker;
  const std::size_t at =
      rule.shares_heads ? 1 : 0;  // the step in which the tile's queries are there
  const bool sends = pass == Pass::backward && rule.workers() > 1;
  worker.steps.resize(std::max(worker.steps.size(), at + (sends ? 2 : 1)));
  if (parts == Workers::Parts::all)
    rule.add_tasks(groups_of(rule, {0, kHeadsAxis}, index, true), resident, rule.heads_of(index),
                   worker.steps[at].tasks);
  for (int peer = 0; sends && peer < rule.workers(); ++peer) {
    if (peer == index) continue;
    for (const TensorRole what : gradients_of(false)) {
      Transfer transfer;
      transfer.kind = TransferKind::reduce_scatter;
      transfer.what = what;
      transfer.peer = peer;
      const auto add = [&](int owner, int sender, std::vector<Transfer>& transfers) {
        const int group = resident[static_cast<std::size_t>(owner)];
        const std::int64_t rows = group_at(rule.kv_groups, group).count;
        transfer.groups = static_cast<int>(rule.group_lists.size()) - rule.workers() + owner;
        transfer.heads = rule.heads_of(sender);
        transfer.bytes = tensor_bytes(rule.problem, what, rows, transfer.heads, rule.gradients);
        if (rows > 0) transfers.push_back(transfer);
      };
      add(peer, index, worker.steps[at].sends);
      add(index, peer, worker.steps[at + 1].receives);
    }
  }
  return worker;
}

// Adds the steps of a ring in which queries go round, or keys.
void add_ring(RotationBuilder& builder, bool queries) {
  const int workers = builder.n_workers();
  const std::span<const TensorRole> inputs =
      queries ? query_inputs(builder.pass()) : std::span<const TensorRole>(kKeyInputs);
  for (int i = 0; i < workers; ++i) {
    const auto pass_on = [&](std::span<const TensorRole> tensors) {
      for (const TensorRole what : tensors) builder.send(i, 1, TransferKind::p2p, what, -i);
    };
    builder.add_task(i, queries ? -i : 0, queries ? 0 : -i);
    if (i + 1 < workers) pass_on(inputs);
    if (builder.pass() == Pass::backward && workers > 1) pass_on(gradients_of(queries));
  }
}

}  // namespace

Range head_share(const Shape& shape, std::int64_t h, std::int64_t parts) {
  return {h * shape.q_heads / parts, (h + 1) * shape.q_heads / parts};
}

bool shares_fit(const Shape& shape, int parts) {
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  for (int h = 0; h < parts; ++h) {
    const Range share = head_share(shape, h, parts);
    const bool is_whole = share.begin % group == 0 && share.end % group == 0;
    if (share.begin == share.end || (!is_whole && share.begin / group != (share.end - 1) / group))
      return false;
  }
  return true;
}

Range Rotation::heads_of(int worker) const {
  if (!shares_heads) return {0, problem.shape.q_heads};
  return head_share(problem.shape, worker % group.size(0), group.size(0));
}

Transfer Rotation::turned(const Transfer& transfer, int worker) const {
  Transfer out = transfer;
  const int n = workers();
  out.peer = group.plus(transfer.peer, worker);
  if (transfer.groups < 2 * n) {
    const int first = transfer.groups < n ? 0 : n;
    out.groups = first + group.plus(transfer.groups - first, worker);
  } else {
    const int of_tile = (transfer.groups - 2 * n) * group.size(0);
    out.groups = 2 * n + group.plus(of_tile, worker) / group.size(0);
  }
  if (shares_heads) {
    const std::int64_t share =
        ceil_div(transfer.heads.begin * group.size(0), problem.shape.q_heads);
    out.heads = heads_of(static_cast<int>(share) + worker % group.size(0));
  }
  out.bytes = tensor_bytes(problem, transfer.what, message_rows(out.groups), out.heads,
                           sent_sums(problem, transfer.what, gradients));
  return out;
}

std::int64_t Rotation::message_rows(int list) const {
  const bool keys = list >= workers();
  return std::max(
      tokens_of(keys ? kv_groups : q_groups, group_lists[static_cast<std::size_t>(list)]),
      keys ? kv_room : q_room);
}

bool Rotation::has_equal_messages() const {
  const auto n_kv_heads = [&](int worker) {
    const Range heads = kv_heads_of(problem.shape, heads_of(worker));
    return heads.end - heads.begin;
  };
  for (int h = 0; shares_heads && h < group.size(0); ++h)
    if (problem.shape.q_heads % group.size(0) != 0 || n_kv_heads(h) != n_kv_heads(0)) return false;
  bool equal = true;
  for (const int first : {0, workers()}) {
    const auto is_sent = [&](const Transfer& sent) { return is_of_keys(sent.what) == (first > 0); };
    if (std::ranges::any_of(
            steps, [&](const auto& step) { return std::ranges::any_of(step.sends, is_sent); }))
      for (int place = 1; place < workers(); ++place)
        equal = equal && message_rows(first + place) == message_rows(first);
  }
  return equal;
}

Step Rotation::step(std::size_t index, int worker, bool with_tasks) const {
  const Rotation::StepOfZero& first = steps[index];
  Step out{qb::turned(*this, first.receives, worker), {}, qb::turned(*this, first.sends, worker)};
  for (const Rotation::Task& task : first.tasks)
    if (with_tasks)
      add_tasks(groups_of(*this, task.q, worker, true), groups_of(*this, task.kv, worker, false),
                heads_of(worker), out.tasks);
  return out;
}

void Rotation::add_tasks(const std::vector<int>& q, const std::vector<int>& kv, const Range& heads,
                         std::vector<PairTask>& tasks) const {
  for (int q_group : q)
    for (int kv_group : kv)
      if (auto pair = pair_task(problem, q_groups, kv_groups, q_group, kv_group)) {
        pair->heads = heads;
        tasks.push_back(*pair);
      }
}

Worker Rotation::worker(int index, Workers::Parts parts) const {
  Worker out{q_shard(index), kv_shard(index), {}, {}};
  if (saves_heads) out.saved = heads_of(index);
  if (parts == Workers::Parts::share) return out;
  out.steps.reserve(steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s)
    out.steps.push_back(step(s, index, parts == Workers::Parts::all));
  return out;
}

bool Rotation::fits(const Plan& plan) const {
  return plan.problem.shape == problem.shape && plan.problem.mask == problem.mask &&
         plan.problem.dtype == problem.dtype && plan.problem.sinks == problem.sinks &&
         plan.q_groups == q_groups && plan.kv_groups == kv_groups &&
         plan.group_lists == group_lists && plan.kv_first_step.empty() &&
         plan.gradients == gradients;
}

RotationBuilder::RotationBuilder(const Problem& problem, std::string algorithm,
                                 const GridShape& workers, Shards (*deal)(Plan&, int), Pass pass,
                                 DType gradients) {
  plan_.problem = problem;
  plan_.algorithm = std::move(algorithm);
  plan_.pass = pass;
  plan_.gradients = gradients;
  plan_.synchronisation = Synchronisation::rounds;
  plan_.result = Result::owners;
  rotation_.problem = problem;
  rotation_.group = WorkerGroup(workers);
  Shards shards = deal(plan_, n_workers());
  kv_room_ = shards.kv_room;
  plan_.group_lists = std::move(shards.q);
  plan_.group_lists.insert(plan_.group_lists.end(), shards.kv.begin(), shards.kv.end());
}

void RotationBuilder::save_heads(bool whole_gradients) {
  if (plan_.pass == Pass::forward) return;
  rotation_.saves_heads = true;
  if (whole_gradients && plan_.resident.empty()) plan_.gradients = plan_.problem.dtype;
}

void RotationBuilder::add_tiles() {
  for (int at = 0; at < n_workers(); at += rotation_.group.size(0)) {
    std::vector<int>& tile = plan_.group_lists.emplace_back();
    for (int w = at; w < at + rotation_.group.size(0); ++w) {
      const auto shard = static_cast<std::size_t>(n_workers() + w);
      tile.insert(tile.end(), plan_.group_lists[shard].begin(), plan_.group_lists[shard].end());
    }
    std::ranges::sort(tile);
  }
}

void RotationBuilder::pad_queries() {
  for (int w = 0; w < n_workers(); ++w)
    rotation_.q_room =
        std::max(rotation_.q_room,
                 tokens_of(plan_.q_groups, plan_.group_lists[static_cast<std::size_t>(w)]));
}

Rotation::StepOfZero& RotationBuilder::step(int index) {
  if (rotation_.steps.size() <= static_cast<std::size_t>(index))
    rotation_.steps.resize(static_cast<std::size_t>(index) + 1);
  return rotation_.steps[static_cast<std::size_t>(index)];
}

// Digits of a group with one axis, and places, are as they are.
int RotationBuilder::place(int distance) const {
  return (distance % n_workers() + n_workers()) % n_workers();
}

void RotationBuilder::add_task(int step_index, PlaceSet q, PlaceSet kv) {
  q.at = place(q.at);
  kv.at = place(kv.at);
  step(step_index).tasks.push_back({q, kv});
}

void RotationBuilder::send(int step_index, int to, TransferKind kind, TensorRole what,
                           PlaceSet shard, int head_share, int delay) {
  const WorkerGroup& group = rotation_.group;
  const int n = n_workers();
  const int tile = shard.axes == kHeadsAxis && group.size(0) > 1 ? group.size(0) : 1;
  const auto list = [&](int at) {
    return (!is_of_keys(what) ? 0 : tile > 1 ? 2 * n : n) + at / tile;
  };
  to = place(to);
  const int away = group.minus(to);  // the receiver counts places from its own
  Transfer transfer{.kind = kind,
                    .what = what,
                    .peer = to,
                    .groups = list(place(shard.at)),
                    .heads = rotation_.heads_of(place(head_share)),
                    .delay = delay};
  if (kind == TransferKind::p2p) transfer.until = step_index + delay;
  step(step_index).sends.push_back(transfer);
  transfer.peer = away;
  transfer.groups = list(group.plus(place(shard.at), away));
  transfer.heads = rotation_.heads_of(group.plus(place(head_share), away));
  step(step_index + delay).receives.push_back(transfer);
}

Plan RotationBuilder::finish() {
  for (Rotation::StepOfZero& each : rotation_.steps)
    for (std::vector<Transfer>* transfers : {&each.receives, &each.sends})
      std::stable_sort(transfers->begin(), transfers->end(),
                       [](const Transfer& a, const Transfer& b) { return a.peer < b.peer; });
  for (const int group : plan_.resident) plan_.group_lists.push_back({group});
  rotation_.q_groups = plan_.q_groups;
  rotation_.kv_groups = plan_.kv_groups;
  rotation_.resident = plan_.resident;
  rotation_.group_lists = plan_.group_lists;
  rotation_.gradients = plan_.gradients;
  const auto rule = std::make_shared<const Rotation>(std::move(rotation_));
  if (plan_.resident.empty())
    plan_.workers = Workers(
        rule->workers(), [rule](int w, Workers::Parts parts) { return rule->worker(w, parts); },
        rule);
  else
    plan_.workers =
        Workers(rule->workers(), [rule, pass = plan_.pass](int w, Workers::Parts parts) {
          return with_resident(*rule, pass, parts, w);
        });
  return std::move(plan_);
}

Plan pass_kv_ring(const Problem& problem, std::string algorithm, int workers,
                  Shards (*deal)(Plan&, int), Pass pass, DType gradients) {
  RotationBuilder builder(problem, std::move(algorithm), workers, deal, pass, gradients);
  builder.pad_keys();
  add_ring(builder, false);
  return builder.finish();
}

Plan pass_q_ring(const Problem& problem, std::string algorithm, int workers,
                 Shards (*deal)(Plan&, int), Pass pass, DType gradients) {
  RotationBuilder builder(problem, std::move(algorithm), workers, deal, pass, gradients);
  builder.pad_queries();
  add_ring(builder, true);
  if (pass == Pass::forward)
    for (int i = 1; i < workers; ++i)
      builder.send(workers - 1, -i, TransferKind::all_to_all, TensorRole::partial, -i);
  return builder.finish();
}

}  // namespace qb
