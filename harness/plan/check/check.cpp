// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "harness/plan/check/check_flow.h"
#include "harness/plan/layout.h"

namespace qb {
namespace {

using Offence = std::optional<std::string>;

struct OwnedTask {
  PairTask task;
  int worker;
};

// Groups must tile [0, n): each residue class of the common stride has no gap and no overlap.
Offence check_groups(std::string_view what, const std::vector<TokenGroup>& groups, std::int64_t n) {
  std::vector<TokenGroup> live;
  for (const TokenGroup& group : groups) {
    if (group.first < 0 || group.count < 0 || group.stride < 1)
      return fmt::format("a {} group has first {}, count {}, stride {}", what, group.first,
                         group.count, group.stride);
    if (group.count > 0) live.push_back(group);
  }
  const std::int64_t stride = live.empty() ? 1 : live.front().stride;
  std::ranges::sort(live, [&](const TokenGroup& a, const TokenGroup& b) {
    return std::pair(a.first % stride, a.first) < std::pair(b.first % stride, b.first);
  });
  std::int64_t covered = 0;
  std::int64_t expected = 0;
  std::int64_t residue = -1;
  for (const TokenGroup& group : live) {
    if (group.stride != stride)
      return fmt::format("{} groups have strides {} and {}", what, stride, group.stride);
    if (group.first % stride != residue) {
      residue = group.first % stride;
      expected = residue;
    }
    if (group.first != expected)
      return fmt::format("{} token {} is {}", what, std::min(expected, group.first),
                         group.first > expected ? "in no group" : "in two groups");
    expected = group.token(group.count);
    covered += group.count;
    if (group.token(group.count - 1) >= n)
      return fmt::format("{} token {} is beyond the sequence of {}", what,
                         group.token(group.count - 1), n);
  }
  if (covered != n) return fmt::format("{} groups hold {} tokens of {}", what, covered, n);
  return std::nullopt;
}

// Each group must lie within one packed sequence: a task then follows from the ends of its groups.
Offence check_sequences(std::string_view what, const std::vector<TokenGroup>& groups,
                        const std::vector<Segment>& sequences, std::int64_t Segment::*end) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].count == 0) continue;
    const auto own = std::ranges::upper_bound(sequences, groups[g].first, {}, end);
    if (own == sequences.end() || groups[g].last() >= (*own).*end)
      return fmt::format("{} group {} crosses from one packed sequence into the next", what, g);
  }
  return std::nullopt;
}

bool exists(const std::vector<TokenGroup>& groups, int group) {
  return group >= 0 && group < static_cast<int>(groups.size());
}

// The tasks' groups must exist.
Offence check_tasks(const Plan& plan, const Worker& worker, std::size_t index) {
  for (std::size_t s = 0; s < worker.steps.size(); ++s)
    for (const PairTask& task : worker.steps[s].tasks)
      if (!exists(plan.q_groups, task.q_group) || !exists(plan.kv_groups, task.kv_group))
        return fmt::format("worker {} step {}: task ({}, {}) names a group that does not exist",
                           index, s, task.q_group, task.kv_group);
  return std::nullopt;
}

// Every head of a group of queries, or of keys, has one owner.
Offence check_owners(const Plan& plan, bool queries) {
  const std::string_view what = queries ? "query" : "key";
  const std::vector<TokenGroup>& groups = queries ? plan.q_groups : plan.kv_groups;
  std::vector<std::tuple<int, std::int64_t, std::int64_t, std::size_t>> owners;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker share = plan.workers.share(w);
    const Range heads = queries ? plan.result_heads_of(share) : plan.heads_of(share);
    for (int group : queries ? share.q_groups : share.kv_groups) {
      const auto resident = std::ranges::find(plan.resident, group);
      if (!queries && resident != plan.resident.end() &&
          std::cmp_not_equal(resident - plan.resident.begin(), w))
        continue;  // a copy
      owners.emplace_back(group, heads.begin, heads.end, w);
    }
  }
  std::ranges::sort(owners);
  auto at = owners.begin();
  for (int group = 0; group < std::ssize(groups); ++group) {
    std::int64_t head = 0;
    std::size_t before = 0;
    for (; at != owners.end() && std::get<0>(*at) == group; ++at) {
      const auto [g, begin, end, w] = *at;
      if (begin > head) break;
      if (begin < head)
        return fmt::format("{} group {} has two owners, workers {} and {}", what, group, before, w);
      head = end;
      before = w;
    }
    if (head == plan.problem.shape.q_heads || group_at(groups, group).count == 0) continue;
    return fmt::format("{} group {} has no owner{}", what, group,
                       head > 0 ? fmt::format(" for head {}", head) : "");
  }
  return std::nullopt;
}

// The weights of the partials that a worker sums add up to one if each was weighed by the LSE of
// all of them. Takes the workers one after another.
class Weights {
 public:
  explicit Weights(const Plan& plan) : plan_(plan) {}

  void add(const Worker& worker, int index) {
    const auto brings = [&](const Transfer& t, TensorRole what) {
      return t.what == what && plan_.groups_of(t) == worker.q_groups;
    };
    bool has_sent = false;
    for (const Step& step : worker.steps) {
      for (const Transfer& t : step.receives) {
        if (!has_sent && brings(t, TensorRole::partial_lse) && t.heads == plan_.heads_of(worker))
          weighed_by_[index].insert({t.peer, index});
        if (brings(t, TensorRole::weighted)) sums_[index].insert({t.peer, index});
      }
      has_sent =
          has_sent || std::ranges::count(step.sends, TensorRole::weighted, &Transfer::what) > 0;
    }
  }

  [[nodiscard]] Offence finish() {
    for (const auto& [w, sums] : sums_)
      for (const int peer : sums)
        if (weighed_by_[peer] != sums)
          return fmt::format(
              "worker {} sums partials of {} workers, and worker {} has not weighed its own by the "
              "LSE of each",
              w, sums.size(), peer);
    return std::nullopt;
  }

 private:
  const Plan& plan_;
  std::map<int, std::set<int>> weighed_by_;  // by worker, itself included
  std::map<int, std::set<int>> sums_;        // likewise
};

// Runs the all-reduces of a tensor: sums go to lower workers, the whole goes back to higher ones.
Offence check_all_reduce(const Plan& plan, TensorRole what) {
  const std::size_t n = plan.workers.size();
  std::vector<std::size_t> holds(n, 1);
  std::size_t steps = 0;
  for (const Worker& worker : plan.workers.all()) steps = std::max(steps, worker.steps.size());
  for (std::size_t s = 0; s < steps; ++s) {
    const std::vector<std::size_t> before = holds;
    for (std::size_t w = 0; w < n; ++w) {
      if (s >= plan.workers[w].steps.size()) continue;
      for (const Transfer& t : plan.workers[w].steps[s].receives) {
        if (t.kind != TransferKind::all_reduce || t.what != what) continue;
        const auto from = static_cast<std::size_t>(t.peer);
        holds[w] = from > w ? holds[w] + before[from] : before[from];
      }
    }
  }
  for (std::size_t w = 0; w < n; ++w)
    if (holds[w] != n)
      return fmt::format("worker {} has {} of {} shares of the {} at the end", w, holds[w], n,
                         word(what));
  return std::nullopt;
}

// Every group has its owner, or every worker the whole.
Offence check_result(const Plan& plan) {
  if (plan.result == Result::owners)
    for (const bool queries : {true, false})  // the result of a forward pass has no rows of keys
      if (queries || plan.pass == Pass::backward)
        if (auto offence = check_owners(plan, queries)) return offence;
  if (plan.result == Result::everyone && plan.workers.size() > 1)
    for (const TensorRole what :
         {TensorRole::row_max, TensorRole::denominator, TensorRole::numerator})
      if (auto offence = check_all_reduce(plan, what)) return offence;
  return std::nullopt;
}

auto place(const OwnedTask& owned) {
  return std::tuple(owned.task.q_group, owned.task.kv_group, owned.task.heads.begin);
}

// The tasks [begin, end) all name one pair of groups: they must allow what the mask allows and
// divide the heads without gap or overlap.
Offence check_block(const Plan& plan, const PairTask& expected, const OwnedTask* begin,
                    const OwnedTask* end) {
  std::int64_t head = 0;
  int previous_worker = -1;
  for (const OwnedTask* owned = begin; owned != end; ++owned) {
    const PairTask& task = owned->task;
    if (task.allowed != expected.allowed || task.offset != expected.offset)
      return fmt::format("worker {}: block ({}, {}) does not follow the mask", owned->worker,
                         task.q_group, task.kv_group);
    if (task.heads.begin < head)
      return fmt::format("block ({}, {}) is computed twice, by workers {} and {}", task.q_group,
                         task.kv_group, previous_worker, owned->worker);
    if (task.heads.begin > head || task.heads.end <= task.heads.begin)
      return fmt::format("block ({}, {}): head {} is computed by no worker", task.q_group,
                         task.kv_group, head);
    head = task.heads.end;
    previous_worker = owned->worker;
  }
  if (head != plan.problem.shape.q_heads)
    return fmt::format(
        "block ({}, {}): {}", expected.q_group, expected.kv_group,
        begin == end ? std::string("computed by no worker")
                     : fmt::format("heads end at {} of {}", head, plan.problem.shape.q_heads));
  return std::nullopt;
}

// Names the first block that is not covered correctly.
Offence name_the_block(const Plan& plan) {
  std::vector<OwnedTask> tasks;
  Worker scratch;
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    for (const Step& step : plan.workers.read(w, scratch).steps)
      for (const PairTask& task : step.tasks) tasks.push_back({task, static_cast<int>(w)});
  std::ranges::sort(tasks, {}, place);
  const OwnedTask* at = tasks.data();
  const OwnedTask* const end = tasks.data() + tasks.size();
  for (int q = 0; q < static_cast<int>(plan.q_groups.size()); ++q) {
    for (int k = 0; k < static_cast<int>(plan.kv_groups.size()); ++k) {
      const OwnedTask* stop = at;
      while (stop != end && stop->task.q_group == q && stop->task.kv_group == k) ++stop;
      const auto expected = pair_task(plan.problem, plan.q_groups, plan.kv_groups, q, k);
      if (!expected && stop != at)
        return fmt::format("worker {}: block ({}, {}) is masked out and must not be computed",
                           at->worker, q, k);
      if (expected)
        if (auto offence = check_block(plan, *expected, at, stop)) return offence;
      at = stop;
    }
  }
  return std::nullopt;
}

// Keeps one bit for each computed block in place of the tasks of thousands of workers.
class Cover {
 public:
  explicit Cover(const Plan& plan)
      : plan_(plan), covered_(plan.q_groups.size() * plan.kv_groups.size(), false) {}

  void add(const Worker& worker) {
    for (const Step& step : worker.steps)
      for (const PairTask& task : step.tasks) {
        if (task.heads != Range{0, plan_.problem.shape.q_heads})
          shared_ = true;  // blocks that workers share by heads are sorted
        else
          cover(task);
      }
  }

  // True if exactly the blocks that the mask allows were computed, once each, as it wants them.
  [[nodiscard]] bool is_exact() const {
    if (!exact_ || shared_) return false;
    for (int q = 0; q < static_cast<int>(plan_.q_groups.size()); ++q)
      for (int k = 0; k < static_cast<int>(plan_.kv_groups.size()); ++k)
        if (!covered_[bit(q, k)] && pair_task(plan_.problem, plan_.q_groups, plan_.kv_groups, q, k))
          return false;
    return true;
  }

 private:
  [[nodiscard]] std::size_t bit(int q, int k) const {
    return static_cast<std::size_t>(q) * plan_.kv_groups.size() + static_cast<std::size_t>(k);
  }
  void cover(const PairTask& task) {
    const Left left = left_by_mask(plan_.problem, group_at(plan_.q_groups, task.q_group),
                                   group_at(plan_.kv_groups, task.kv_group));
    auto covered = covered_[bit(task.q_group, task.kv_group)];
    exact_ = exact_ && !covered && left.any && left.allowed == task.allowed &&
             left.offset == task.offset;
    covered = true;
  }

  const Plan& plan_;
  std::vector<bool> covered_;
  bool exact_ = true;
  bool shared_ = false;
};

}  // namespace

std::optional<std::string> check(const Plan& plan) {
  if (auto offence = check_groups("query", plan.q_groups, plan.problem.shape.q_len)) return offence;
  if (auto offence = check_groups("key", plan.kv_groups, plan.problem.shape.kv_len)) return offence;
  const std::vector<Segment> sequences = segments_of(plan.problem);
  if (auto offence = check_sequences("query", plan.q_groups, sequences, &Segment::q_end))
    return offence;
  if (auto offence = check_sequences("key", plan.kv_groups, sequences, &Segment::k_end))
    return offence;
  if (plan.pass == Pass::backward &&
      (plan.result == Result::everyone || plan.result == Result::tier))
    return "a backward plan adds gradients up at the root or at their owners, not elsewhere";
  if (proved_by_rotation(plan)) return std::nullopt;
  FlowCheck flow(plan);
  Cover cover(plan);
  Weights weights(plan);
  Worker scratch;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker& worker = plan.workers.read(w, scratch);
    if (auto offence = check_tasks(plan, worker, w)) return offence;
    if (auto offence = flow.add(worker)) return offence;
    cover.add(worker);
    weights.add(worker, static_cast<int>(w));
  }
  if (auto offence = flow.finish()) return offence;
  if (auto offence = check_result(plan)) return offence;
  if (auto offence = weights.finish()) return offence;
  return cover.is_exact() ? std::nullopt : name_the_block(plan);
}

}  // namespace qb
