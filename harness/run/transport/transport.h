// SPDX-License-Identifier: Apache-2.0
// Moves messages between the workers of one plan while they compute.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <memory>
#include <span>

#include "base/clock.h"
#include "kernels/tensor.h"

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

// Splits the time of a wait for a message, and adds the parts: it is idle until both sides of the
// message were ready, and exposed from then on, while the message is on its way.
inline void split_wait(double begin_s, double ready_s, double end_s, double& idle_s,
                       double& exposed_s) {
  ready_s = std::clamp(ready_s, begin_s, end_s);
  idle_s += ready_s - begin_s;
  exposed_s += end_s - ready_s;
}

// The elements of a tensor whose rows follow each other, as a message has them.
[[nodiscard]] inline std::span<std::byte> bytes_of(const TensorView& view) {
  return {static_cast<std::byte*>(view.data), static_cast<std::size_t>(view.bytes())};
}

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
  // Does the same and adds the time that it took.
  Passage timed_wait(const Ticket& ticket, double& idle_s, double& exposed_s) {
    const double begin_s = now_s();
    const Passage passage = wait(ticket);
    split_wait(begin_s, passage.started_s, now_s(), idle_s, exposed_s);
    return passage;
  }
  // This is added to now_s(), so that the clocks of all workers agree.
  [[nodiscard]] virtual double clock_offset_s() const { return 0.0; }

  // A worker on a GPU enqueues its work and continues: wait() then delays the GPU's later work, and
  // its passage is empty. Messages leave in groups, which flush() closes: first the early ones,
  // then the late ones. Every worker calls flush() in the same order.
  [[nodiscard]] virtual bool waits_on_device() const { return false; }
  virtual void flush(bool /*late*/) {}
  virtual void settle() {}  // waits for all of the GPU's work; throws what went wrong there
  // After settle(): how long the messages of a step were under way.
  [[nodiscard]] virtual double communication_s(int /*step*/) const { return 0.0; }
  // After a failure: no message moves any more, so that buffers can be freed.
  virtual void abandon() noexcept {}

 protected:
  // Only reads the bytes of an outgoing message.
  virtual Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) = 0;
};

}  // namespace qb
