// SPDX-License-Identifier: Apache-2.0
// What a plan moves, tensor by tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

// One tensor in one kind of transfer, over all workers and the root.
struct MovedTensor {
  TensorRole what = TensorRole::q;
  TransferKind kind = TransferKind::p2p;
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;  // with the padding of messages
  // By the one worker that moves most in all: it sends them, or of a scatter receives them.
  std::int64_t busiest_bytes = 0;
};

// Returns a row for each tensor and kind of transfer that the plan has, in the order of both enums.
// A worker's share for itself is not sent and not counted. The bytes of all rows add up to
// Work::bytes_total.
[[nodiscard]] std::vector<MovedTensor> moved_tensors(const Plan& plan);

}  // namespace qb
