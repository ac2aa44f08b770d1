// SPDX-License-Identifier: Apache-2.0
// Plays plans on modelled devices and links: any plan event by event, and those whose workers
// differ by rotation in rounds; model_executor.h says what a worker goes through.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/forecast/device_model.h"
#include "harness/plan/plan.h"
#include "harness/plan/work/profile.h"
#include "harness/run/runner/executor.h"
#include "harness/run/transport/link_model.h"
#include "harness/run/transport/transport.h"

namespace qb {

// The clock of one worker of a modelled run, whether events or rounds play it.
struct WorkerClock {
  double now_s = 0.0;
  double began_s = 0.0;  // start of the current work

  // Waits for a message that has arrived or is on its way.
  void await(const Passage& passage, StepTime& step) {
    const double end_s = std::max(now_s, passage.done_s);
    split_wait(now_s, passage.started_s, end_s, step.idle_s, step.exposed_communication_s);
    now_s = end_s;
  }
  // Ends work that computed.
  void end_compute(StepTime& step) const {
    step.compute_s += now_s - began_s;
    step.compute.add(began_s, now_s);
  }
  // Ends work that packed messages.
  void end_pack(StepTime& step) const { step.exposed_communication_s += now_s - began_s; }
};

// A message of a worker's step as it travels on a link.
struct ModelMessage {
  int peer = 0;
  bool late = false;
  std::int64_t bytes = 0;
  int delay = 1;
};
[[nodiscard]] std::vector<ModelMessage> model_messages(const std::vector<Transfer>& transfers);

// cores 0: one for each worker.
[[nodiscard]] bool shares_cores(const Plan& plan, double cores);

// Returns the times of every worker, their steps and the wall clock. Throws CaseError if a worker
// waits for a message that never comes.
[[nodiscard]] Execution simulate(const Plan& plan, const DeviceCosts& device,
                                 const PlanProfile& profile, double cores, const ModelLink& link);

// A modelled run in rounds: if workers differ by rotation and each has its own device, all go
// through a step together, without a queue of events. A ring of 4096 workers has 16.8 million
// messages.
//
// The times equal those of simulate(), bit for bit. A worker waits for all that a step sends and
// receives before it posts the next step's messages, so the messages of one step find every link
// free. Messages of one step do not wait for each other if each worker sends one and receives one,
// of inputs and, once these have left, of results; if all are ready at the same moment, every
// worker's messages travel as worker 0's do. Otherwise each link takes its messages in the order of
// their times, unless one may have been posted at the very moment at which it starts: a run of few
// messages is then simulated, and of many the one of less distance counts as the first. On hosts a
// worker has a link to its own host and one to others. Workers that share a NIC may be in different
// steps, so that it keeps its line from step to step; if a message comes to it before one of an
// earlier step, the run is simulated, and so it is if a message is received later than in the next
// step.
//
// Returns the times of every worker, their steps and the wall clock; nullopt if the run does not go
// in rounds. Devices must not be shared.
[[nodiscard]] std::optional<Execution> model_rounds(const Plan& plan, const PlanProfile& profile,
                                                    const ModelLink& link);

// If all workers together have more steps than this, each has one in WorkerTime::steps, their sum.
inline constexpr std::size_t kMostModelledSteps = std::size_t{1} << 18;

}  // namespace qb
