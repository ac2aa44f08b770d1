// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/representatives.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

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

// Takes a worker's place out of it: groups get numbers as they first occur, and peers count from
// the worker.
class PlaceTaker {
 public:
  explicit PlaceTaker(const Plan& plan)
      : plan_(plan),
        numbers_{Numbers(plan.q_groups.size(), -1), Numbers(plan.kv_groups.size(), -1)} {}

  std::vector<std::int64_t> facts;    // of the groups: their sizes, blocks and lists
  std::vector<std::int64_t> allowed;  // what the mask leaves of each task

  void take(Worker& worker, int index) {
    const auto n = static_cast<int>(plan_.workers.size());
    facts.clear();
    allowed.clear();
    for (int& group : worker.q_groups) number(false, group);
    for (int& group : worker.kv_groups) number(true, group);
    for (Step& step : worker.steps) {
      add_block(step.receives, TensorRole::q);
      add_block(step.receives, TensorRole::k);
      for (std::vector<Transfer>* const transfers : {&step.receives, &step.sends})
        for (Transfer& transfer : *transfers) {
          for (int group : plan_.groups_of(transfer)) {
            number(is_of_keys(transfer.what), group);
            facts.push_back(group);
          }
          transfer.groups = static_cast<int>(plan_.groups_of(transfer).size());
          if (transfer.peer >= 0) transfer.peer = (transfer.peer - index + n) % n;
        }
      for (PairTask& task : step.tasks) {
        number(false, task.q_group);
        number(true, task.kv_group);
        allowed.push_back(static_cast<std::int64_t>(std::exchange(task.allowed, Allowed::all)));
        allowed.push_back(std::exchange(task.offset, 0));
      }
    }
    for (const bool of_keys : {false, true}) {
      for (const int group : known_[of_keys])
        numbers_[of_keys][static_cast<std::size_t>(group)] = -1;
      known_[of_keys].clear();
    }
  }

 private:
  using Numbers = std::vector<int>;

  // What comes in one step is one block, in ascending order of groups.
  void add_block(const std::vector<Transfer>& receives, TensorRole what) {
    std::vector<int> block;
    for (const Transfer& transfer : receives)
      if (transfer.what == what)
        block.insert(block.end(), plan_.groups_of(transfer).begin(),
                     plan_.groups_of(transfer).end());
    std::ranges::sort(block);
    for (int group : block) {
      number(is_of_keys(what), group);
      facts.push_back(group);
    }
  }
  void number(bool of_keys, int& group) {
    const auto at = static_cast<std::size_t>(group);
    int& known = numbers_[of_keys][at];
    if (known < 0) {
      known = static_cast<int>(known_[of_keys].size());
      known_[of_keys].push_back(group);
      facts.push_back((of_keys ? plan_.kv_groups : plan_.q_groups)[at].count);
      if (of_keys && !plan_.kv_first_step.empty()) facts.push_back(plan_.kv_first_step[at]);
    }
    group = known;
  }

  const Plan& plan_;
  std::array<Numbers, 2> numbers_;         // of queries and of keys: by group
  std::array<std::vector<int>, 2> known_;  // likewise: the worker's groups
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

// What a worker holds follows from what it does with groups of which sizes, and what it computes
// also from what the mask leaves of its tasks: with a pattern that follows from the tokens.
void Representatives::compare(const Plan& plan) {
  std::map<std::vector<std::int64_t>, std::vector<std::pair<Worker, int>>> held;  // by facts
  std::map<std::vector<std::int64_t>, std::size_t> done;  // by first worker that holds as much
  PlaceTaker place(plan);
  Worker scratch;
  for (int w = 0; std::cmp_less(w, plan.workers.size()); ++w) {
    Worker worker = plan.workers.read(static_cast<std::size_t>(w), scratch);
    place.take(worker, w);
    auto& known = held[place.facts];
    auto like = std::ranges::find(known, worker, &std::pair<Worker, int>::first);
    if (like == known.end()) like = known.insert(like, {std::move(worker), w});
    holds_like_.push_back(like->second);
    place.allowed.push_back(plan.problem.mask.kind == MaskKind::pattern ? w : like->second);
    const auto [example, is_new] = done.try_emplace(place.allowed, examples_.size());
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
