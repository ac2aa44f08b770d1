// Transfers as they travel: everything that a worker sends to one peer in one step is one message,
// a header and then the tensors, each at a multiple of 64 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

inline constexpr std::int64_t kMessageAlignment = 64;
inline constexpr std::int64_t kMessageHeaderBytes = 64;

struct Message {
  int peer = 0;
  bool late = false;             // leaves when its step ends: what the step computed
  std::vector<Transfer> parts;   // in the order of the plan
  std::vector<std::int64_t> at;  // where each part begins in the buffer
  std::int64_t buffer_bytes = 0;
};

// The messages among a step's sends or receives, in the order of their first transfers; scatter and
// gather are none. Throws std::logic_error where one message would mix what is there with what is
// still to be computed.
[[nodiscard]] std::vector<Message> messages_of(const std::vector<Transfer>& transfers);

// True where both hold the same tensors of the same tokens: what came in can be passed on as it is.
[[nodiscard]] bool same_content(const Message& a, const Message& b);

// Sends with the same content share one buffer: for each send, the first one that it equals.
[[nodiscard]] std::vector<std::size_t> first_equal(const std::vector<Message>& sends);

[[nodiscard]] inline bool is_input(TensorRole what) {
  return what == TensorRole::q || what == TensorRole::k || what == TensorRole::v;
}

}  // namespace qb
