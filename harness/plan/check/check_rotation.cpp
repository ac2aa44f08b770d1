// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/check/check.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/plan/check/check_flow.h"
#include "harness/plan/rotation.h"

namespace qb {
namespace {

// Every group is in one shard, and each shard's groups ascend.
bool shards_are_a_partition(const Rotation& rotation, int first_list, std::size_t n_groups) {
  std::vector<char> seen(n_groups, 0);
  std::size_t count = 0;
  for (int place = 0; place < rotation.workers(); ++place) {
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

int n_tiles(const Rotation& rotation) { return rotation.workers() / rotation.group.size(0); }

// The lists behind those of the shards are none, or the keys of each tile.
bool tiles_are_of_shards(const Rotation& rotation) {
  const auto first = static_cast<std::size_t>(2 * rotation.workers());
  if (rotation.group_lists.size() == first) return true;
  if (rotation.group_lists.size() != first + static_cast<std::size_t>(n_tiles(rotation)))
    return false;
  for (int tile = 0; tile < n_tiles(rotation); ++tile) {
    std::vector<int> groups;
    for (int h = 0; h < rotation.group.size(0); ++h) {
      const std::vector<int>& shard = rotation.kv_shard(tile * rotation.group.size(0) + h);
      groups.insert(groups.end(), shard.begin(), shard.end());
    }
    std::ranges::sort(groups);
    if (groups != rotation.group_lists[first + static_cast<std::size_t>(tile)]) return false;
  }
  return true;
}

// The transfer names shards of the right kind and a worker; this proof knows its tensor.
bool is_known(const Rotation& rotation, const Transfer& transfer) {
  const bool keys = is_of_keys(transfer.what);
  const int first = keys ? rotation.workers() : 0;
  const int end = keys ? static_cast<int>(rotation.group_lists.size()) : first + rotation.workers();
  return transfer.groups >= first && transfer.groups < end && transfer.peer >= 0 &&
         transfer.peer < rotation.workers() &&
         (is_input(transfer.what) || is_gradient(transfer.what) ||
          transfer.what == TensorRole::partial);
}

// The set has places, and no other set is written in two ways.
bool is_set(const WorkerGroup& group, const PlaceSet& set) {
  if (set.at < 0 || set.at >= group.size() || set.axes > kEveryAxis ||
      (set.others && set.at != 0) || group.count(set) < 1)
    return false;
  const WorkerGroup::Digits at = group.digits(set.at);
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    if (group.spans(set.axes, axis) && at[axis] != 0) return false;
  return true;
}

// Adds the tasks of the first of either side with all of the other: what a task needs of its
// queries does not depend on its keys.
void add_crossed(const Rotation& rotation, const Rotation::Task& task, Step& step) {
  const std::vector<int> q = rotation.group.places(task.q);
  const std::vector<int> kv = rotation.group.places(task.kv);
  const auto add = [&](int one, int other) {
    step.tasks.push_back({one, other, rotation.heads_of(0), Allowed::all, 0});
  };
  for (const int one : q) add(one, kv[0]);
  for (std::size_t i = 1; i < kv.size(); ++i) add(q[0], kv[i]);
}

// Worker 0 uses and sends only what it holds, and returns each partial of foreign queries once, or
// moves each gradient home. Shards do not overlap, so the check is that of a plan with one group in
// place of each shard.
bool worker_0_follows_its_tensors(const Rotation& rotation, Pass pass) {
  const auto n = static_cast<std::size_t>(rotation.workers());
  Plan plan;
  plan.problem = rotation.problem;
  plan.pass = pass;
  plan.result = Result::owners;
  plan.q_groups.resize(n);
  plan.kv_groups.resize(n);
  std::vector<std::vector<int>> shards;
  for (int place = 0; place < rotation.workers(); ++place) shards.push_back({place});
  plan.group_lists = shards;
  plan.group_lists.insert(plan.group_lists.end(), shards.begin(), shards.end());
  for (int tile = 0; plan.group_lists.size() < rotation.group_lists.size(); ++tile)
    plan.group_lists.push_back(rotation.group.places({tile * rotation.group.size(0), kHeadsAxis}));
  Worker worker{{0}, {0}, {}, {}};
  if (rotation.saves_heads) worker.saved = rotation.heads_of(0);
  for (const Rotation::StepOfZero& rotated : rotation.steps) {
    for (const std::vector<Transfer>* transfers : {&rotated.receives, &rotated.sends})
      for (const Transfer& transfer : *transfers)
        if (!is_known(rotation, transfer)) return false;
    Step& step = worker.steps.emplace_back(Step{rotated.receives, {}, rotated.sends});
    for (const Rotation::Task& task : rotated.tasks) {
      if (!is_set(rotation.group, task.q) || !is_set(rotation.group, task.kv)) return false;
      add_crossed(rotation, task, step);
    }
  }
  return !check_worker_flow(plan, shards, worker, 0);
}

// A transfer as its receiver sees it; the bytes follow from the other fields.
using Received = std::tuple<int, TensorRole, int, std::int64_t, std::int64_t, int, int>;

// Worker 0 receives in each step what it sends in steps before, as its receiver sees it.
bool sends_meet_receives(const Rotation& rotation) {
  // Only a collective keeps a share for the worker itself.
  const auto may_be = [](const Transfer& t) {
    return t.peer != 0 || t.kind == TransferKind::all_gather || t.kind == TransferKind::all_to_all;
  };
  std::vector<std::vector<Received>> sent(rotation.steps.size());  // by step of arrival
  for (std::size_t s = 0; s < rotation.steps.size(); ++s) {
    const Rotation::StepOfZero& step = rotation.steps[s];
    std::vector<Received> received;
    if (!std::ranges::all_of(step.receives, may_be) || !std::ranges::all_of(step.sends, may_be))
      return false;
    for (const Transfer& t : step.receives)
      received.emplace_back(t.peer, t.what, t.groups, t.heads.begin, t.heads.end, t.delay, t.until);
    std::ranges::sort(sent[s]);
    std::ranges::sort(received);
    if (sent[s] != received) return false;
    for (const Transfer& t : step.sends) {
      if (t.delay < 1 || std::cmp_greater_equal(t.delay, rotation.steps.size() - s)) return false;
      const int back = rotation.group.minus(t.peer);
      const Transfer seen = rotation.turned(t, back);
      sent[s + static_cast<std::size_t>(t.delay)].emplace_back(
          back, t.what, seen.groups, seen.heads.begin, seen.heads.end, t.delay, t.until);
    }
  }
  return true;
}

// Worker w computes the pair of shards (w + q, w + kv): together the workers compute every pair of
// shards that are kv - q apart, once. Where heads are shared, a task must span their axis on both
// sides: then the workers of a tile compute all pairs of its shards, each for its own share.
bool covers_every_pair_once(const Rotation& rotation) {
  const WorkerGroup& group = rotation.group;
  const bool shares = rotation.shares_heads && group.size(0) > 1;
  if (shares && rotation.problem.shape.q_heads < group.size(0)) return false;
  std::vector<char> seen(static_cast<std::size_t>(group.size()), 0);
  int n_seen = 0;
  for (const Rotation::StepOfZero& step : rotation.steps)
    for (Rotation::Task task : step.tasks) {
      for (PlaceSet* const set : {&task.q, &task.kv}) {
        if (!shares) continue;
        if ((set->axes & kHeadsAxis) == 0 || set->others) return false;
        set->axes &= ~kHeadsAxis;
      }
      const std::vector<int> keys = group.places(task.kv);
      for (const int q : group.places(task.q))
        for (const int kv : keys) {
          char& apart = seen[static_cast<std::size_t>(group.plus(kv, group.minus(q)))];
          if (apart != 0) return false;
          apart = 1;
          ++n_seen;
        }
    }
  return n_seen == (shares ? n_tiles(rotation) : group.size());
}

}  // namespace

bool proved_by_rotation(const Plan& plan) {
  const Rotation* rotation = plan.workers.rotation();
  if (rotation == nullptr || plan.result != Result::owners || !rotation->fits(plan) ||
      rotation->workers() != static_cast<int>(plan.workers.size()) ||
      rotation->group_lists.size() < 2 * plan.workers.size())
    return false;
  return shards_are_a_partition(*rotation, 0, rotation->q_groups.size()) &&
         shards_are_a_partition(*rotation, rotation->workers(), rotation->kv_groups.size()) &&
         tiles_are_of_shards(*rotation) && worker_0_follows_its_tensors(*rotation, plan.pass) &&
         sends_meet_receives(*rotation) && covers_every_pair_once(*rotation);
}

}  // namespace qb
