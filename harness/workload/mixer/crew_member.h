// SPDX-License-Identifier: Apache-2.0
// What the workers of a team (mixer_team.h) have in common in a pass, whatever they exchange: the
// tensors of consecutive tokens, clocks, and messages in rounds.
#pragma once

#include <span>
#include <vector>

#include "base/clock.h"
#include "harness/execute/device/mixer_device.h"
#include "harness/execute/transport/worker_team.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

class CrewMember {
 public:
  struct Times {
    double compute_s = 0.0;  // kernels
    double mix_s = 0.0;      // part of it: the last call, which makes the output
    double exposed_s = 0.0;  // waited for messages on their way
    double idle_s = 0.0;     // waited for a worker that was not ready
    double begin_s = 0.0;    // when all were ready, by now_s(); 0 where workers run in turn
    double end_s = 0.0;
  };

  // What a worker computes and sends with.
  struct Tools {
    MixerDevice& device;
    int threads;
    Transport& messages;
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
  // A run is receive() by all workers, so that no message waits for its receiver; then for each
  // round, and once after the last one, compute() and await(). compute() sends what others get in
  // the round, or ends the pass.
  void receive(Transport& messages);
  virtual void compute(int round, const Tools& tools) = 0;
  void await(int round, Transport& messages);
  // All of it, for a worker with a thread or a process of its own.
  void play(WorkerTeam& team, MixerDevice& device, int threads);

 protected:
  [[nodiscard]] KernelContext context(const Tools& tools) const {
    return {memory_, tools.threads, index_};
  }
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
  void send(int to, int round, std::span<const std::byte> bytes, const Tools& tools) {
    outgoing_.push_back(tools.messages.send({index_, to, round}, bytes));
  }

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
