// The messages among a step's transfers, as messages_of() finds them, without a buffer or a copy:
// for walking through millions of steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/plan/messages.h"

namespace qb {

struct MessageView {
  int peer = 0;
  bool late = false;       // leaves when its step ends
  std::int64_t bytes = 0;  // of its transfers
  std::span<const Transfer> parts;
};

class MessageReader {
 public:
  explicit MessageReader(const Plan& plan) : seen_(plan.workers.size(), 0) {}

  // Valid until the next call. Scatter and gather are no messages.
  const std::vector<MessageView>& read(const std::vector<Transfer>& transfers);

 private:
  bool read_runs(const std::vector<Transfer>& transfers);

  std::vector<MessageView> messages_;
  std::vector<std::uint64_t> seen_;  // of each peer: the call that met it last
  std::uint64_t call_ = 0;
  std::vector<Message> gathered_;
};

// True where both hold the same tensors of the same tokens.
[[nodiscard]] bool same_content(const MessageView& a, const MessageView& b);

}  // namespace qb
