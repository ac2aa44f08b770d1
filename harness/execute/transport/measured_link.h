// SPDX-License-Identifier: Apache-2.0
// Reads what programs that measure links print: sendrecv_perf of nccl-tests, and osu_bw and
// osu_latency of the OSU micro-benchmarks, whose outputs may stand one after another in one file.
#pragma once

#include <string>
#include <string_view>

#include "harness/execute/transport/link_model.h"

namespace qb {

// The largest bandwidth, and the time of the smallest message as latency. `name` begins the
// UsageError of a text without one of them, or of another test than one link one way.
[[nodiscard]] LinkLimit measured_link(std::string_view text, const std::string& name);

}  // namespace qb
