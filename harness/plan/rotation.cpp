// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/rotation.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "harness/plan/layout.h"
#include "harness/plan/messages.h"

namespace qb {
namespace {

// Peers ascend for worker 0. After the turn they ascend again, beginning where they wrap around.
std::vector<Transfer> turned(const Rotation& rotation, const std::vector<Transfer>& transfers,
                             int worker) {
  const auto wrap = std::partition_point(
      transfers.begin(), transfers.end(),
      [&](const Transfer& transfer) { return transfer.peer + worker < rotation.workers; });
  std::vector<Transfer> all(transfers.size());
  std::rotate_copy(transfers.begin(), wrap, transfers.end(), all.begin());
  for (Transfer& transfer : all) transfer = rotation.turned(transfer, worker);
  return all;
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

Range Rotation::heads_of(int worker) const {
  if (heads_each == 0) return {0, problem.shape.q_heads};
  return {worker * heads_each, (worker + 1) * heads_each};
}

Transfer Rotation::turned(const Transfer& transfer, int worker) const {
  Transfer out = transfer;
  out.peer = turned(transfer.peer, worker);
  const bool keys = is_of_keys(transfer.what);
  out.groups = turned(transfer.groups % workers, worker) + (keys ? workers : 0);
  if (heads_each > 0)
    out.heads = heads_of(turned(static_cast<int>(transfer.heads.begin / heads_each), worker));
  out.bytes = tensor_bytes(problem, transfer.what, message_rows(out.groups), out.heads, gradients);
  return out;
}

std::int64_t Rotation::message_rows(int list) const {
  const bool keys = list >= workers;
  return std::max(
      tokens_of(keys ? kv_groups : q_groups, group_lists[static_cast<std::size_t>(list)]),
      keys ? kv_room : q_room);
}

bool Rotation::has_equal_messages() const {
  bool equal = true;
  for (const int first : {0, workers}) {
    const auto is_sent = [&](const Transfer& sent) { return is_of_keys(sent.what) == (first > 0); };
    if (std::ranges::any_of(
            steps, [&](const auto& step) { return std::ranges::any_of(step.sends, is_sent); }))
      for (int place = 1; place < workers; ++place)
        equal = equal && message_rows(first + place) == message_rows(first);
  }
  return equal;
}

Step Rotation::step(std::size_t index, int worker, bool sketch) const {
  const Rotation::StepOfZero& first = steps[index];
  Step out{qb::turned(*this, first.receives, worker), {}, qb::turned(*this, first.sends, worker)};
  const auto named = [&](int shard, bool of_queries) {
    if (shard == kEveryShard && !sketch) return every_group(of_queries ? q_groups : kv_groups);
    const int place = turned(shard == kEveryShard ? 0 : shard, worker);
    return of_queries ? q_shard(place) : kv_shard(place);
  };
  for (const Rotation::Task& task : first.tasks)
    add_tasks(named(task.q, true), named(task.kv, false), heads_of(worker), out.tasks);
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

Worker Rotation::worker(int index, bool with_steps) const {
  Worker out{q_shard(index), kv_shard(index), {}, {}};
  if (saves_heads) out.saved = heads_of(index);
  if (!with_steps) return out;
  out.steps.reserve(steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s) out.steps.push_back(step(s, index));
  return out;
}

bool Rotation::fits(const Plan& plan) const {
  return plan.problem.shape == problem.shape && plan.problem.mask == problem.mask &&
         plan.problem.dtype == problem.dtype && plan.q_groups == q_groups &&
         plan.kv_groups == kv_groups && plan.group_lists == group_lists &&
         plan.kv_first_step.empty() && plan.gradients == gradients;
}

RotationBuilder::RotationBuilder(const Problem& problem, std::string algorithm, int workers,
                                 Shards (*deal)(Plan&, int), Pass pass, DType gradients) {
  plan_.problem = problem;
  plan_.algorithm = std::move(algorithm);
  plan_.pass = pass;
  plan_.gradients = gradients;
  plan_.synchronisation = Synchronisation::rounds;
  plan_.result = Result::owners;
  Shards shards = deal(plan_, workers);
  rotation_.problem = problem;
  rotation_.workers = workers;
  kv_room_ = shards.kv_room;
  plan_.group_lists = std::move(shards.q);
  plan_.group_lists.insert(plan_.group_lists.end(), shards.kv.begin(), shards.kv.end());
}

void RotationBuilder::share_heads() {
  rotation_.heads_each = plan_.problem.shape.q_heads / rotation_.workers;
  if (plan_.pass == Pass::forward) return;
  rotation_.saves_heads = true;
  plan_.gradients = plan_.problem.dtype;
}

void RotationBuilder::pad_queries() {
  for (int w = 0; w < rotation_.workers; ++w)
    rotation_.q_room =
        std::max(rotation_.q_room,
                 tokens_of(plan_.q_groups, plan_.group_lists[static_cast<std::size_t>(w)]));
}

Rotation::StepOfZero& RotationBuilder::step(int index) {
  if (rotation_.steps.size() <= static_cast<std::size_t>(index))
    rotation_.steps.resize(static_cast<std::size_t>(index) + 1);
  return rotation_.steps[static_cast<std::size_t>(index)];
}

int RotationBuilder::place(int distance) const {
  return (distance % rotation_.workers + rotation_.workers) % rotation_.workers;
}

void RotationBuilder::add_task(int step_index, int q_shard, int kv_shard) {
  step(step_index)
      .tasks.push_back({q_shard == kEveryShard ? kEveryShard : place(q_shard),
                        kv_shard == kEveryShard ? kEveryShard : place(kv_shard)});
}

void RotationBuilder::send(int step_index, int distance, TransferKind kind, TensorRole what,
                           int shard, int head_share) {
  const int lists = is_of_keys(what) ? rotation_.workers : 0;
  step(step_index)
      .sends.push_back({kind, what, place(distance), lists + place(shard),
                        rotation_.heads_of(place(head_share)), 0});
  // The receiver counts places from its own.
  step(step_index + 1)
      .receives.push_back({kind, what, place(-distance), lists + place(shard - distance),
                           rotation_.heads_of(place(head_share - distance)), 0});
}

Plan RotationBuilder::finish() {
  for (Rotation::StepOfZero& each : rotation_.steps)
    for (std::vector<Transfer>* transfers : {&each.receives, &each.sends})
      std::stable_sort(transfers->begin(), transfers->end(),
                       [](const Transfer& a, const Transfer& b) { return a.peer < b.peer; });
  rotation_.q_groups = plan_.q_groups;
  rotation_.kv_groups = plan_.kv_groups;
  rotation_.group_lists = plan_.group_lists;
  rotation_.gradients = plan_.gradients;
  const auto rule = std::make_shared<const Rotation>(std::move(rotation_));
  plan_.workers = Workers(
      rule->workers, [rule](int w, bool with_steps) { return rule->worker(w, with_steps); }, rule);
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
