#include "harness/plan/check/check_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "harness/plan/messages.h"

namespace qb {
namespace {

using Offence = std::optional<std::string>;

bool within(const HeadRange& inner, const HeadRange& outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

// What one worker holds from step to step, and what it has computed.
class WorkerFlow {
 public:
  WorkerFlow(const Plan& plan, int index)
      : plan_(plan),
        index_(index),
        worker_(plan.workers[static_cast<std::size_t>(index)]),
        heads_(plan.heads_of(worker_)) {}

  Offence check() {
    if (!std::is_sorted(worker_.q_groups.begin(), worker_.q_groups.end()) ||
        !std::is_sorted(worker_.kv_groups.begin(), worker_.kv_groups.end()))
      return fmt::format("worker {} does not hold its groups in ascending order", index_);
    for (step_ = 0; step_ < static_cast<int>(worker_.steps.size()); ++step_) {
      const Step& step = worker_.steps[static_cast<std::size_t>(step_)];
      for (const Transfer& transfer : step.receives)
        if (auto offence = receive(transfer)) return offence;
      for (const PairTask& task : step.tasks)
        if (auto offence = compute(task)) return offence;
      for (const Transfer& transfer : step.sends)
        if (auto offence = send(transfer)) return offence;
    }
    return check_results();
  }

 private:
  // Where a group came from: what came p2p is there for one step.
  struct Held {
    int step = 0;
    bool to_the_end = false;
    HeadRange heads;
  };
  // What was computed for foreign queries, or for own ones that came as a message.
  struct Owed {
    HeadRange heads;
    int times_sent = 0;
  };

  static std::size_t index_of(TensorRole what) { return static_cast<std::size_t>(what); }

  Offence receive(const Transfer& transfer) {
    if (transfer.groups < 0 || transfer.groups >= static_cast<int>(plan_.group_lists.size()))
      return fmt::format("worker {} step {}: a transfer names a list that does not exist", index_,
                         step_);
    if (!is_input(transfer.what) || transfer.kind == TransferKind::scatter) return std::nullopt;
    for (int group : plan_.groups_of(transfer))
      held_[index_of(transfer.what)][group] = {step_, transfer.kind != TransferKind::p2p,
                                               transfer.heads};
    return std::nullopt;
  }

  [[nodiscard]] const Held* received(TensorRole what, int group) const {
    const auto& of_kind = held_[index_of(what)];
    const auto found = of_kind.find(group);
    if (found == of_kind.end()) return nullptr;
    const Held& held = found->second;
    return held.to_the_end || held.step == step_ ? &held : nullptr;
  }

  [[nodiscard]] bool holds(TensorRole what, int group, const HeadRange& heads) const {
    if (const Held* held = received(what, group))
      if (within(heads, held->heads)) return true;
    const std::vector<int>& resident = what == TensorRole::q ? worker_.q_groups : worker_.kv_groups;
    return within(heads, heads_) && std::binary_search(resident.begin(), resident.end(), group);
  }

  Offence compute(const PairTask& task) {
    if (!holds(TensorRole::q, task.q_group, task.heads))
      return fmt::format("worker {} step {}: computes with query group {} that it does not hold",
                         index_, step_, task.q_group);
    if (!holds(TensorRole::k, task.kv_group, task.heads) ||
        !holds(TensorRole::v, task.kv_group, task.heads))
      return fmt::format("worker {} step {}: computes with key group {} that it does not hold",
                         index_, step_, task.kv_group);
    if (!plan_.kv_first_step.empty() &&
        plan_.kv_first_step[static_cast<std::size_t>(task.kv_group)] > step_)
      return fmt::format("worker {} step {}: computes with key group {} before there is one",
                         index_, step_, task.kv_group);
    if (const Held* held = received(TensorRole::q, task.q_group)) {
      Owed& owed = owed_[task.q_group];
      owed.heads = held->heads;
      if (owed.times_sent > 0)
        return fmt::format(
            "worker {} step {}: computes for query group {} whose partial it has sent already",
            index_, step_, task.q_group);
    } else if (gathers_ > 0) {
      return fmt::format("worker {} step {}: computes after its partials were gathered", index_,
                         step_);
    } else {
      computed_own_ = true;
    }
    return std::nullopt;
  }

  Offence send(const Transfer& transfer) {
    if (transfer.groups < 0 || transfer.groups >= static_cast<int>(plan_.group_lists.size()))
      return fmt::format("worker {} step {}: a transfer names a list that does not exist", index_,
                         step_);
    if (transfer.kind == TransferKind::gather) {
      gathers_ += plan_.groups_of(transfer) == worker_.q_groups ? 1 : 0;
      return std::nullopt;
    }
    for (int group : plan_.groups_of(transfer)) {
      if (is_input(transfer.what) && !holds(transfer.what, group, transfer.heads))
        return fmt::format("worker {} step {}: sends {} of group {} that it does not hold", index_,
                           step_, word(transfer.what), group);
      if (transfer.what != TensorRole::partial) continue;
      const auto owed = owed_.find(group);
      // Else the mask left nothing to compute for what passed by: its partial is empty.
      if (owed == owed_.end() || owed->second.heads != transfer.heads) continue;
      if (!owns(transfer.peer, group))
        return fmt::format(
            "worker {} step {}: sends its partial of query group {} to worker {}, "
            "which does not own it",
            index_, step_, group, transfer.peer);
      ++owed->second.times_sent;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool owns(int worker, int group) const {
    if (worker < 0 || worker >= static_cast<int>(plan_.workers.size())) return false;
    const std::vector<int>& groups = plan_.workers[static_cast<std::size_t>(worker)].q_groups;
    return std::binary_search(groups.begin(), groups.end(), group);
  }

  [[nodiscard]] Offence check_results() const {
    for (const auto& [group, owed] : owed_)
      if (owed.times_sent != 1)
        return fmt::format("worker {}: its partial of query group {} reaches its owner {} times",
                           index_, group, owed.times_sent);
    // One worker alone works in place.
    if (plan_.result == Result::root && computed_own_ && plan_.workers.size() > 1 && gathers_ != 1)
      return fmt::format("worker {}: its partials are gathered {} times", index_, gathers_);
    return std::nullopt;
  }

  const Plan& plan_;
  const int index_;
  const Worker& worker_;
  const HeadRange heads_;
  int step_ = 0;
  std::array<std::unordered_map<int, Held>, 3> held_;  // by TensorRole q, k, v
  std::map<int, Owed> owed_;                           // by q group
  bool computed_own_ = false;
  int gathers_ = 0;
};

// One transfer as its sender and its receiver both know it.
using Matched = std::tuple<int, int, TensorRole, int, std::int64_t, std::int64_t, std::int64_t>;

std::uint64_t hash_of(const Matched& matched) {
  const auto& [from, to, what, groups, begin, end, bytes] = matched;
  std::uint64_t hash = 0;
  for (const std::int64_t value :
       {std::int64_t{from}, std::int64_t{to}, static_cast<std::int64_t>(what), std::int64_t{groups},
        begin, end, bytes})
    hash = mixed(hash + static_cast<std::uint64_t>(value) + kGoldenGamma);
  return hash;
}

// Calls visit(matched, sent, worker) for every transfer between workers that arrives in step s.
template <class Visit>
Offence visit_messages(const Plan& plan, std::size_t s, const Visit& visit) {
  const int n = static_cast<int>(plan.workers.size());
  for (int w = 0; w < n; ++w) {
    const std::vector<Step>& steps = plan.workers[static_cast<std::size_t>(w)].steps;
    const auto each = [&](const std::vector<Transfer>& transfers, bool sent,
                          std::size_t step) -> Offence {
      for (const Transfer& t : transfers) {
        if (t.peer == kRoot) continue;
        const bool may_keep =
            t.kind == TransferKind::all_gather || t.kind == TransferKind::all_to_all;
        if (t.peer < 0 || t.peer >= n || (t.peer == w && !may_keep))
          return fmt::format("worker {} step {}: peer {} is no other worker", w, step, t.peer);
        visit(Matched(sent ? w : t.peer, sent ? t.peer : w, t.what, t.groups, t.heads.begin,
                      t.heads.end, t.bytes),
              sent);
      }
      return std::nullopt;
    };
    if (s < steps.size())
      if (auto offence = each(steps[s].receives, false, s)) return offence;
    if (s > 0 && s - 1 < steps.size())
      if (auto offence = each(steps[s - 1].sends, true, s - 1)) return offence;
  }
  return std::nullopt;
}

std::string first_mismatch(const Plan& plan, std::size_t s) {
  std::map<Matched, int> balance;
  (void)visit_messages(
      plan, s, [&](const Matched& matched, bool sent) { balance[matched] += sent ? 1 : -1; });
  for (const auto& [matched, difference] : balance) {
    if (difference == 0) continue;
    const auto& [from, to, what, groups, begin, end, bytes] = matched;
    return fmt::format("step {}: {} of {} bytes from worker {} to {} is {}", s, word(what), bytes,
                       from, to,
                       difference > 0 ? "sent and never received" : "awaited and never sent");
  }
  return fmt::format("step {}: sends and receives differ", s);
}

// A send of step s is received in step s + 1. Sums of hashes find the step that is wrong, so that
// millions of messages need no memory.
Offence check_messages(const Plan& plan) {
  std::size_t steps = 0;
  for (const Worker& worker : plan.workers) steps = std::max(steps, worker.steps.size());
  for (std::size_t s = 0; s <= steps; ++s) {
    std::uint64_t balance = 0;
    if (auto offence = visit_messages(plan, s, [&](const Matched& matched, bool sent) {
          balance += sent ? hash_of(matched) : ~hash_of(matched) + 1;
        }))
      return offence;
    if (balance != 0) return first_mismatch(plan, s);
  }
  return std::nullopt;
}

Offence check_owners(const Plan& plan) {
  std::vector<int> owner(plan.q_groups.size(), -1);
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    for (int group : plan.workers[w].q_groups) {
      int& held_by = owner[static_cast<std::size_t>(group)];
      if (held_by >= 0)
        return fmt::format("query group {} has two owners, workers {} and {}", group, held_by, w);
      held_by = static_cast<int>(w);
    }
  for (std::size_t group = 0; group < owner.size(); ++group)
    if (owner[group] < 0 && plan.q_groups[group].count > 0)
      return fmt::format("query group {} has no owner", group);
  return std::nullopt;
}

// Plays the all-reduces of one tensor: towards lower workers a sum grows, towards higher ones the
// whole is handed out.
Offence check_all_reduce(const Plan& plan, TensorRole what) {
  const std::size_t n = plan.workers.size();
  std::vector<std::size_t> holds(n, 1);
  std::size_t steps = 0;
  for (const Worker& worker : plan.workers) steps = std::max(steps, worker.steps.size());
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

}  // namespace

std::optional<std::string> check_flow(const Plan& plan) {
  for (int w = 0; w < static_cast<int>(plan.workers.size()); ++w)
    if (auto offence = WorkerFlow(plan, w).check()) return offence;
  if (auto offence = check_messages(plan)) return offence;
  if (plan.result == Result::owners) return check_owners(plan);
  if (plan.result == Result::everyone && plan.workers.size() > 1)
    for (const TensorRole what :
         {TensorRole::row_max, TensorRole::denominator, TensorRole::numerator})
      if (auto offence = check_all_reduce(plan, what)) return offence;
  return std::nullopt;
}

}  // namespace qb
