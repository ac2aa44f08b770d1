// SPDX-License-Identifier: Apache-2.0
// Finds workers that represent all others: the one answer to which workers are equal, for whatever
// a step takes (work/profile.h) and what a worker holds. If workers differ by rotation, walks over
// a few of them give the cost of a million steps. Shards are of one kind if their groups have equal
// sizes and strides; an even deal makes one kind, others make two or three. Suppose that a causal
// mask treats all pairs of shards of two kinds the same way whenever the one comes before the
// other.
//
// Shards of one kind: any worker represents all but for the calls of kernels (counted_calls.h).
// Several kinds, in the forward pass of a ring: a step follows from the kind of the worker's own
// shard, from that of the other shard with which it computes, and from their order. For each such
// combination there is one imagined worker: it has a shard of the one kind, and all other workers
// have the same shard of the other kind, before or behind its own. If neither can be shown, workers
// are compared: those of equal contents do the same in every step, and the first represents them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "harness/plan/counted_calls.h"
#include "harness/plan/plan.h"
#include "harness/plan/rotation.h"

namespace qb {

class Representatives {
 public:
  explicit Representatives(const Plan& plan);
  // Returns true if few workers represent all without a look at each of them.
  [[nodiscard]] static bool follow_from_rule(const Plan& plan) {
    return Representatives(plan, false).follow_rule();
  }

  [[nodiscard]] bool follow_rule() const { return counted_ || !imagined_.empty(); }
  // Returns what the calls of each worker are, if shards are of one kind; else nullptr.
  [[nodiscard]] const CountedCalls* counted() const { return counted_ ? &*counted_ : nullptr; }

  // Returns how many workers represent all.
  [[nodiscard]] std::size_t size() const {
    return counted_ ? 1 : std::max(imagined_.size(), examples_.size());
  }
  // Calls visit(plan, worker, index) with a representative, ready for a walk: worker `index` of a
  // plan, this one or an imagined one. With counted() it has few tasks of each call.
  template <class Visit>
  void read(const Plan& plan, std::size_t which, const Visit& visit) const {
    if (counted_) return visit(plan, counted_->sketch(0), 0);
    if (!imagined_.empty()) {
      const Plan imagined = imagined_plan(which);
      return visit(imagined, imagined.workers[0], 0);
    }
    Worker scratch;
    const int index = examples_[which];
    visit(plan, plan.workers.read(static_cast<std::size_t>(index), scratch), index);
  }

  // Returns the worker's class in this step: those of one class compute, receive and send as much.
  // It is the number of the representative, or with counted() that of the calls. Imagined workers
  // also hold as much, apart from the partials of other workers' queries, which are kept since the
  // steps that computed them and all returned in one step.
  [[nodiscard]] std::size_t of(int worker, std::size_t step) const {
    const auto w = static_cast<std::size_t>(worker);
    if (counted_) return counted_->class_of(worker, step);
    if (imagined_.empty()) return alike_[w];
    const int away = worker + others_[step];
    const int other = away < rotation_->workers() ? away : away - rotation_->workers();
    return like_[index(kind_of_[w], kind_of_[static_cast<std::size_t>(other)],
                       worker < other   ? kBefore
                       : worker > other ? kBehind
                                        : kSame)];
  }
  // Unless they follow the rule: returns the first worker that holds as much in every step.
  [[nodiscard]] int holds_like(int worker) const {
    return holds_like_[static_cast<std::size_t>(worker)];
  }

 private:
  // The position of one shard relative to another in the sequence of shards.
  enum Order : std::size_t { kBefore, kSame, kBehind, kOrders };
  using Places = std::pair<int, int>;

  [[nodiscard]] std::size_t index(std::size_t own, std::size_t other, Order order) const {
    return (own * ends_.size() + other) * kOrders + order;
  }
  Representatives(const Plan& plan, bool compare);
  [[nodiscard]] Plan imagined_plan(std::size_t which) const;
  void find_rule(const Plan& plan);
  void compare(const Plan& plan);
  [[nodiscard]] std::vector<PairTask> tasks_of(int q_place, int kv_place) const;
  bool find_kinds();
  bool follow_steps();
  [[nodiscard]] bool is_uniform(std::size_t q_kind, std::size_t kv_kind, Order order) const;
  bool imagine();

  const Rotation* rotation_;
  std::optional<CountedCalls> counted_;
  std::vector<std::size_t> kind_of_;  // by place
  std::vector<Places> ends_;          // by kind: the first and the last place
  std::vector<int> others_;           // by step: place of the other shard of worker 0, or 0
  std::vector<Places> imagined_;      // places of the representative's own shard and of all others
  std::vector<std::size_t> like_;     // by own kind, other kind and order
  std::vector<std::size_t> alike_;    // by worker: which example does the same
  std::vector<int> examples_;
  std::vector<int> holds_like_;  // by worker
};

}  // namespace qb
