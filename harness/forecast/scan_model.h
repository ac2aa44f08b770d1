// SPDX-License-Identifier: Apache-2.0
// What the links take for the rounds in which workers share an operator (harness/plan/exchange/),
// by the rules of link_model.h.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/forecast/cluster.h"
#include "harness/plan/exchange/exchange_plan.h"

namespace qb {

struct SizedMessage {
  int round = 0;
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
  // What it holds, of which a worker may send several: a part of this one of the tensors or states.
  Part part{};
  int tensor = 0;
};

// Returns the seconds until the last of the messages, which are in the order in which they leave
// and arrive, has arrived, of workers that are all ready at 0 and whose own work takes no time.
[[nodiscard]] double rounds_time_s(const std::vector<SizedMessage>& messages, int workers,
                                   const Network& network);

}  // namespace qb
