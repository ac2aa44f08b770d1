// SPDX-License-Identifier: Apache-2.0
// The clock of one worker of a modelled run, whether events or rounds play it.
#pragma once

#include <algorithm>

#include "harness/execute/player/executor.h"
#include "harness/execute/transport/transport.h"

namespace qb {

struct WorkerClock {
  double now_s = 0.0;
  double began_s = 0.0;  // start of the current work

  // Waits for a message that has arrived or is on its way.
  void await(const Passage& passage, StepTime& step) {
    const double end_s = std::max(now_s, passage.done_s);
    const double ready_s = std::clamp(passage.started_s, now_s, end_s);
    step.idle_s += ready_s - now_s;
    step.exposed_communication_s += end_s - ready_s;
    now_s = end_s;
  }
  // Ends work that computed; a worker whose speed is below 1 sleeps after it.
  void end_compute(double speed, StepTime& step) {
    now_s += (now_s - began_s) * (1.0 / speed - 1.0);
    step.compute_s += now_s - began_s;
    step.compute.add(began_s, now_s);
  }
  // Ends work that packed messages.
  void end_pack(StepTime& step) const { step.exposed_communication_s += now_s - began_s; }
};

}  // namespace qb
