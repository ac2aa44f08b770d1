// The messages of a worker's steps as the simulation sends them: peers and bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

struct ModelMessage {
  int peer = 0;
  bool late = false;
  std::int64_t bytes = 0;
};

struct StepMessages {
  std::vector<ModelMessage> receives;
  std::vector<ModelMessage> sends;
  std::int64_t from_root_bytes = 0;
  std::int64_t to_root_bytes = 0;
};

[[nodiscard]] std::vector<StepMessages> messages_of_steps(const Worker& worker);

}  // namespace qb
