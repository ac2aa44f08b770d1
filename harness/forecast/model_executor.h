// SPDX-License-Identifier: Apache-2.0
// Predicts a plan's time by discrete events, from a device's rates and a link; it runs no worker.
//
// Every worker goes through the phases of WorkerPlayer: the inputs that a step sends leave when it
// begins, results when it ends; a receive is posted one step ahead; a step waits for its receives,
// takes them in, computes, and waits for its early sends. So compute hides the transfers of inputs,
// in a backward pass too, and none hides those of gradients, which the next step of the receiver
// awaits. The fields mean the same as under `threads`:
// waiting before both sides were ready is idle, after that it is exposed communication. Packing a
// message takes the device's time and counts as exposed.
//
// The model leaves out the exponentials of tree decoding's reductions, contention inside the
// network, and a memory bandwidth that workers on one machine share.
#pragma once

#include "harness/forecast/device_model.h"
#include "harness/plan/plan.h"
#include "harness/run/runner/executor.h"
#include "harness/run/transport/link_model.h"

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

}  // namespace qb
