// SPDX-License-Identifier: Apache-2.0
// For tests only: runs a backward plan on numbers, row by row, to compare with check().
//
// Each pair of a head has a random number. A task adds it to the rows of dQ, dK and dV that are its
// query's and its key's, and sums travel as the executors' do: a message has what the sums of its
// rows are when the step ends, the sender's are zero then, and the receiver adds. Numbers are of 64
// bits and wrap around, so that sums are exact in any order: a pair that is lost, is added twice or
// is added to another row changes a sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "harness/plan/layout.h"
#include "harness/plan/testing/brute_force.h"

namespace qb::testing_support {

class GradientPlay {
 public:
  explicit GradientPlay(const Plan& plan) : plan_(plan) {}

  // Returns true if workers read and send only what they hold, every message that is sent is
  // awaited, and every row of the result is the sum over the pairs that the mask allows.
  [[nodiscard]] bool is_exact() {
    if (plan_.result == Result::everyone) return false;
    std::size_t steps = 0;
    for (const Worker& worker : plan_.workers.all()) {
      steps = std::max(steps, worker.steps.size());
      begin(worker);
    }
    for (std::size_t s = 0; s < steps; ++s) {
      const bool all_came = receive(s);
      const bool none_is_left = std::ranges::none_of(
          flying_, [&](const Flying& message) { return message.arrives == static_cast<int>(s); });
      if (!all_came || !none_is_left || !compute_and_send(s)) return false;
    }
    return flying_.empty() && result() == expected();
  }

 private:
  using Numbers = std::vector<std::uint64_t>;           // by head and token
  using Sums = std::map<TensorRole, Numbers>;           // by gradient
  using Kept = std::map<TensorRole, std::vector<int>>;  // the last step in which a row is there

  struct Local {
    Sums sums;
    Kept kept;
  };
  struct Flying {
    int from;
    int to;
    Transfer sent;
    int arrives;   // in this step
    Numbers sums;  // of a gradient, in the order of its rows
  };

  [[nodiscard]] std::int64_t length(TensorRole what) const {
    return is_of_keys(what) ? plan_.problem.shape.kv_len : plan_.problem.shape.q_len;
  }
  [[nodiscard]] std::int64_t n_heads(TensorRole what) const {
    return is_of_keys(what) ? plan_.problem.shape.kv_heads : plan_.problem.shape.q_heads;
  }
  [[nodiscard]] std::size_t size(TensorRole what) const {
    return static_cast<std::size_t>(length(what) * n_heads(what));
  }
  [[nodiscard]] std::size_t row(TensorRole what, std::int64_t head, std::int64_t token) const {
    return static_cast<std::size_t>(head * length(what) + token);
  }

  // Calls visit(row) for every row of some groups of a tensor.
  template <class Visit>
  void for_rows(TensorRole what, const std::vector<int>& groups, const Range& of_queries,
                const Visit& visit) const {
    const Range own = is_of_keys(what) ? kv_heads_of(plan_.problem.shape, of_queries) : of_queries;
    const std::vector<TokenGroup>& all = is_of_keys(what) ? plan_.kv_groups : plan_.q_groups;
    for (int group : groups)
      for (std::int64_t head = own.begin; head < own.end; ++head)
        for (std::int64_t i = 0; i < all[static_cast<std::size_t>(group)].count; ++i)
          visit(row(what, head, all[static_cast<std::size_t>(group)].token(i)));
  }

  void keep(Local& local, TensorRole what, const std::vector<int>& groups, const Range& heads,
            int last_step) const {
    std::vector<int>& kept = local.kept[what];
    for_rows(what, groups, heads, [&](std::size_t r) { kept[r] = std::max(kept[r], last_step); });
  }

  [[nodiscard]] bool holds(const Local& local, TensorRole what, const std::vector<int>& groups,
                           const Range& heads, int step) const {
    bool all = true;
    const std::vector<int>& kept = local.kept.at(what);
    for_rows(what, groups, heads, [&](std::size_t r) { all = all && kept[r] >= step; });
    return all;
  }

  void begin(const Worker& worker) {
    Local& local = locals_.emplace_back();
    for (const TensorRole what : kGradients) local.sums[what].assign(size(what), 0);
    for (const std::span<const TensorRole> inputs :
         {query_inputs(Pass::backward), std::span<const TensorRole>(kKeyInputs)})
      for (const TensorRole what : inputs) {
        local.kept[what].assign(size(what), -1);
        keep(local, what, is_of_keys(what) ? worker.kv_groups : worker.q_groups,
             plan_.heads_of(worker), kToTheEnd);
        if (what != TensorRole::d_out)
          keep(local, what, every_group(is_of_keys(what) ? plan_.kv_groups : plan_.q_groups),
               worker.saved, kToTheEnd);
      }
  }

  // Takes in what arrives in the step. Returns false if something awaited was not sent.
  bool receive(std::size_t s) {
    for (std::size_t w = 0; w < locals_.size(); ++w) {
      const std::vector<Step>& steps = plan_.workers[w].steps;
      if (s >= steps.size()) continue;
      for (const Transfer& awaited : steps[s].receives) {
        if (awaited.peer == kRoot) continue;  // scattered: the worker has it from the beginning
        const auto came = std::ranges::find_if(flying_, [&](const Flying& message) {
          return message.from == awaited.peer && message.to == static_cast<int>(w) &&
                 message.arrives == static_cast<int>(s) && message.sent.what == awaited.what &&
                 message.sent.groups == awaited.groups && message.sent.heads == awaited.heads;
        });
        if (came == flying_.end()) return false;
        take(locals_[w], awaited, came->sums);
        flying_.erase(came);
      }
    }
    return true;
  }

  void take(Local& local, const Transfer& awaited, const Numbers& came) const {
    const std::vector<int>& groups = plan_.groups_of(awaited);
    if (!is_gradient(awaited.what)) {
      return keep(local, awaited.what, groups, awaited.heads, awaited.until);
    }
    Numbers& sums = local.sums[awaited.what];
    std::size_t at = 0;
    for_rows(awaited.what, groups, awaited.heads, [&](std::size_t r) { sums[r] += came[at++]; });
  }

  bool compute_and_send(std::size_t s) {
    for (std::size_t w = 0; w < locals_.size(); ++w) {
      const std::vector<Step>& steps = plan_.workers[w].steps;
      if (s >= steps.size()) continue;
      for (const PairTask& task : steps[s].tasks)
        if (!compute(locals_[w], task, static_cast<int>(s))) return false;
      for (const Transfer& transfer : steps[s].sends)
        if (!send(locals_[w], static_cast<int>(w), transfer, static_cast<int>(s))) return false;
      for (const Transfer& transfer : steps[s].sends)
        if (is_gradient(transfer.what))
          for_rows(transfer.what, plan_.groups_of(transfer), transfer.heads,
                   [&](std::size_t r) { locals_[w].sums[transfer.what][r] = 0; });
    }
    return true;
  }

  [[nodiscard]] std::uint64_t number(std::int64_t head, std::int64_t q, std::int64_t k) const {
    const std::int64_t pair = (head * length(TensorRole::q) + q) * length(TensorRole::k) + k;
    return mixed((static_cast<std::uint64_t>(pair) + 1) * kGoldenGamma);
  }

  // The rows of a head, to which a pair is added. Factors tell the gradients apart, so that none
  // can be taken for another.
  class HeadRows {
   public:
    HeadRows(const GradientPlay& play, Sums& sums, std::int64_t head) : play_(&play), head_(head) {
      const Shape& shape = play.plan_.problem.shape;
      const std::int64_t kv_head = head / (shape.q_heads / shape.kv_heads);
      d_q_ = &sums[TensorRole::d_q][play.row(TensorRole::d_q, head, 0)];
      d_k_ = &sums[TensorRole::d_k][play.row(TensorRole::d_k, kv_head, 0)];
      d_v_ = &sums[TensorRole::d_v][play.row(TensorRole::d_v, kv_head, 0)];
    }
    void add(std::int64_t q, std::int64_t k) const {
      const std::uint64_t pair = play_->number(head_, q, k);
      d_q_[q] += pair;
      d_k_[k] += 3u * pair;
      d_v_[k] += 5u * pair;
    }

   private:
    const GradientPlay* play_;
    std::int64_t head_;
    std::uint64_t* d_q_;
    std::uint64_t* d_k_;
    std::uint64_t* d_v_;
  };

  [[nodiscard]] std::vector<HeadRows> rows_of(Sums& sums, const Range& heads) const {
    std::vector<HeadRows> all;
    for (std::int64_t head = heads.begin; head < heads.end; ++head)
      all.emplace_back(*this, sums, head);
    return all;
  }

  bool compute(Local& local, const PairTask& task, int step) const {
    for (const TensorRole what : query_inputs(Pass::backward))
      if (!holds(local, what, {task.q_group}, task.heads, step)) return false;
    for (const TensorRole what : kKeyInputs)
      if (!holds(local, what, {task.kv_group}, task.heads, step)) return false;
    const TokenGroup& q = plan_.q_groups[static_cast<std::size_t>(task.q_group)];
    const TokenGroup& k = plan_.kv_groups[static_cast<std::size_t>(task.kv_group)];
    const std::vector<HeadRows> heads = rows_of(local.sums, task.heads);
    for (std::int64_t i = 0; i < q.count; ++i)
      for (std::int64_t j = 0; j < k.count; ++j)
        if (computes(plan_, task, i, j))
          for (const HeadRows& rows : heads) rows.add(q.token(i), k.token(j));
    return true;
  }

  bool send(Local& local, int from, const Transfer& transfer, int step) {
    const std::vector<int>& groups = plan_.groups_of(transfer);
    if (!is_gradient(transfer.what)) {
      if (!holds(local, transfer.what, groups, transfer.heads, step)) return false;
      if (transfer.peer != kRoot)
        flying_.push_back({from, transfer.peer, transfer, step + transfer.delay, {}});
      return true;
    }
    Flying message{from, transfer.peer, transfer, step + transfer.delay, {}};
    const Numbers& sums = local.sums[transfer.what];
    for_rows(transfer.what, groups, transfer.heads,
             [&](std::size_t r) { message.sums.push_back(sums[r]); });
    if (transfer.peer != kRoot) {
      flying_.push_back(std::move(message));
      return true;
    }
    Numbers& gathered = root_[transfer.what];
    gathered.resize(size(transfer.what), 0);
    std::size_t at = 0;
    for_rows(transfer.what, groups, transfer.heads,
             [&](std::size_t r) { gathered[r] += message.sums[at++]; });
    return true;
  }

  // Adds up what owners have: a row with two owners is wrong unless one of them has nothing of it.
  [[nodiscard]] Sums result() {
    if (plan_.result == Result::root && locals_.size() == 1) return locals_[0].sums;
    Sums sums = no_sums();
    if (plan_.result == Result::root) {
      for (auto& [what, gathered] : root_) sums[what] = gathered;
      return sums;
    }
    for (std::size_t w = 0; w < locals_.size(); ++w) {
      const Worker owner = plan_.workers.share(w);
      for (const TensorRole what : kGradients)
        for_rows(what, is_of_keys(what) ? owner.kv_groups : owner.q_groups,
                 {0, plan_.problem.shape.q_heads}, [&](std::size_t r) {
                   if (const std::uint64_t sum = locals_[w].sums[what][r]; sum != 0)
                     sums[what][r] = sum;
                 });
    }
    return sums;
  }

  [[nodiscard]] Sums expected() const {
    Sums sums = no_sums();
    const std::vector<HeadRows> heads = rows_of(sums, {0, plan_.problem.shape.q_heads});
    for (std::int64_t q = 0; q < length(TensorRole::q); ++q)
      for (std::int64_t k = 0; k < length(TensorRole::k); ++k)
        if (plan_.problem.mask.allows(q, k))
          for (const HeadRows& rows : heads) rows.add(q, k);
    return sums;
  }

  [[nodiscard]] Sums no_sums() const {
    Sums sums;
    for (const TensorRole what : kGradients) sums[what].assign(size(what), 0);
    return sums;
  }

  const Plan& plan_;
  std::vector<Local> locals_;  // by worker
  std::vector<Flying> flying_;
  Sums root_;
};

// Returns true if the gradients that the plan adds up are those of the mask.
[[nodiscard]] inline bool adds_exactly_once(const Plan& plan) {
  return GradientPlay(plan).is_exact();
}

}  // namespace qb::testing_support
