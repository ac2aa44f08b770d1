// Moves messages between the workers of one plan while they compute.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace qb {

// A message that worker `to` receives in its step `step`; no two of a plan share a key.
struct MessageKey {
  int from = 0;
  int to = 0;
  int step = 0;
  friend bool operator==(const MessageKey&, const MessageKey&) = default;
};

// When a message went, in seconds of now_s(). Before `started_s` one of the two sides was not
// ready.
struct Passage {
  double started_s = 0.0;
  double done_s = 0.0;
};

class Transit {  // one side of one message under way; made by a Transport
 public:
  virtual ~Transit() = default;
};
using Ticket = std::shared_ptr<Transit>;

// A link to be played: a worker's messages leave one after the other at `bandwidth`, and each
// arrives `latency` later. 0: as fast as the machine goes.
struct LinkLimit {
  double bandwidth_byte_per_s = 0.0;
  double latency_s = 0.0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Both return at once. The bytes belong to the transport until wait() has returned.
  [[nodiscard]] virtual Ticket send(const MessageKey& key, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Ticket receive(const MessageKey& key, std::span<std::byte> bytes) = 0;
  // Returns when the message has gone, or come. Throws CaseError where the two sides are of
  // different lengths, where the other side has failed, and after a timeout, naming the workers.
  virtual Passage wait(const Ticket& ticket) = 0;
  // What to add to now_s() so that the clocks of all workers agree.
  [[nodiscard]] virtual double clock_offset_s() const { return 0.0; }
};

}  // namespace qb
