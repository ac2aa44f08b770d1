// SPDX-License-Identifier: Apache-2.0
// The time that a worker's device needs for each of its steps, without any waiting: the work of
// WorkerPlayer's three phases. A call of a backward pass adds to the sums of gradients where they
// lie, so that nothing is merged after it; a ring's sums lie in the message that came, which is
// sent on. D of each row, one number, takes no time.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/execute/model/device_model.h"
#include "harness/plan/plan.h"
#include "harness/plan/representatives.h"

namespace qb {

struct StepCost {
  double receive_s = 0.0;     // joins a collective's messages; merges partials and adds gradients
  double pack_early_s = 0.0;  // copies inputs into messages; passing one on costs nothing
  double kernel_s = 0.0;      // calls, and merges of results of later calls on the same queries
  double pack_late_s = 0.0;   // copies results into messages
};

[[nodiscard]] std::vector<StepCost> step_costs(const Plan& plan, const Worker& worker,
                                               const DeviceCosts& device);

class PlanCosts {
 public:
  PlanCosts(const Plan& plan, const DeviceCosts& device);

  [[nodiscard]] StepCost of(int worker, std::size_t step) const {
    if (representatives_.size() == 0) return costs_[static_cast<std::size_t>(worker)][step];
    StepCost cost = costs_[representatives_.of(worker, step)][step];
    if (const CountedCalls* const counted = representatives_.counted())
      cost.kernel_s = kernel_s_[step][counted->class_of(worker, step)];
    return cost;
  }

 private:
  void price_counted(const Plan& plan, const DeviceCosts& device, std::size_t step);

  const Representatives representatives_;
  std::vector<std::vector<StepCost>> costs_;   // of the representatives, or of every worker
  std::vector<std::vector<double>> kernel_s_;  // by step and class of counted calls
};

}  // namespace qb
