// SPDX-License-Identifier: Apache-2.0
// What the workers of a crew (mixer_crew.h) have in common in a pass, whatever they exchange: the
// tensors of consecutive tokens, clocks, and messages in rounds.
#pragma once

#include <span>
#include <vector>

#include "base/clock.h"
#include "harness/execute/device/mixer_device.h"
#include "harness/execute/transport/transport.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// The elements of a tensor whose rows follow each other, as a message has them.
[[nodiscard]] inline std::span<std::byte> bytes_of(const TensorView& view) {
  return {static_cast<std::byte*>(view.data), static_cast<std::size_t>(view.bytes())};
}

class CrewMember {
 public:
  struct Times {
    double compute_s = 0.0;  // kernels
    double mix_s = 0.0;      // part of it: the last call, which makes the output
    double exposed_s = 0.0;  // waited for messages on their way
    double idle_s = 0.0;     // waited for a worker that was not ready
    double begin_s = 0.0;    // by now_s()
    double end_s = 0.0;
  };

  // The tensors and the references must outlive it.
  CrewMember(const MixerProblem& problem, const MixerTensors& tensors, int index, Allocator& memory)
      : problem_(problem),
        index_(index),
        memory_(memory),
        arguments_(tensors.arguments()),
        gradients_(tensors.gradients()) {}
  virtual ~CrewMember() = default;

  [[nodiscard]] const Times& times() const { return times_; }

  // The tensors were filled. Makes what others send unreadable.
  virtual void poison_what_comes() const {}
  // The rounds of messages in a run.
  [[nodiscard]] virtual int rounds() const = 0;
  // A run is receive() by all workers, so that no message waits for its receiver; then begin(), for
  // each round post() and await(), and finish().
  void receive(Transport& transport);
  virtual void begin(MixerDevice& device, int threads) = 0;
  virtual void post(int round, MixerDevice& device, int threads, Transport& transport) = 0;
  void await(int round, Transport& transport);
  virtual void finish(MixerDevice& device, int threads, Transport& transport) = 0;
  // All of it after receive(), for a worker with a thread or a process of its own.
  void play(MixerDevice& device, int threads, Transport& transport);

 protected:
  [[nodiscard]] KernelContext context(int threads) const { return {memory_, threads, index_}; }
  // Calls compute() and adds its time.
  template <class Compute>
  void time(const Compute& compute) {
    const double start_s = now_s();
    compute();
    times_.mix_s = now_s() - start_s;
    times_.compute_s += times_.mix_s;
  }
  // Each run gets a message here.
  void expect(int from, int round, std::span<std::byte> bytes) {
    incoming_.push_back({from, round, bytes, {}});
  }
  void send(int to, int round, std::span<const std::byte> bytes, Transport& transport) {
    outgoing_.push_back(transport.send({index_, to, round}, bytes));
  }
  void end(Transport& transport);  // when all messages have left

  const MixerProblem& problem_;
  const int index_;
  Allocator& memory_;
  const MixerArguments arguments_;
  const MixerGradients gradients_;
  Times times_;

 private:
  struct Incoming {
    int from;
    int round;
    std::span<std::byte> bytes;
    Ticket ticket;
  };

  std::vector<Incoming> incoming_;
  std::vector<Ticket> outgoing_;
};

}  // namespace qb
