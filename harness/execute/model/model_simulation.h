// SPDX-License-Identifier: Apache-2.0
// Plays any plan on modelled devices and links, event by event; model_executor.h says what a worker
// goes through.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/execute/model/step_cost.h"
#include "harness/execute/player/executor.h"
#include "harness/execute/transport/link_model.h"
#include "harness/plan/plan.h"

namespace qb {

// The messages of a worker's steps as the simulation sends them: peers and bytes.
struct ModelMessage {
  int peer = 0;
  bool late = false;
  std::int64_t bytes = 0;
};

struct StepMessages {
  std::vector<ModelMessage> receives;
  std::vector<ModelMessage> sends;
  std::int64_t from_root_bytes = 0;
  std::int64_t to_root_bytes = 0;
};

[[nodiscard]] std::vector<StepMessages> messages_of_steps(const Worker& worker);

// cores 0: one for each worker.
[[nodiscard]] bool shares_cores(const Plan& plan, double cores);

// Returns the times of every worker, their steps and the wall clock. steps: each worker's messages;
// if empty, they come from the plan. worker_speeds: one for each worker. Throws CaseError if a
// worker waits for a message that never comes.
[[nodiscard]] Execution simulate(const Plan& plan, const DeviceCosts& device,
                                 const PlanCosts& costs,
                                 std::vector<std::vector<StepMessages>> steps, double cores,
                                 const ModelLink& link, const std::vector<double>& worker_speeds);

}  // namespace qb
