// SPDX-License-Identifier: Apache-2.0
// A lower bound of the time that workers with a device each take for an operator. No kernel of this
// program was measured there, so it has the rates of datasheets and none of kernels:
//   compute_s   the worker's FLOP at the device's product rate, or its tensors once through the
//               device's memory, whichever takes longer
//   scan_s      the exchanges over the links (scan_model.h), one after the other; nothing
//               is computed meanwhile
#pragma once

#include "harness/forecast/cluster.h"
#include "harness/forecast/device_model.h"
#include "harness/workload/mixer/mixer_share.h"

namespace qb {

struct MixerBound {
  double compute_s = 0.0;     // of the worker that takes longest
  double worker_sum_s = 0.0;  // without the exchanges
  double scan_s = 0.0;
};

// Throws Unsupported where the device has no product rate for the inputs' type.
[[nodiscard]] MixerBound mixer_bound(const MixerShare& share, const DeviceModel& device,
                                     const Network& network);

}  // namespace qb
