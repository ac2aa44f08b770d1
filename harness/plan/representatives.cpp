// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/representatives.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "harness/plan/layout.h"

namespace qb {
namespace {

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
  if (plain && rotation_->fits(plan) && rotation_->has_equal_messages() && are_of_one_kind() &&
      is_uniform(kSame) &&
      (rotation_->workers() == 1 || (is_uniform(kBefore) && is_uniform(kBehind))))
    counted_ = CountedCalls::of(*rotation_, plan.pass);
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

bool Representatives::are_of_one_kind() const {
  const Rotation& r = *rotation_;
  for (int place = 1; place < r.workers(); ++place)
    if (!are_alike(r.q_groups, r.q_shard(0), r.q_shard(place)) ||
        !are_alike(r.kv_groups, r.kv_shard(0), r.kv_shard(place)))
      return false;
  return true;
}

// Returns whether the mask treats all such pairs of shards the same way. What it leaves of two
// groups of given sizes and strides depends only on their distance and grows with it: from nothing
// over causal blocks of rising offset to everything. So the least and the greatest distance decide.
bool Representatives::is_uniform(Order order) const {
  const Rotation& r = *rotation_;
  const auto distance = [&](const Places& groups) {
    return group_at(r.q_groups, groups.first).first - group_at(r.kv_groups, groups.second).first;
  };
  const auto task = [&](const Places& groups) {
    auto left = pair_task(r.problem, r.q_groups, r.kv_groups, groups.first, groups.second);
    if (left) left->q_group = left->kv_group = 0;
    return left;
  };
  for (std::size_t i = 0; i < r.q_shard(0).size(); ++i)
    for (std::size_t j = 0; j < r.kv_shard(0).size(); ++j) {
      Places least{-1, -1};
      Places most{-1, -1};
      int first = -1;  // among the keys so far, those that come first and last in the sequence
      int last = -1;
      for (int step = 0; step < r.workers(); ++step) {
        const int place = order == kBefore ? r.workers() - 1 - step : step;
        const int kv = r.kv_shard(place)[j];
        if (order == kSame) first = last = kv;
        if (first >= 0) {
          const int q = r.q_shard(place)[i];
          if (least.first < 0 || distance({q, last}) < distance(least)) least = {q, last};
          if (most.first < 0 || distance({q, first}) > distance(most)) most = {q, first};
        }
        if (first < 0 || group_at(r.kv_groups, kv).first < group_at(r.kv_groups, first).first)
          first = kv;
        if (last < 0 || group_at(r.kv_groups, kv).first > group_at(r.kv_groups, last).first)
          last = kv;
      }
      if (task(least) != task(most)) return false;
    }
  return true;
}

}  // namespace qb
