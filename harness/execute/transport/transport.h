// Moves messages between the workers of one plan while they compute.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"

namespace qb {

// A message that worker `to` receives in its step `step`; no two of a plan share a key.
struct MessageKey {
  int from = 0;
  int to = 0;
  int step = 0;
  bool late = false;  // of what the step before computed, not of what it held from its start
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

  // A worker on a GPU gives its work away and goes on: wait() then holds back what the GPU is given
  // later, and says nothing of the passage. Messages leave in groups, which flush() closes: first
  // those that are not late, then the late ones, and every worker comes to its flushes in the same
  // order.
  [[nodiscard]] virtual bool waits_on_device() const { return false; }
  virtual void flush(bool /*late*/) {}
  // Returns when the GPU has done all that it was given. Throws what went wrong there.
  virtual void settle() {}
  // After a failure: nothing more comes or goes, so that buffers can go.
  virtual void abandon() noexcept {}
};

// Between processes that play one plan together: how they start, fail and end.
class RankTransport : public Transport {
 public:
  // Returns when all have called it.
  virtual void meet() = 0;
  // Tells the other workers that this one has failed: their waits throw a CaseError of this status
  // that names the rank.
  virtual void fail(Status status, const std::string& message) = 0;
  // True where another worker has said that it failed.
  [[nodiscard]] virtual bool has_failed() const = 0;
  // What that was. Looks, for one who does not wait.
  [[nodiscard]] virtual std::optional<CaseError> failure() = 0;
  // Collective, and the last call: takes what is still on its way, so that all buffers are free.
  // Without a failure there is nothing. Throws CaseError (timeout) where a worker does not come.
  virtual void close() = 0;
  [[nodiscard]] virtual bool is_closed() const = 0;
};

}  // namespace qb
