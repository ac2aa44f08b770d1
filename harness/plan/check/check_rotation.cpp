#include "harness/plan/check/check_rotation.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "harness/plan/messages.h"
#include "harness/plan/rotation.h"

namespace qb {
namespace {

bool within(const HeadRange& inner, const HeadRange& outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

// Every group is in one shard, and each shard's groups ascend.
bool shards_are_a_partition(const Rotation& rotation, int first_list, std::size_t n_groups) {
  std::vector<char> seen(n_groups, 0);
  std::size_t count = 0;
  for (int place = 0; place < rotation.workers; ++place) {
    const auto& shard = rotation.group_lists[static_cast<std::size_t>(first_list + place)];
    if (!std::is_sorted(shard.begin(), shard.end())) return false;
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

// Worker 0 uses and sends only what it holds, and returns each partial of foreign queries once.
// Shards do not overlap, so a shard is held if and only if its groups are.
class PlaceFlow {
 public:
  explicit PlaceFlow(const Rotation& rotation)
      : rotation_(rotation), own_heads_(rotation.heads_of(0)) {}

  [[nodiscard]] bool holds_true() {
    for (step_ = 0; step_ < static_cast<int>(rotation_.steps.size()); ++step_) {
      const RotatedStep& step = rotation_.steps[static_cast<std::size_t>(step_)];
      for (const Transfer& transfer : step.receives)
        if (!receive(transfer)) return false;
      for (const ShardTask& task : step.tasks)
        if (!compute(task)) return false;
      for (const Transfer& transfer : step.sends)
        if (!send(transfer)) return false;
    }
    return std::all_of(owed_.begin(), owed_.end(),
                       [](const auto& owed) { return owed.second.times_sent == 1; });
  }

 private:
  struct Held {
    int step = 0;
    bool to_the_end = false;
    HeadRange heads;
  };
  struct Owed {
    HeadRange heads;
    int times_sent = 0;
  };

  // The list must be a list of shards of the right kind.
  [[nodiscard]] bool names_a_shard(const Transfer& transfer) const {
    const bool keys = transfer.what == TensorRole::k || transfer.what == TensorRole::v;
    const int first = keys ? rotation_.workers : 0;
    return transfer.groups >= first && transfer.groups < first + rotation_.workers &&
           transfer.peer >= 0 && transfer.peer < rotation_.workers;
  }
  [[nodiscard]] int place_of(const Transfer& transfer) const {
    return transfer.groups % rotation_.workers;
  }

  bool receive(const Transfer& transfer) {
    if (!names_a_shard(transfer) || transfer.kind == TransferKind::scatter) return false;
    if (is_input(transfer.what))
      held_[static_cast<std::size_t>(transfer.what)][place_of(transfer)] = {
          step_, transfer.kind != TransferKind::p2p, transfer.heads};
    return true;
  }

  [[nodiscard]] const Held* received(TensorRole what, int place) const {
    const auto& of_kind = held_[static_cast<std::size_t>(what)];
    const auto found = of_kind.find(place);
    if (found == of_kind.end()) return nullptr;
    return found->second.to_the_end || found->second.step == step_ ? &found->second : nullptr;
  }

  [[nodiscard]] bool holds(TensorRole what, int place, const HeadRange& heads) const {
    const Held* held = received(what, place);
    return place == 0 || (held != nullptr && within(heads, held->heads));
  }

  // Calls visit(place) for the shards that a task names, until visit() returns false.
  template <class Visit>
  [[nodiscard]] bool all_places(int shard, const Visit& visit) const {
    if (shard != kEveryShard) return shard >= 0 && shard < rotation_.workers && visit(shard);
    for (int place = 0; place < rotation_.workers; ++place)
      if (!visit(place)) return false;
    return true;
  }

  bool compute(const ShardTask& task) {
    const bool keys = all_places(task.kv, [&](int place) {
      return holds(TensorRole::k, place, own_heads_) && holds(TensorRole::v, place, own_heads_);
    });
    return keys && all_places(task.q, [&](int place) {
             if (!holds(TensorRole::q, place, own_heads_)) return false;
             const Held* held = received(TensorRole::q, place);
             if (held == nullptr) return true;
             Owed& owed = owed_[place];
             owed.heads = held->heads;
             return owed.times_sent == 0;
           });
  }

  bool send(const Transfer& transfer) {
    if (!names_a_shard(transfer) || transfer.kind == TransferKind::gather) return false;
    const int place = place_of(transfer);
    if (is_input(transfer.what)) return holds(transfer.what, place, transfer.heads);
    if (transfer.what != TensorRole::partial) return false;
    const auto owed = owed_.find(place);
    if (owed == owed_.end() || owed->second.heads != transfer.heads) return true;
    ++owed->second.times_sent;
    return transfer.peer == place;
  }

  const Rotation& rotation_;
  const HeadRange own_heads_;
  int step_ = 0;
  std::array<std::map<int, Held>, 3> held_;  // by TensorRole q, k, v; by place
  std::map<int, Owed> owed_;                 // by place
};

// A transfer as its receiver sees it; the bytes follow from the other fields.
using Received = std::tuple<int, TensorRole, int, std::int64_t, std::int64_t>;

// Worker 0 receives in each step what it sends in the step before, as its receiver sees it.
bool sends_meet_receives(const Rotation& rotation) {
  // Only a collective keeps a share for the worker itself.
  const auto may_be = [](const Transfer& t) {
    return t.peer != 0 || t.kind == TransferKind::all_gather || t.kind == TransferKind::all_to_all;
  };
  std::vector<Received> sent;
  for (const RotatedStep& step : rotation.steps) {
    std::vector<Received> received;
    if (!std::all_of(step.receives.begin(), step.receives.end(), may_be) ||
        !std::all_of(step.sends.begin(), step.sends.end(), may_be))
      return false;
    for (const Transfer& t : step.receives)
      received.emplace_back(t.peer, t.what, t.groups, t.heads.begin, t.heads.end);
    std::sort(sent.begin(), sent.end());
    std::sort(received.begin(), received.end());
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
  std::vector<ShardTask> tasks;
  for (const RotatedStep& step : rotation.steps)
    tasks.insert(tasks.end(), step.tasks.begin(), step.tasks.end());
  const auto is_every = [](int shard) { return shard == kEveryShard; };
  if (rotation.heads_each > 0)  // each worker computes everything for its share of the heads
    return tasks.size() == 1 && is_every(tasks[0].q) && is_every(tasks[0].kv) &&
           rotation.heads_each * rotation.workers == rotation.problem.shape.q_heads;
  if (tasks.size() == 1 && is_every(tasks[0].q) != is_every(tasks[0].kv)) return true;
  std::vector<char> seen(static_cast<std::size_t>(rotation.workers), 0);
  for (const ShardTask& task : tasks) {
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
         PlaceFlow(*rotation).holds_true() && sends_meet_receives(*rotation) &&
         covers_every_pair_once(*rotation);
}

}  // namespace qb
