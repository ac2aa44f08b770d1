// Finds workers that represent all others. If workers differ by rotation, walks over two of them
// give the cost of a million steps. Suppose that all shards have equal size, and that a causal mask
// treats two shards the same way whenever one comes before the other. Then there are two kinds of
// steps: the shard of queries comes after that of keys, or before it. Worker 0 makes each step in
// one way and worker W - 1 in the other, and every other worker's step is like one of these. If
// this cannot be shown, every worker represents itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

class Representatives {
 public:
  explicit Representatives(const Plan& plan);

  // The workers that represent all; empty: each worker represents itself.
  [[nodiscard]] const std::vector<int>& workers() const { return workers_; }
  // Returns one of workers(), ready for a walk. Its steps over every shard have only the tasks of
  // its own shard; counted_tasks() has all.
  [[nodiscard]] Worker worker(std::size_t which) const;
  // Returns which of workers() does the same in this step as `worker`: it computes, holds, receives
  // and sends as much, and its peers are at the same distances.
  [[nodiscard]] std::size_t of(int worker, std::size_t step) const {
    return worker >= turns_at_[step] ? 1 : 0;
  }

  // The different tasks of a step, each with its count.
  using CountedTasks = std::vector<std::pair<PairTask, std::int64_t>>;
  // True if the step is over every shard: calls of all workers have equal rows, not equal pairs.
  [[nodiscard]] bool counts_tasks(std::size_t step) const { return counts_[step]; }
  [[nodiscard]] CountedTasks counted_tasks(int worker, std::size_t step) const;

 private:
  std::vector<int> workers_;
  std::vector<int> turns_at_;  // by step: the first worker that does as the last one does
  std::vector<bool> counts_;   // by step
  const Rotation* rotation_ = nullptr;
  std::array<std::vector<PairTask>, 3> tasks_;  // what the mask allows of two shards, by order
};

}  // namespace qb
