// SPDX-License-Identifier: Apache-2.0
// What a pipeline takes by the rules of link_model.h. A stage has room for the message of its
// present unit and of the next one. It computes on while gradients leave, and waits for them before
// it sends the next ones. So what it holds follows from its order alone.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/forecast/cluster.h"
#include "harness/plan/pipeline_schedule.h"

namespace qb {

struct PipelineCosts {
  std::function<double(const PipelineUnit&)> unit_s;
  // Of the message with a unit's result that a worker of the stage sends to its peer in the next.
  std::function<std::int64_t(const PipelineUnit&, int worker)> bytes_of;
  int workers = 1;  // of a stage, which computes a unit when all have what it needs
};

struct PipelineTimes {
  double wall_s = 0.0;  // until the last stage has finished
  // What that stage waits: for messages on their way, and for stages that are not ready.
  double exposed_s = 0.0;
  double idle_s = 0.0;
};

// Stage s has the workers from s x costs.workers on.
[[nodiscard]] PipelineTimes pipeline_times(const Pipeline& pipeline, const Network& network,
                                           const PipelineCosts& costs);

}  // namespace qb
