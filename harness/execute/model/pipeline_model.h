// SPDX-License-Identifier: Apache-2.0
// What a pipeline (harness/plan/pipeline/) takes, by the rules of link_model.h, where stages play
// their units as pipeline_stage.h says.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/execute/model/cluster.h"
#include "harness/plan/pipeline/pipeline_plan.h"

namespace qb {

struct PipelineCosts {
  std::function<double(const PipelineStep&)> compute_s;
  std::function<std::int64_t(const PipelineUnit&)> bytes_of;  // of the message with its result
};

// Returns the seconds until the last stage has finished. The plan has no error (check()).
[[nodiscard]] double pipeline_time_s(const PipelinePlan& plan, const Network& network,
                                     const PipelineCosts& costs);

}  // namespace qb
