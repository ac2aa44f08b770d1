// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/check/check.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "harness/plan/check/check_flow.h"
#include "harness/plan/rotation.h"

namespace qb {
namespace {

// Every group is in one shard, and each shard's groups ascend.
bool shards_are_a_partition(const Rotation& rotation, int first_list, std::size_t n_groups) {
  std::vector<char> seen(n_groups, 0);
  std::size_t count = 0;
  for (int place = 0; place < rotation.workers; ++place) {
    const auto& shard = rotation.group_lists[static_cast<std::size_t>(first_list + place)];
    if (!std::ranges::is_sorted(shard)) return false;
    for (int group : shard) {
      if (group < 0 || static_cast<std::size_t>(group) >= n_groups) return false;
      char& taken = seen[static_cast<std::size_t>(group)];
      if (taken != 0) return false;
      taken = 1;
      ++count;
    }
  }
  return count == n_groups;
}

// The transfer names a shard of the right kind and another worker; this proof knows its tensor.
bool is_known(const Rotation& rotation, const Transfer& transfer) {
  const int first = is_of_keys(transfer.what) ? rotation.workers : 0;
  return transfer.groups >= first && transfer.groups < first + rotation.workers &&
         transfer.peer >= 0 && transfer.peer < rotation.workers &&
         transfer.kind != TransferKind::scatter && transfer.kind != TransferKind::gather &&
         (is_input(transfer.what) || is_gradient(transfer.what) ||
          transfer.what == TensorRole::partial);
}

// Worker 0 uses and sends only what it holds, and returns each partial of foreign queries once, or
// moves each gradient home. Shards do not overlap, so the check is that of a plan with one group in
// place of each shard.
bool worker_0_follows_its_tensors(const Rotation& rotation, Pass pass) {
  const auto n = static_cast<std::size_t>(rotation.workers);
  Plan plan;
  plan.problem = rotation.problem;
  plan.pass = pass;
  plan.result = Result::owners;
  plan.q_groups.resize(n);
  plan.kv_groups.resize(n);
  std::vector<std::vector<int>> shards;
  for (int place = 0; place < rotation.workers; ++place) shards.push_back({place});
  plan.group_lists = shards;
  plan.group_lists.insert(plan.group_lists.end(), shards.begin(), shards.end());
  Worker worker{{0}, {0}, {}, {}};
  if (rotation.saves_heads) worker.saved = rotation.heads_of(0);
  for (const Rotation::StepOfZero& rotated : rotation.steps) {
    for (const std::vector<Transfer>* transfers : {&rotated.receives, &rotated.sends})
      for (const Transfer& transfer : *transfers)
        if (!is_known(rotation, transfer)) return false;
    Step& step = worker.steps.emplace_back(Step{rotated.receives, {}, rotated.sends});
    const auto add = [&](int q, int kv) {
      step.tasks.push_back({q, kv, rotation.heads_of(0), Allowed::all, 0});
    };
    for (const Rotation::Task& task : rotated.tasks) {
      const bool every_q = task.q == kEveryShard;
      const bool every_kv = task.kv == kEveryShard;
      // What a task needs of its queries does not depend on its keys: no pair need be named.
      for (int q = 0; every_q && q < rotation.workers; ++q) add(q, every_kv ? 0 : task.kv);
      for (int kv = 0; every_kv && kv < rotation.workers; ++kv) add(every_q ? 0 : task.q, kv);
      if (!every_q && !every_kv) add(task.q, task.kv);
    }
  }
  return !check_worker_flow(plan, shards, worker, 0);
}

// A transfer as its receiver sees it; the bytes follow from the other fields.
using Received = std::tuple<int, TensorRole, int, std::int64_t, std::int64_t>;

// Worker 0 receives in each step what it sends in the step before, as its receiver sees it.
bool sends_meet_receives(const Rotation& rotation) {
  // Only a collective keeps a share for the worker itself.
  const auto may_be = [](const Transfer& t) {
    return t.peer != 0 || t.kind == TransferKind::all_gather || t.kind == TransferKind::all_to_all;
  };
  std::vector<Received> sent;
  for (const Rotation::StepOfZero& step : rotation.steps) {
    std::vector<Received> received;
    if (!std::ranges::all_of(step.receives, may_be) || !std::ranges::all_of(step.sends, may_be))
      return false;
    for (const Transfer& t : step.receives)
      received.emplace_back(t.peer, t.what, t.groups, t.heads.begin, t.heads.end);
    std::ranges::sort(sent);
    std::ranges::sort(received);
    if (sent != received) return false;
    sent.clear();
    for (const Transfer& t : step.sends) {
      const int back = (rotation.workers - t.peer) % rotation.workers;
      const Transfer seen = rotation.turned(t, back);
      sent.emplace_back(back, t.what, seen.groups, seen.heads.begin, seen.heads.end);
    }
  }
  return sent.empty();
}

// Worker w computes the pair of shards (w + q, w + kv): together the workers compute every pair of
// shards that are kv - q apart, once.
bool covers_every_pair_once(const Rotation& rotation) {
  std::vector<Rotation::Task> tasks;
  for (const Rotation::StepOfZero& step : rotation.steps)
    tasks.insert(tasks.end(), step.tasks.begin(), step.tasks.end());
  const auto is_every = [](int shard) { return shard == kEveryShard; };
  if (rotation.heads_each > 0)  // each worker computes everything for its share of the heads
    return tasks.size() == 1 && is_every(tasks[0].q) && is_every(tasks[0].kv) &&
           rotation.heads_each * rotation.workers == rotation.problem.shape.q_heads;
  if (tasks.size() == 1 && is_every(tasks[0].q) != is_every(tasks[0].kv)) return true;
  std::vector<char> seen(static_cast<std::size_t>(rotation.workers), 0);
  for (const Rotation::Task& task : tasks) {
    if (is_every(task.q) || is_every(task.kv)) return false;
    char& apart =
        seen[static_cast<std::size_t>((task.kv - task.q + rotation.workers) % rotation.workers)];
    if (apart != 0) return false;
    apart = 1;
  }
  return tasks.size() == seen.size();
}

}  // namespace

bool proved_by_rotation(const Plan& plan) {
  const Rotation* rotation = plan.workers.rotation();
  if (rotation == nullptr || plan.result != Result::owners || !rotation->fits(plan) ||
      rotation->workers != static_cast<int>(plan.workers.size()) ||
      rotation->group_lists.size() != 2 * plan.workers.size())
    return false;
  return shards_are_a_partition(*rotation, 0, rotation->q_groups.size()) &&
         shards_are_a_partition(*rotation, rotation->workers, rotation->kv_groups.size()) &&
         worker_0_follows_its_tensors(*rotation, plan.pass) && sends_meet_receives(*rotation) &&
         covers_every_pair_once(*rotation);
}

}  // namespace qb
