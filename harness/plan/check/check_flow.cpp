// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/check/check_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/hash.h"
#include "harness/plan/check/check_gradients.h"

namespace qb {
namespace {

using Offence = std::optional<std::string>;

bool within(const Range& inner, const Range& outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

// Marks these groups among all groups. Indices that no group has are ignored; a negative one is a
// large one here.
std::vector<bool> marked(const std::vector<int>& groups, std::size_t n_groups) {
  std::vector<bool> marks(n_groups, false);
  for (int group : groups)
    if (const auto index = static_cast<std::size_t>(group); index < n_groups) marks[index] = true;
  return marks;
}

}  // namespace

// The tensors that one worker holds from step to step, and the results it has computed; of one
// worker after another.
class WorkerFlow {
 public:
  WorkerFlow(const Plan& plan, const std::vector<std::vector<int>>& q_groups,
             const std::vector<Range>& result_heads)
      : plan_(plan),
        q_groups_(q_groups),
        result_heads_(result_heads),
        known_q_(plan.q_groups.size()),
        known_kv_(plan.kv_groups.size()),
        owed_(plan.q_groups.size()),
        written_(plan.q_groups.size()),
        gradients_(plan) {
    for (std::size_t what = 0; what <= index_of(TensorRole::delta); ++what)
      held_.emplace_back(groups_of(static_cast<TensorRole>(what)).size());
  }

  Offence check(const Worker& worker, int index) {
    begin(worker, index);
    if (!std::ranges::is_sorted(worker.q_groups) || !std::ranges::is_sorted(worker.kv_groups))
      return fmt::format("worker {} does not hold its groups in ascending order", index_);
    if (plan_.result == Result::tier && !worker.q_groups.empty())
      return fmt::format("worker {} holds queries that it did not fetch from the memory tier",
                         index_);
    for (step_ = 0; step_ < static_cast<int>(worker.steps.size()); ++step_) {
      const Step& step = worker.steps[static_cast<std::size_t>(step_)];
      for (const auto* transfers : {&step.receives, &step.sends})
        for (const Transfer& transfer : *transfers)
          if (auto offence = check_names(transfer)) return offence;
      for (const auto* transfers : {&step.receives, &step.sends})
        if (auto offence = check_delays(*transfers)) return offence;
      for (const Transfer& transfer : step.receives)
        if (auto offence = receive(transfer)) return offence;
      for (const PairTask& task : step.tasks)
        if (auto offence = compute(task)) return offence;
      for (const Transfer& transfer : step.sends)
        if (auto offence = send(transfer)) return offence;
    }
    return check_results();
  }

  // Once all workers are checked: where the tier has the result, each row of it came once.
  [[nodiscard]] Offence finish() const {
    if (plan_.result != Result::tier) return std::nullopt;
    for (std::size_t group = 0; group < written_.size(); ++group)
      if (plan_.q_groups[group].count > 0 &&
          written_[group] != mark_of({0, plan_.problem.shape.q_heads}))
        return fmt::format("query group {} is not written back to the memory tier once", group);
    return std::nullopt;
  }

 private:
  struct Held {
    int until = 0;  // the last step in which it is there
    Range heads;
    int since = -1;
  };
  // Results for foreign queries or heads, or for own queries that came as a message.
  struct Owed {
    Range heads;
    bool some_are_own = false;    // the heads that the worker owns of them stay
    std::int64_t sent_heads = 0;  // it has sent those below
    bool lse_sent = false;
    int times_sent = 0;
    std::uint64_t sent = 0;  // the sum of the marks of what was sent
  };

  // Ranges of heads have marks that add up: the sum is that of `whole` if and only if they cut it.
  static std::uint64_t mark_of(const Range& heads) {
    const auto at = [](std::int64_t head) {
      return mixed(static_cast<std::uint64_t>(head) + kGoldenGamma);
    };
    return at(heads.end) - at(heads.begin);
  }

  // The heads of a group with which the worker can compute in a step.
  struct Known {
    int step = -1;
    Range heads;
  };

  static std::size_t index_of(TensorRole what) { return static_cast<std::size_t>(what); }
  [[nodiscard]] const std::vector<TokenGroup>& groups_of(TensorRole what) const {
    return is_of_keys(what) ? plan_.kv_groups : plan_.q_groups;
  }

  void begin(const Worker& worker, int index) {
    worker_ = &worker;
    index_ = index;
    heads_ = plan_.heads_of(worker);
    query_heads_ = plan_.query_heads_of(worker);
    own_heads_ = plan_.result_heads_of(worker);
    owns_q_ = marked(worker.q_groups, plan_.q_groups.size());
    owns_kv_ = marked(worker.kv_groups, plan_.kv_groups.size());
    for (GroupMap<Held>& held : held_) held.clear();
    for (GroupMap<Known>* const known : {&known_q_, &known_kv_}) known->clear();
    owed_.clear();
    gradients_.begin(index);
    computed_own_ = false;
    gathers_ = 0;
  }

  // Its list, the groups of the list, and its tensor are there.
  [[nodiscard]] Offence check_names(const Transfer& transfer) const {
    if (transfer.groups < 0 || transfer.groups >= std::ssize(plan_.group_lists))
      return fmt::format("worker {} step {}: a transfer names a list that does not exist", index_,
                         step_);
    if (!belongs_to(plan_.pass, transfer.what))
      return fmt::format("worker {} step {}: {} is not a tensor of a {} pass", index_, step_,
                         word(transfer.what), word(plan_.pass));
    for (const int group : plan_.groups_of(transfer))
      if (group < 0 || group >= std::ssize(groups_of(transfer.what)))
        return fmt::format("worker {} step {}: a transfer names group {}, which does not exist",
                           index_, step_, group);
    return std::nullopt;
  }

  // All transfers of a message have one delay, and no two messages between two workers that are
  // sent, or received, in one step have different ones.
  [[nodiscard]] Offence check_delays(const std::vector<Transfer>& transfers) const {
    if (std::ranges::all_of(transfers, [](const Transfer& t) { return t.delay == 1; }))
      return std::nullopt;
    for (const Transfer& a : transfers)
      for (const Transfer& b : transfers)
        if (a.peer == b.peer && a.peer != kTier && is_input(a.what) == is_input(b.what) &&
            a.delay != b.delay)
          return fmt::format(
              "worker {} step {}: a message to or from worker {} has the delays {} "
              "and {}",
              index_, step_, a.peer, a.delay, b.delay);
    return std::nullopt;
  }

  Offence receive(const Transfer& transfer) {
    if (transfer.peer == kTier && (!is_input(transfer.what) || plan_.result != Result::tier))
      return fmt::format(
          "worker {} step {}: fetches {} from the memory tier, which has the inputs of plans whose "
          "result it takes",
          index_, step_, word(transfer.what));
    if (is_gradient(transfer.what)) return gradients_.receive(transfer, step_);
    if (!is_input(transfer.what) || transfer.peer == kRoot) return std::nullopt;
    for (int group : plan_.groups_of(transfer)) {
      Held& held = held_[index_of(transfer.what)][group];
      const bool is_next = held.since == step_ && held.until == transfer.until &&
                           held.heads.end == transfer.heads.begin;
      held = {transfer.until,
              {is_next ? held.heads.begin : transfer.heads.begin, transfer.heads.end},
              step_};
    }
    return std::nullopt;
  }

  // Returns nullptr if it did not come.
  [[nodiscard]] const Held* received(TensorRole what, int group) const {
    return held_[index_of(what)].find(group);
  }

  // Returns nullptr if it did not come, or is no longer there.
  [[nodiscard]] const Held* received_and_kept(TensorRole what, int group) const {
    const Held* held = received(what, group);
    return held != nullptr && held->until >= step_ ? held : nullptr;
  }

  [[nodiscard]] bool is_resident(TensorRole what, int group, const Range& heads) const {
    const std::vector<bool>& resident = is_of_keys(what) ? owns_kv_ : owns_q_;
    const auto index = static_cast<std::size_t>(group);
    if (index >= resident.size()) return false;
    if (resident[index] && within(heads, is_of_keys(what) ? heads_ : query_heads_)) return true;
    return plan_.pass == Pass::backward && what != TensorRole::d_out && worker_->saved.end > 0 &&
           within(heads, worker_->saved);
  }

  [[nodiscard]] bool holds(TensorRole what, int group, const Range& heads) const {
    if (const Held* held = received_and_kept(what, group))
      if (within(heads, held->heads)) return true;
    return is_resident(what, group, heads);
  }

  [[nodiscard]] bool has_held(TensorRole what, int group, const Range& heads) const {
    if (const Held* held = received(what, group))
      if (within(heads, held->heads)) return true;
    return is_resident(what, group, heads);
  }

  // What it holds does not change while a step computes, so that many tasks ask only once.
  [[nodiscard]] bool holds_all(std::span<const TensorRole> inputs, int group, const Range& heads,
                               GroupMap<Known>& known) const {
    const Known* const before = known.find(group);
    if (before != nullptr && before->step == step_ && before->heads == heads) return true;
    if (!std::ranges::all_of(inputs, [&](TensorRole what) { return holds(what, group, heads); }))
      return false;
    known[group] = {step_, heads};
    return true;
  }

  Offence compute(const PairTask& task) {
    if (!holds_all(query_inputs(plan_.pass), task.q_group, task.heads, known_q_))
      return fmt::format("worker {} step {}: computes with query group {} that it does not hold",
                         index_, step_, task.q_group);
    if (!holds_all(kKeyInputs, task.kv_group, task.heads, known_kv_))
      return fmt::format("worker {} step {}: computes with key group {} that it does not hold",
                         index_, step_, task.kv_group);
    if (!plan_.kv_first_step.empty() &&
        plan_.kv_first_step[static_cast<std::size_t>(task.kv_group)] > step_)
      return fmt::format("worker {} step {}: computes with key group {} before there is one",
                         index_, step_, task.kv_group);
    return plan_.pass == Pass::forward ? owe(task) : gradients_.compute(task, step_);
  }

  // The forward pass: the worker has a partial for the owner of the task's queries.
  Offence owe(const PairTask& task) {
    const Held* const held = received_and_kept(TensorRole::q, task.q_group);
    if (held != nullptr || own_heads_ != query_heads_) {
      Owed& owed = owed_[task.q_group];
      const Range heads = held != nullptr ? held->heads : query_heads_;
      const bool is_next = owed.sent_heads > 0 && heads.begin == owed.sent_heads;
      owed.heads = {is_next ? owed.heads.begin : heads.begin, heads.end};
      owed.some_are_own = held == nullptr;
      if ((owed.times_sent > 0 && heads.begin < owed.sent_heads) || owed.lse_sent)
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
    if (transfer.peer == kRoot && plan_.pass == Pass::forward) {
      gathers_ += plan_.groups_of(transfer) == worker_->q_groups ? 1 : 0;
      return std::nullopt;
    }
    if (transfer.peer == kTier &&
        (transfer.what != TensorRole::partial || plan_.result != Result::tier))
      return fmt::format(
          "worker {} step {}: writes {} back to the memory tier, which takes the result of a "
          "plan that says so",
          index_, step_, word(transfer.what));
    for (int group : plan_.groups_of(transfer)) {
      if (transfer.peer == kTier)
        written_[static_cast<std::size_t>(group)] += mark_of(transfer.heads);
      if (is_input(transfer.what) && !holds(transfer.what, group, transfer.heads))
        return fmt::format("worker {} step {}: sends {} of group {} that it does not hold", index_,
                           step_, word(transfer.what), group);
      if (is_gradient(transfer.what)) {
        const TensorRole input = is_of_keys(transfer.what) ? TensorRole::k : TensorRole::q;
        const bool held = has_held(input, group, transfer.heads);
        if (auto offence = gradients_.send(transfer, group, held, step_)) return offence;
      }
      const bool is_weighted = transfer.what == TensorRole::weighted;
      const bool is_lse = transfer.what == TensorRole::partial_lse;
      if (transfer.what != TensorRole::partial && !is_weighted && !is_lse) continue;
      // Otherwise the mask left nothing to compute for these queries: their partial is empty.
      const Owed* const found = owed_.find(group);
      if (found == nullptr || !within(transfer.heads, found->heads)) continue;
      Owed& owed = owed_[group];
      owed.lse_sent = owed.lse_sent || is_lse;
      if (is_lse) continue;
      if (!owns(transfer.peer, group, transfer.heads))
        return fmt::format(
            "worker {} step {}: sends its partial of query group {} to worker {}, "
            "which does not own it",
            index_, step_, group, transfer.peer);
      owed.some_are_own = owed.some_are_own || is_weighted;
      owed.sent_heads = std::max(owed.sent_heads, transfer.heads.end);
      ++owed.times_sent;
      owed.sent += mark_of(transfer.heads);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool owns(int worker, int group, const Range& heads) const {
    if (plan_.result == Result::tier) return worker == kTier;
    if (worker < 0 || worker >= static_cast<int>(q_groups_.size())) return false;
    const auto index = static_cast<std::size_t>(worker);
    return std::ranges::binary_search(q_groups_[index], group) &&
           (result_heads_.empty() || within(heads, result_heads_[index]));
  }

  [[nodiscard]] Offence check_results() const {
    if (plan_.pass == Pass::backward) {
      std::vector<bool> owns_kv = owns_kv_;
      for (std::size_t owner = 0; owner < plan_.resident.size(); ++owner)
        if (std::cmp_not_equal(owner, index_))
          owns_kv[static_cast<std::size_t>(plan_.resident[owner])] = false;
      return gradients_.finish(owns_q_, owns_kv);
    }
    int first = -1;  // of the groups whose partial does not reach its owner once
    for (const auto& [group, owed] : owed_.all()) {
      const std::uint64_t kept = owed.some_are_own ? mark_of(own_heads_) : 0;
      if (owed.sent + kept != mark_of(owed.heads) && (first < 0 || group < first)) first = group;
    }
    const Owed* const owed = owed_.find(first);
    if (owed != nullptr &&
        (owed->some_are_own ||
         owed->sent != static_cast<std::uint64_t>(owed->times_sent) * mark_of(owed->heads)))
      return fmt::format(
          "worker {}: some heads of its partial of query group {} do not reach their owner once",
          index_, first);
    if (owed != nullptr)
      return fmt::format("worker {}: its partial of query group {} reaches its owner {} times",
                         index_, first, owed->times_sent);
    // One worker alone works in place.
    if (plan_.result == Result::root && computed_own_ && plan_.workers.size() > 1 && gathers_ != 1)
      return fmt::format("worker {}: its partials are gathered {} times", index_, gathers_);
    return std::nullopt;
  }

  const Plan& plan_;
  const std::vector<std::vector<int>>& q_groups_;  // by worker
  const std::vector<Range>& result_heads_;         // by worker; empty: all
  int index_ = 0;
  const Worker* worker_ = nullptr;
  Range heads_;
  Range query_heads_;
  Range own_heads_;           // whose output is the worker's
  std::vector<bool> owns_q_;  // resident, by group
  std::vector<bool> owns_kv_;
  int step_ = 0;
  std::vector<GroupMap<Held>> held_;  // by TensorRole, of which D is the last input
  GroupMap<Known> known_q_;
  GroupMap<Known> known_kv_;
  GroupMap<Owed> owed_;
  std::vector<std::uint64_t> written_;  // to the tier by all workers: the sums of marks, by group
  bool computed_own_ = false;
  int gathers_ = 0;
  GradientFlow gradients_;
};

namespace {

// One transfer, in the form that its sender and its receiver share.
using Matched =
    std::tuple<int, int, TensorRole, int, std::int64_t, std::int64_t, std::int64_t, int, int>;

std::uint64_t hash_of(const Matched& matched) {
  const auto& [from, to, what, groups, begin, end, bytes, delay, until] = matched;
  std::uint64_t hash = 0;
  for (const std::int64_t value :
       {std::int64_t{from}, std::int64_t{to}, static_cast<std::int64_t>(what), std::int64_t{groups},
        begin, end, bytes, std::int64_t{delay}, std::int64_t{until}})
    hash = mixed(hash + static_cast<std::uint64_t>(value) + kGoldenGamma);
  return hash;
}

// Calls visit(matched, sent, step of arrival) for every transfer between worker `w` and another.
template <class Visit>
Offence visit_messages(const Worker& worker, int w, int n_workers, const Visit& visit) {
  for (std::size_t s = 0; s < worker.steps.size(); ++s)
    for (const bool sent : {false, true})
      for (const Transfer& t : sent ? worker.steps[s].sends : worker.steps[s].receives) {
        if (t.peer == kRoot || (t.peer == kTier && sent)) continue;
        const auto delay = static_cast<std::size_t>(t.delay);
        const int least = t.peer == kTier ? 0 : 1;
        if (t.delay < least || (sent ? s + delay >= worker.steps.size() + 1 : delay > s))
          return fmt::format("worker {} step {}: a {} that is {} {} steps {}", w, s, word(t.what),
                             sent ? "sent" : "received", t.delay, sent ? "early" : "late");
        if (t.peer == kTier) continue;
        const bool may_keep =
            t.kind == TransferKind::all_gather || t.kind == TransferKind::all_to_all;
        if (t.peer < 0 || t.peer >= n_workers || (t.peer == w && !may_keep))
          return fmt::format("worker {} step {}: peer {} is not another worker", w, s, t.peer);
        visit(Matched(sent ? w : t.peer, sent ? t.peer : w, t.what, t.groups, t.heads.begin,
                      t.heads.end, t.bytes, t.delay, t.until),
              sent, sent ? s + delay : s);
      }
  return std::nullopt;
}

std::string first_mismatch(const Plan& plan, std::size_t s) {
  std::map<Matched, int> balance;
  Worker scratch;
  const int n = static_cast<int>(plan.workers.size());
  for (int w = 0; w < n; ++w)
    (void)visit_messages(plan.workers.read(static_cast<std::size_t>(w), scratch), w, n,
                         [&](const Matched& matched, bool sent, std::size_t step) {
                           if (step == s) balance[matched] += sent ? 1 : -1;
                         });
  for (const auto& [matched, difference] : balance) {
    if (difference == 0) continue;
    const auto& [from, to, what, groups, begin, end, bytes, delay, until] = matched;
    return fmt::format("step {}: {} of {} bytes from worker {} to {} is {}", s, word(what), bytes,
                       from, to,
                       difference > 0 ? "sent and never received" : "awaited and never sent");
  }
  return fmt::format("step {}: sends and receives differ", s);
}

}  // namespace

Offence check_worker_flow(const Plan& plan, const std::vector<std::vector<int>>& q_groups,
                          const Worker& worker, int index) {
  return WorkerFlow(plan, q_groups, {}).check(worker, index);
}

FlowCheck::FlowCheck(const Plan& plan) : plan_(plan) {
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    Worker share = plan.workers.share(w);
    q_groups_.push_back(std::move(share.q_groups));
    result_heads_.push_back(plan.result_heads_of(share));
  }
  flow_ = std::make_shared<WorkerFlow>(plan, q_groups_, result_heads_);
}

Offence FlowCheck::add(const Worker& worker) {
  if (auto offence = flow_->check(worker, next_)) return offence;
  if (balance_.size() <= worker.steps.size()) balance_.resize(worker.steps.size() + 1, 0);
  auto offence = visit_messages(worker, next_, static_cast<int>(plan_.workers.size()),
                                [&](const Matched& matched, bool sent, std::size_t step) {
                                  const std::uint64_t hash = hash_of(matched);
                                  balance_[step] += sent ? hash : ~hash + 1;
                                });
  ++next_;
  return offence;
}

Offence FlowCheck::finish() const {
  if (auto offence = flow_->finish()) return offence;
  for (std::size_t s = 0; s < balance_.size(); ++s)
    if (balance_[s] != 0) return first_mismatch(plan_, s);
  return std::nullopt;
}

}  // namespace qb
