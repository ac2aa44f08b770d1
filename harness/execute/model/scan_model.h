// SPDX-License-Identifier: Apache-2.0
// What the links take for a scan of states (harness/plan/scan/), by the rules of link_model.h.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/execute/model/cluster.h"
#include "harness/plan/scan/scan_plan.h"

namespace qb {

// Returns the seconds until the last message has arrived, of workers that
// are all ready at 0 and whose own work takes no time. bytes_of(block): those of a block of a
// state.
[[nodiscard]] double scan_time_s(const ScanPlan& plan, const Network& network,
                                 const std::function<std::int64_t(int block)>& bytes_of);

}  // namespace qb
