// SPDX-License-Identifier: Apache-2.0
// Finds workers that represent all others. If workers differ by rotation, walks over a few of them
// give the cost of a million steps. Shards are of one kind if their groups have equal sizes and
// strides; an even deal makes one kind, others make two or three. Suppose that a causal mask treats
// all pairs of shards of two kinds the same way whenever the one comes before the other. Then a
// step follows from the kind of the worker's own shard, from that of the other shard with which it
// computes, and from their order. For each such combination there is one imagined worker: it has a
// shard of the one kind, and all other workers have the same shard of the other kind, before or
// behind its own. If this cannot be shown, and in a backward pass, every worker represents itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/rotation.h"

namespace qb {

class Representatives {
 public:
  explicit Representatives(const Plan& plan);

  // Returns how many workers represent all; 0: each worker represents itself.
  [[nodiscard]] std::size_t size() const { return imagined_.size(); }
  // Returns a plan whose only worker is a representative, ready for a walk. Its steps over every
  // shard have only the tasks of its own shard; counted_tasks() has all.
  [[nodiscard]] Plan plan(std::size_t which) const;
  // Returns which representative does the same in this step as `worker`: it computes, receives and
  // sends as much. It also holds as much, apart from the partials of other workers' queries, which
  // are kept since the steps that computed them and all returned in one step.
  [[nodiscard]] std::size_t of(int worker, std::size_t step) const {
    const int away = worker + others_[step];
    const int other = away < rotation_->workers ? away : away - rotation_->workers;
    return like_[index(kind_of_[static_cast<std::size_t>(worker)],
                       kind_of_[static_cast<std::size_t>(other)],
                       worker < other   ? kBefore
                       : worker > other ? kBehind
                                        : kSame)];
  }

  // The different tasks of a step, each with its count.
  using CountedTasks = std::vector<std::pair<PairTask, std::int64_t>>;
  // True if the step is over every shard: calls of all workers have equal rows, not equal pairs.
  [[nodiscard]] bool counts_tasks(std::size_t step) const { return counts_[step]; }
  [[nodiscard]] CountedTasks counted_tasks(int worker, std::size_t step) const;

 private:
  // The position of one shard relative to another in the sequence of shards.
  enum Order : std::size_t { kBefore, kSame, kBehind, kOrders };
  using Places = std::pair<int, int>;

  [[nodiscard]] std::size_t index(std::size_t own, std::size_t other, Order order) const {
    return (own * ends_.size() + other) * kOrders + order;
  }
  [[nodiscard]] std::vector<PairTask> tasks_of(int q_place, int kv_place, int worker = 0) const;
  bool find_kinds();
  bool follow_steps();
  [[nodiscard]] bool is_uniform(std::size_t q_kind, std::size_t kv_kind, Order order) const;
  bool imagine();

  const Rotation* rotation_;
  std::vector<std::size_t> kind_of_;  // by place
  std::vector<Places> ends_;          // by kind: the first and the last place
  std::vector<int> others_;           // by step: place of the other shard of worker 0, or 0
  std::vector<bool> counts_;          // by step
  std::vector<Places> imagined_;      // places of the representative's own shard and of all others
  std::vector<std::size_t> like_;     // by own kind, other kind and order
};

}  // namespace qb
