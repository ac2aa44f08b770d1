// SPDX-License-Identifier: Apache-2.0
// What the links take for the rounds in which workers share an operator (harness/plan/exchange/),
// by the rules of link_model.h.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/execute/model/cluster.h"

namespace qb {

struct SizedMessage {
  int round = 0;
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
};

// Returns the seconds until the last of the messages, which are in the order in which they leave
// and arrive, has arrived, of workers that are all ready at 0 and whose own work takes no time.
[[nodiscard]] double rounds_time_s(const std::vector<SizedMessage>& messages, int workers,
                                   const Network& network);

}  // namespace qb
