// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/representatives.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "harness/plan/layout.h"

namespace qb {
namespace {

constexpr std::size_t kMostKinds = 8;

bool are_alike(const std::vector<TokenGroup>& groups, const std::vector<int>& a,
               const std::vector<int>& b) {
  return std::ranges::equal(a, b, [&](int x, int y) {
    return group_at(groups, x).count == group_at(groups, y).count &&
           group_at(groups, x).stride == group_at(groups, y).stride;
  });
}

using Content = std::vector<std::int64_t>;

struct ContentHash {
  std::size_t operator()(const Content& content) const {
    std::uint64_t hash = 0;
    for (const std::int64_t word : content)
      hash = hash_with(hash, static_cast<std::uint64_t>(word));
    return hash;
  }
};

// What a worker does, but for which tokens: lists and groups are numbered as they first occur.
class ContentReader {
 public:
  explicit ContentReader(const Plan& plan) : plan_(plan) {
    for (const bool of_keys : {false, true}) {
      sides_[of_keys].numbers.resize((of_keys ? plan.kv_groups : plan.q_groups).size());
      sides_[of_keys].lists.resize(plan.group_lists.size());
    }
  }

  // `held` follows from the sizes of the worker's groups, their order, its tasks and messages. What
  // the mask leaves of each task is in `allowed`; with a pattern it follows from the tokens alone.
  Content held;
  Content allowed;

  void read(const Worker& worker, int index) {
    index_ = index;
    held.clear();
    allowed.clear();
    for (Side& side : sides_) side.known.clear();
    held.insert(held.end(),
                {worker.heads.begin, worker.heads.end, worker.saved.begin, worker.saved.end});
    for (const bool of_keys : {false, true})
      add_groups(of_keys, of_keys ? worker.kv_groups : worker.q_groups);
    for (const Step& step : worker.steps) {
      add(step.receives);
      held.push_back(std::ssize(step.tasks));
      for (const PairTask& task : step.tasks) {
        const std::int64_t q = number(false, task.q_group);
        const std::int64_t kv = number(true, task.kv_group);
        held.insert(held.end(), {q, kv, task.heads.begin, task.heads.end});
        allowed.insert(allowed.end(), {static_cast<std::int64_t>(task.allowed), task.offset});
      }
      add(step.sends);
    }
    for (Side& side : sides_) {
      std::ranges::sort(side.known);
      for (const auto& [group, number] : side.known) held.push_back(number);
    }
  }

 private:
  struct Number {
    int of_worker = -1;
    std::int64_t number = 0;
  };
  // Queries, or keys.
  struct Side {
    std::vector<Number> numbers;                      // by group
    std::vector<Number> lists;                        // by list: where its groups are in `held`
    std::vector<std::pair<int, std::int64_t>> known;  // groups and their numbers
  };

  void add(const std::vector<Transfer>& transfers) {
    const auto n = static_cast<int>(plan_.workers.size());
    held.push_back(std::ssize(transfers));
    for (const Transfer& transfer : transfers) {
      const bool of_keys = is_of_keys(transfer.what);
      held.insert(held.end(), {static_cast<std::int64_t>(transfer.kind),
                               static_cast<std::int64_t>(transfer.what), transfer.bytes,
                               transfer.peer == kRoot ? kRoot : (transfer.peer - index_ + n) % n,
                               transfer.heads.begin, transfer.heads.end});
      Number& list = sides_[of_keys].lists[static_cast<std::size_t>(transfer.groups)];
      const bool is_new = list.of_worker != index_;
      if (is_new) list = {index_, std::ssize(held)};
      held.push_back(list.number);
      if (is_new) add_groups(of_keys, plan_.groups_of(transfer));
    }
  }
  void add_groups(bool of_keys, const std::vector<int>& groups) {
    held.push_back(std::ssize(groups));
    for (const int group : groups) {
      const std::int64_t known = number(of_keys, group);
      held.push_back(known);
    }
  }
  // Describes a group where it first occurs.
  std::int64_t number(bool of_keys, int group) {
    Side& side = sides_[of_keys];
    const auto at = static_cast<std::size_t>(group);
    Number& known = side.numbers[at];
    if (known.of_worker == index_) return known.number;
    known = {index_, std::ssize(side.known)};
    side.known.emplace_back(group, known.number);
    held.push_back(group_at(of_keys ? plan_.kv_groups : plan_.q_groups, group).count);
    if (of_keys && !plan_.kv_first_step.empty()) held.push_back(plan_.kv_first_step[at]);
    return known.number;
  }

  const Plan& plan_;
  std::array<Side, 2> sides_;
  int index_ = 0;
};

}  // namespace

Representatives::Representatives(const Plan& plan) : Representatives(plan, true) {}

Representatives::Representatives(const Plan& plan, bool compare)
    : rotation_(plan.workers.rotation()) {
  find_rule(plan);
  if (compare && !follow_rule()) this->compare(plan);
}

void Representatives::find_rule(const Plan& plan) {
  const Mask& mask = plan.problem.mask;
  const bool plain = mask.kind != MaskKind::pattern && mask.segments.empty() &&
                     plan.result == Result::owners && rotation_ != nullptr;
  if (!plain || !rotation_->fits(plan) || !rotation_->has_equal_messages() || !find_kinds()) return;
  if (ends_.size() == 1) {
    const bool several = rotation_->workers() > 1;
    if (is_uniform(0, 0, kSame) &&
        (!several || (is_uniform(0, 0, kBefore) && is_uniform(0, 0, kBehind))))
      counted_ = CountedCalls::of(*rotation_, plan.pass);
  } else if (plan.pass == Pass::forward && rotation_->group.size(2) == rotation_->workers() &&
             follow_steps() && !imagine()) {
    imagined_.clear();
  }
}

void Representatives::compare(const Plan& plan) {
  std::unordered_map<Content, int, ContentHash> held;          // the first worker that holds it
  std::unordered_map<Content, std::size_t, ContentHash> done;  // by that worker and what is allowed
  ContentReader content(plan);
  Worker scratch;
  for (int w = 0; std::cmp_less(w, plan.workers.size()); ++w) {
    content.read(plan.workers.read(static_cast<std::size_t>(w), scratch), w);
    holds_like_.push_back(held.try_emplace(content.held, w).first->second);
    if (plan.problem.mask.kind == MaskKind::pattern)
      content.allowed = {w};
    else
      content.allowed.push_back(holds_like_.back());
    const auto [example, is_new] = done.try_emplace(content.allowed, examples_.size());
    if (is_new) examples_.push_back(w);
    alike_.push_back(example->second);
  }
}

bool Representatives::find_kinds() {
  const Rotation& r = *rotation_;
  for (int place = 0; place < r.workers(); ++place) {
    const auto found = std::ranges::find_if(ends_, [&](const Places& ends) {
      return are_alike(r.q_groups, r.q_shard(ends.first), r.q_shard(place)) &&
             are_alike(r.kv_groups, r.kv_shard(ends.first), r.kv_shard(place));
    });
    kind_of_.push_back(static_cast<std::size_t>(found - ends_.begin()));
    if (found == ends_.end())
      ends_.emplace_back(place, place);
    else
      found->second = place;
    if (ends_.size() > kMostKinds) return false;
  }
  return true;
}

// Returns what the mask leaves of two shards.
std::vector<PairTask> Representatives::tasks_of(int q_place, int kv_place) const {
  std::vector<PairTask> tasks;
  rotation_->add_tasks(rotation_->q_shard(q_place), rotation_->kv_shard(kv_place),
                       rotation_->heads_of(0), tasks);
  return tasks;
}

// Returns false if more than the kinds and the order of two shards may matter in a step.
bool Representatives::follow_steps() {
  // By kind: such a worker has made a call on its own queries, or has none. Later calls cost more.
  std::vector<bool> begun;
  for (const Places& ends : ends_)
    begun.push_back(tokens_of(rotation_->q_groups, rotation_->q_shard(ends.first)) == 0);
  std::ptrdiff_t kept = 0;  // blocks of other workers' queries that have been computed
  for (const Rotation::StepOfZero& step : rotation_->steps) {
    others_.push_back(0);
    if (step.tasks.size() > 1) return false;
    for (const Rotation::Task& task : step.tasks) {
      const int other = std::max(task.q.at, task.kv.at);
      if (task.q.axes != 0 || task.kv.axes != 0 || std::min(task.q.at, task.kv.at) != 0)
        return false;
      others_.back() = other;
      kept += other > 0 && task.kv.at == 0 ? 1 : 0;
      for (std::size_t kind = 0; kind < ends_.size(); ++kind) {
        const int place = ends_[kind].first;
        if (other == 0) begun[kind] = begun[kind] || !tasks_of(place, place).empty();
        if (!begun[kind] && other > 0 && task.q.at == 0) return false;
      }
    }
    const auto returned = std::ranges::count(step.sends, TensorRole::partial, &Transfer::what);
    if (kept > 0 && returned > 0 && std::exchange(kept, 0) != returned) return false;
  }
  return true;
}

// Returns whether the mask treats all such pairs of shards the same way. What it leaves of two
// groups of given sizes and strides depends only on their distance and grows with it: from nothing
// over causal blocks of rising offset to everything. So the least and the greatest distance decide.
bool Representatives::is_uniform(std::size_t q_kind, std::size_t kv_kind, Order order) const {
  const Rotation& r = *rotation_;
  const auto distance = [&](const Places& groups) {
    return group_at(r.q_groups, groups.first).first - group_at(r.kv_groups, groups.second).first;
  };
  const auto task = [&](const Places& groups) {
    auto left = pair_task(r.problem, r.q_groups, r.kv_groups, groups.first, groups.second);
    if (left) left->q_group = left->kv_group = 0;
    return left;
  };
  for (std::size_t i = 0; i < r.q_shard(ends_[q_kind].first).size(); ++i)
    for (std::size_t j = 0; j < r.kv_shard(ends_[kv_kind].first).size(); ++j) {
      Places least{-1, -1};
      Places most{-1, -1};
      int first = -1;  // among the keys so far, those that come first and last in the sequence
      int last = -1;
      for (int step = 0; step < r.workers(); ++step) {
        const int place = order == kBefore ? r.workers() - 1 - step : step;
        const std::size_t kind = kind_of_[static_cast<std::size_t>(place)];
        const int kv = kind == kv_kind ? r.kv_shard(place)[j] : -1;
        if (order == kSame) first = last = kv;
        if (kind == q_kind && first >= 0) {
          const int q = r.q_shard(place)[i];
          if (least.first < 0 || distance({q, last}) < distance(least)) least = {q, last};
          if (most.first < 0 || distance({q, first}) > distance(most)) most = {q, first};
        }
        if (kv < 0) continue;
        if (first < 0 || group_at(r.kv_groups, kv).first < group_at(r.kv_groups, first).first)
          first = kv;
        if (last < 0 || group_at(r.kv_groups, kv).first > group_at(r.kv_groups, last).first)
          last = kv;
      }
      if (task(least) != task(most)) return false;
    }
  return true;
}

// Returns false if the order and the kinds of two shards do not say what the mask leaves of them.
bool Representatives::imagine() {
  like_.resize(ends_.size() * ends_.size() * kOrders);
  for (std::size_t own = 0; own < ends_.size(); ++own) {
    const std::size_t first = imagined_.size();
    for (std::size_t other = 0; other < ends_.size(); ++other)
      for (const Order order : {kBefore, kSame, kBehind}) {
        const int place = order == kBehind ? ends_[own].second : ends_[own].first;
        const int away = order == kBefore ? ends_[other].second : ends_[other].first;
        if (order != (place < away ? kBefore : place > away ? kBehind : kSame)) continue;
        if (!is_uniform(own, other, order)) return false;
        like_[index(own, other, order)] = imagined_.size();
        if (order != kSame || rotation_->workers() == 1) imagined_.emplace_back(place, away);
      }
    like_[index(own, own, kSame)] = first;
  }
  return true;
}

Plan Representatives::imagined_plan(std::size_t which) const {
  Plan plan;
  plan.problem = rotation_->problem;
  plan.result = Result::owners;
  if (counted_) {
    plan.pass = counted_->pass();
    plan.gradients = rotation_->gradients;
    plan.q_groups = rotation_->q_groups;
    plan.kv_groups = rotation_->kv_groups;
    plan.group_lists = rotation_->group_lists;
    plan.workers.push_back(counted_->sketch(0));
    return plan;
  }
  Rotation like = *rotation_;
  const auto deal = [&](int first, const std::vector<TokenGroup>& groups,
                        std::vector<TokenGroup>& dealt) {
    dealt.clear();
    for (int place = 0; place < like.workers(); ++place) {
      const auto [own, others] = imagined_[which];
      const int from = first + (place == 0 ? own : others);
      std::vector<int>& list = like.group_lists[static_cast<std::size_t>(first + place)];
      list.clear();
      for (int group : rotation_->group_lists[static_cast<std::size_t>(from)]) {
        list.push_back(static_cast<int>(dealt.size()));
        dealt.push_back(group_at(groups, group));
      }
    }
  };
  deal(0, rotation_->q_groups, like.q_groups);
  deal(like.workers(), rotation_->kv_groups, like.kv_groups);
  plan.workers.push_back(like.worker(0, Workers::Parts::all));
  plan.q_groups = std::move(like.q_groups);
  plan.kv_groups = std::move(like.kv_groups);
  plan.group_lists = std::move(like.group_lists);
  return plan;
}

}  // namespace qb
