// SPDX-License-Identifier: Apache-2.0
// What crosses the network between hosts, counted from plans.
#pragma once

#include <cstdint>
#include <span>

#include "harness/plan/plan.h"
#include "harness/run/transport/link_model.h"

namespace qb {

// Returns the bytes that a worker sends to workers of other hosts in these passes, of the worker
// that sends most there. What a root scatters and gathers is not counted: it stands on no host.
[[nodiscard]] std::int64_t bytes_between_hosts(std::span<const Plan* const> passes,
                                               const Hosts& hosts);

}  // namespace qb
