// SPDX-License-Identifier: Apache-2.0
// The end of a modelled run that gathers at a root: which worker merges what, and when. In a
// backward pass gradients are added in place of partials that are merged, at the same rate.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/forecast/device_model.h"
#include "harness/plan/plan.h"
#include "harness/run/runner/executor.h"

namespace qb {

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
