// SPDX-License-Identifier: Apache-2.0
// A lower bound of the time that workers with a device each take for an operator. No kernel of this
// program was measured there, so it has the rates of datasheets and none of kernels:
//   compute_s   the FLOP of the worker's tokens (mixer_flop) at the device's product rate, or its
//               tensors once through the device's memory, whichever takes longer
//   scan_s      the exchanges of states over the links (scan_model.h), one after the other; nothing
//               is computed meanwhile
#pragma once

#include "harness/execute/model/cluster.h"
#include "harness/execute/model/device_model.h"
#include "harness/plan/scan/scan_plan.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

struct MixerBound {
  double compute_s = 0.0;     // of the worker that takes longest
  double worker_sum_s = 0.0;  // without the exchanges
  double scan_s = 0.0;
};

// Throws Unsupported where the device has no product rate for the inputs' type.
[[nodiscard]] MixerBound mixer_bound(const MixerProblem& problem, const ScanPlan& plan,
                                     const DeviceModel& device, const Network& network);

// The links' time for all exchanges: a worker makes the state of one after the one before.
[[nodiscard]] double exchanges_s(const MixerProblem& problem, const ScanPlan& plan,
                                 const Network& network);

}  // namespace qb
