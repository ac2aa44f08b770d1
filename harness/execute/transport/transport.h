// SPDX-License-Identifier: Apache-2.0
// Moves messages between the workers of one plan while they compute.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "base/status.h"

namespace qb {

// A message that worker `to` receives in its step `step`; no two of a plan share a key.
struct MessageKey {
  int from = 0;
  int to = 0;
  int step = 0;
  bool late = false;  // it has results of the step before; false: tensors held at that step's start
  friend auto operator<=>(const MessageKey&, const MessageKey&) = default;
};

// When a message travelled, by now_s(). Before `started_s` one of the two sides was not ready.
struct Passage {
  double started_s = 0.0;
  double done_s = 0.0;
};

// One side of one message under way. Only the Transport that made it knows what it is.
using Ticket = std::shared_ptr<void>;

// An emulated link: a worker's messages leave one after another at `bandwidth`, and each arrives
// `latency` later. 0 means as fast as the machine allows.
struct LinkLimit {
  double bandwidth_byte_per_s = 0.0;
  double latency_s = 0.0;
  friend bool operator==(const LinkLimit&, const LinkLimit&) = default;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Both return at once. The bytes belong to the transport until wait() has returned.
  [[nodiscard]] Ticket send(const MessageKey& key, std::span<const std::byte> bytes) {
    return post(key, true, {const_cast<std::byte*>(bytes.data()), bytes.size()});
  }
  [[nodiscard]] Ticket receive(const MessageKey& key, std::span<std::byte> bytes) {
    return post(key, false, bytes);
  }
  // Returns when the message has left, or has come. Throws CaseError if the two sides have
  // different lengths, if the other side has failed, and after a timeout, and names the workers.
  virtual Passage wait(const Ticket& ticket) = 0;
  // This is added to now_s(), so that the clocks of all workers agree.
  [[nodiscard]] virtual double clock_offset_s() const { return 0.0; }

  // A worker on a GPU enqueues its work and continues: wait() then delays the GPU's later work, and
  // its passage is empty. Messages leave in groups, which flush() closes: first the early ones,
  // then the late ones. Every worker calls flush() in the same order.
  [[nodiscard]] virtual bool waits_on_device() const { return false; }
  virtual void flush(bool /*late*/) {}
  virtual void settle() {}  // waits for all of the GPU's work; throws what went wrong there
  // After a failure: no message moves any more, so that buffers can be freed.
  virtual void abandon() noexcept {}

 protected:
  // Only reads the bytes of an outgoing message.
  virtual Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) = 0;
};

// For a rehearsal, in which messages are always there.
class NoTransport final : public Transport {
 public:
  Passage wait(const Ticket&) override { return {}; }
  [[nodiscard]] bool waits_on_device() const override { return true; }

 private:
  Ticket post(const MessageKey&, bool, std::span<std::byte>) override { return {}; }
};

// Controls how processes that play one plan start, fail and end. This class itself is for a rank
// that plays alone; others override it, except for messages that something else carries.
class RankTransport : public Transport {
 public:
  Passage wait(const Ticket& /*ticket*/) override { return {}; }

  virtual void meet() {}  // returns when all have called it
  // Makes the waits of the other workers throw a CaseError of this status that names this rank.
  virtual void fail(Status /*status*/, const std::string& /*message*/) {}
  // Returns true if another worker has reported a failure.
  [[nodiscard]] virtual bool has_failed() const { return false; }
  // Returns that failure. It checks for one without waiting.
  [[nodiscard]] virtual std::optional<CaseError> failure() { return std::nullopt; }
  // Every worker calls it last: it receives all remaining messages, which only a failure leaves, so
  // that all buffers are free. Throws CaseError (timeout) if a worker does not come.
  virtual void close() {}
  [[nodiscard]] virtual bool is_closed() const { return true; }

 protected:
  Ticket post(const MessageKey& /*key*/, bool outgoing, std::span<std::byte> /*bytes*/) override {
    throw std::logic_error(outgoing ? "there is no other rank to send to"
                                    : "there is no other rank to receive from");
  }
};

}  // namespace qb
