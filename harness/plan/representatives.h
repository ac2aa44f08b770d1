// SPDX-License-Identifier: Apache-2.0
// Finds workers that represent all others: the one answer to which workers are equal, for whatever
// a step takes (work/profile.h) and what a worker holds. If workers differ by rotation, walks over
// a few of them give the cost of a million steps. Shards are of one kind if their groups have equal
// sizes and strides, as an even deal makes them. Where a causal mask treats all pairs of such
// shards the same way whenever the one comes before the other, any worker represents all but for
// the calls of kernels (counted_calls.h). Else workers are compared: those of equal contents do the
// same in every step, and the first represents them.
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

  [[nodiscard]] bool follow_rule() const { return counted_.has_value(); }
  // Returns what the calls of each worker are, if shards are of one kind; else nullptr.
  [[nodiscard]] const CountedCalls* counted() const { return counted_ ? &*counted_ : nullptr; }

  // Returns how many workers represent all.
  [[nodiscard]] std::size_t size() const { return counted_ ? 1 : examples_.size(); }
  // Calls visit(worker, index) with a representative, ready for a walk: worker `index` of the plan.
  // With counted() it has few tasks of each call.
  template <class Visit>
  void read(const Plan& plan, std::size_t which, const Visit& visit) const {
    if (counted_) return visit(counted_->sketch(0), 0);
    Worker scratch;
    const int index = examples_[which];
    visit(plan.workers.read(static_cast<std::size_t>(index), scratch), index);
  }

  // Returns the worker's class in this step: those of one class compute, receive and send as much.
  // It is the number of the representative, or with counted() that of the calls.
  [[nodiscard]] std::size_t of(int worker, std::size_t step) const {
    return counted_ ? counted_->class_of(worker, step) : alike_[static_cast<std::size_t>(worker)];
  }
  // Unless they follow the rule: returns the first worker that holds as much in every step.
  [[nodiscard]] int holds_like(int worker) const {
    return holds_like_[static_cast<std::size_t>(worker)];
  }

 private:
  // The position of one shard relative to another in the sequence of shards.
  enum Order { kBefore, kSame, kBehind };
  using Places = std::pair<int, int>;

  Representatives(const Plan& plan, bool compare);
  void find_rule(const Plan& plan);
  void compare(const Plan& plan);
  [[nodiscard]] bool are_of_one_kind() const;
  [[nodiscard]] bool is_uniform(Order order) const;

  const Rotation* rotation_;
  std::optional<CountedCalls> counted_;
  std::vector<std::size_t> alike_;  // by worker: which example does the same
  std::vector<int> examples_;
  std::vector<int> holds_like_;  // by worker
};

}  // namespace qb
