// SPDX-License-Identifier: Apache-2.0
// How transfers travel: all inputs that a worker sends to one peer in one step are one message, and
// all results are one: a header and then the tensors, each at a multiple of 64 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

inline constexpr std::int64_t kMessageAlignment = 64;
inline constexpr std::int64_t kMessageHeaderBytes = 64;

struct Message {
  int peer = 0;
  bool late = false;             // it leaves when its step ends, with results of the step
  int delay = 1;                 // as in its transfers
  std::vector<Transfer> parts;   // in the order of the plan
  std::vector<std::int64_t> at;  // where each part begins in the buffer
  std::int64_t buffer_bytes = 0;
};

// Returns the messages among a step's sends or receives, inputs first, else in the order of their
// first transfers; scatter and gather are not messages. What is fetched in one step to be held
// until one step is a message of its own.
[[nodiscard]] std::vector<Message> messages_of(const std::vector<Transfer>& transfers);

[[nodiscard]] std::int64_t tensor_bytes(const Message& message);  // without the padding

// Returns true if both hold the same tensors of the same tokens: one can be sent as the other.
[[nodiscard]] bool same_content(const Message& a, const Message& b);

// Returns for each send the first one that it equals: sends with equal content share one buffer.
[[nodiscard]] std::vector<std::size_t> first_equal(const std::vector<Message>& sends);

}  // namespace qb
