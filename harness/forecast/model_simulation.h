// SPDX-License-Identifier: Apache-2.0
// Predicts a plan's time by discrete events, from a device's rates and a link; it runs no worker.
//
// Every worker goes through the phases of WorkerRunner: the inputs that a step sends leave when it
// begins, results when it ends; a receive is posted one step ahead; a step waits for its receives,
// takes them in, computes, and waits for its early sends. So compute hides the transfers of inputs,
// in a backward pass too, and none hides those of gradients, which the next step of the receiver
// awaits. The fields mean the same as under `threads`: waiting before both sides were ready is
// idle, after that it is exposed communication. Packing a message takes the device's time and
// counts as exposed.
//
// The model leaves out the exponentials of tree decoding's reductions, contention inside the
// network, and a memory bandwidth that workers on one machine share.
//
// Any plan is run event by event, and those whose workers differ by rotation in rounds.
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

// wall_s is the end of the last worker, or of the root's last merge if partials are gathered;
// critical_path_s is the same. gather_s: time until a worker's shard has come from the root
// (including the wait for the root's link), or its copy from the caller's memory. merge_s: the
// root's time for the worker's partial, or the worker's share of the merge; see
// ModelLink::root_has_link. Throws Unsupported if the device has no rates for the problem.
// Deterministic.
[[nodiscard]] Execution model_execution(const Plan& plan, const Representatives& alike,
                                        const DeviceModel& device, const ModelLink& link,
                                        Kernel kernel);
[[nodiscard]] inline Execution model_execution(const Plan& plan, const DeviceModel& device,
                                               const ModelLink& link, Kernel kernel) {
  return model_execution(plan, Representatives(plan), device, link, kernel);
}

// The clock of one worker of a modelled run, whether events or rounds run it.
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

// The end of a modelled run that gathers at a root: which worker merges what, and when. In a
// backward pass gradients are added in place of partials that are merged, at the same rate.
struct PartialAtRoot {
  double ready_s = 0.0;  // when it has arrived
  int worker = 0;
  std::int64_t bytes = 0;
};

// The root merges partials as they arrive. Sets each worker's merge_s; returns the end.
[[nodiscard]] double merge_at_root(std::vector<PartialAtRoot> partials, const DeviceCosts& device,
                                   Execution& execution);

// In one memory each worker takes groups in turn and merges their partials, or adds the gradients
// of groups of queries and then those of groups of keys. core_share: each one's part of a core when
// all are busy. Sets each worker's merge_s; returns the longest.
[[nodiscard]] double share_out_merge(const Plan& plan, const DeviceCosts& device, double core_share,
                                     Execution& execution);

}  // namespace qb
