// SPDX-License-Identifier: Apache-2.0
// The part of check() that follows gradients: which worker has which sums of dQ, dK and dV when,
// by the rule of plan/pass.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/check/group_map.h"
#include "harness/plan/plan.h"

namespace qb {

// The sums of one worker. A sum is of one gradient of a group, for some heads: those of the tasks
// and messages that add to it. The groups that these name must exist. Every other function returns
// nullopt, or a sentence that names the first offender.
class GradientFlow {
 public:
  explicit GradientFlow(const Plan& plan)
      : plan_(plan),
        sums_{Sums(plan.q_groups.size()), Sums(plan.kv_groups.size()),
              Sums(plan.kv_groups.size())} {}

  void begin(int worker) {
    worker_ = worker;
    for (auto& sums : sums_) sums.clear();
  }

  // A task adds to a sum of each gradient, before the sum is sent.
  [[nodiscard]] std::optional<std::string> compute(const PairTask& task, int step);
  // The worker adds what arrives to its own sum. One that it has sent it then has again.
  [[nodiscard]] std::optional<std::string> receive(const Transfer& transfer, int step);
  // held: the worker has had the group's inputs, so that it has a sum even without a task.
  [[nodiscard]] std::optional<std::string> send(const Transfer& transfer, int group, bool held,
                                                int step);
  // When all steps are done, what is left lies with its owner, or was gathered. The marks say which
  // groups the worker owns.
  [[nodiscard]] std::optional<std::string> finish(const std::vector<bool>& owns_q,
                                                  const std::vector<bool>& owns_kv) const;

 private:
  enum class State { zero, added_to, sent };
  struct Sum {
    Range heads;  // of queries or of keys, as the gradient
    State state = State::zero;
  };

  // Returns nullptr if a sum for other heads has some of these, so that it is not clear what is
  // sent.
  [[nodiscard]] Sum* sum_of(TensorRole what, int group, const Range& heads);
  [[nodiscard]] std::string shared_heads(TensorRole what, int group, int step) const;

  using Sums = GroupMap<std::vector<Sum>>;

  const Plan& plan_;
  int worker_ = 0;
  std::array<Sums, std::size(kGradients)> sums_;
  Range heads_;  // the last ones that were named, and their heads of keys
  Range kv_heads_;
};

}  // namespace qb
