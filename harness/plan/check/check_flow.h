// SPDX-License-Identifier: Apache-2.0
// The part of check() that follows tensors: which worker holds them when, and where partials go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

// Follows the tensors of one worker: it uses and sends only what it holds at that step, and sends
// each partial of foreign queries to its owner once, or, in a backward pass, follows the rule of
// plan/pass.h for gradients. q_groups: the groups that each worker owns. Returns nullopt, or a
// sentence that names the first offender.
[[nodiscard]] std::optional<std::string> check_worker_flow(
    const Plan& plan, const std::vector<std::vector<int>>& q_groups, const Worker& worker,
    int index);

class WorkerFlow;

// Takes the workers one after another, in order, and keeps none of them.
class FlowCheck {
 public:
  explicit FlowCheck(const Plan& plan);

  // These return as check_worker_flow() does.
  [[nodiscard]] std::optional<std::string> add(const Worker& worker);
  [[nodiscard]] std::optional<std::string> finish() const;

 private:
  const Plan& plan_;
  std::vector<std::vector<int>> q_groups_;  // groups that each worker owns
  std::vector<Range> result_heads_;         // and their heads
  std::shared_ptr<WorkerFlow> flow_;
  int next_ = 0;
  // For each step, the sum of the hashes of sent messages minus that of received ones. A sum that
  // is not 0 shows the step that is wrong, so millions of messages need no memory.
  std::vector<std::uint64_t> balance_;
};

}  // namespace qb
