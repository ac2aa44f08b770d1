// SPDX-License-Identifier: Apache-2.0
// Finds workers that represent all others. If workers differ by rotation, walks over a few of them
// give the cost of a million steps. Shards are of one kind if their groups have equal sizes and
// strides; an even deal makes one kind, others make two or three. Suppose that a causal mask treats
// all pairs of shards of two kinds the same way whenever the one comes before the other.
//
// Shards of one kind: any worker represents all but for the calls of kernels (counted_calls.h).
// Several kinds, in the forward pass of a ring: a step follows from the kind of the worker's own
// shard, from that of the other shard with which it computes, and from their order. For each such
// combination there is one imagined worker: it has a shard of the one kind, and all other workers
// have the same shard of the other kind, before or behind its own. If neither can be shown, every
// worker represents itself.
#pragma once

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

  // Returns how many workers represent all; 0: each worker represents itself.
  [[nodiscard]] std::size_t size() const { return counted_ ? 1 : imagined_.size(); }
  // Returns what the calls of each worker are, if shards are of one kind; else nullptr.
  [[nodiscard]] const CountedCalls* counted() const { return counted_ ? &*counted_ : nullptr; }
  // Returns a plan whose only worker is a representative, ready for a walk. With counted() it is
  // worker 0, with few tasks of each call.
  [[nodiscard]] Plan plan(std::size_t which) const;
  // Returns which representative does the same in this step as `worker`: it computes, receives and
  // sends as much. It also holds as much, apart from the partials of other workers' queries, which
  // are kept since the steps that computed them and all returned in one step.
  [[nodiscard]] std::size_t of(int worker, std::size_t step) const {
    if (counted_) return 0;
    const int away = worker + others_[step];
    const int other = away < rotation_->workers() ? away : away - rotation_->workers();
    return like_[index(kind_of_[static_cast<std::size_t>(worker)],
                       kind_of_[static_cast<std::size_t>(other)],
                       worker < other   ? kBefore
                       : worker > other ? kBehind
                                        : kSame)];
  }

 private:
  // The position of one shard relative to another in the sequence of shards.
  enum Order : std::size_t { kBefore, kSame, kBehind, kOrders };
  using Places = std::pair<int, int>;

  [[nodiscard]] std::size_t index(std::size_t own, std::size_t other, Order order) const {
    return (own * ends_.size() + other) * kOrders + order;
  }
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
};

}  // namespace qb
