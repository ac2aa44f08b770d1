// SPDX-License-Identifier: Apache-2.0
// What the workers of an operator (mixer_group.h) have in common in a pass, whatever they exchange:
// the tensors of consecutive tokens, clocks, and messages in rounds.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "harness/execute/device/mixer_device.h"
#include "harness/execute/player/run_workers.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// A run has a step for each round of messages, and one after the last.
class OperatorWorker : public StepWorker {
 public:
  // The tensors and the references must outlive it.
  OperatorWorker(const MixerProblem& problem, const MixerTensors& tensors, int index,
                 Allocator& memory)
      : problem_(problem),
        index_(index),
        memory_(memory),
        arguments_(tensors.arguments()),
        gradients_(tensors.gradients()) {}

  // What the next run computes and sends with. at_end: called when its time has ended.
  void use(MixerDevice& device, int threads, Transport& messages,
           std::function<void(WorkerTime&)> at_end) {
    device_ = &device;
    threads_ = threads;
    messages_ = &messages;
    at_end_ = std::move(at_end);
  }
  // The tensors were filled. Makes what others send unreadable.
  virtual void poison_what_comes() const {}
  // The rounds of messages in a run.
  [[nodiscard]] virtual int rounds() const = 0;

  [[nodiscard]] int steps() const final { return rounds() + 1; }
  void prepare() final;
  void begin(double begin_s) final { begin_s_ = begin_s; }
  void compute_step() final { compute(round_); }
  void end_step() final;
  void finish() final;
  [[nodiscard]] const WorkerTime& time() const final { return time_; }

 protected:
  // Sends what others get in the round, or, once after the last one, ends the pass.
  virtual void compute(int round) = 0;

  [[nodiscard]] MixerDevice& device() const { return *device_; }
  [[nodiscard]] KernelContext context() const { return {memory_, threads_, index_}; }
  // Calls work() and adds its time.
  template <class Work>
  void timed(const Work& work) {
    const double start_s = now_s();
    work();
    step_time().compute_s += now_s() - start_s;
  }
  // Each run gets a message here.
  void expect(int from, int round, std::span<std::byte> bytes) {
    incoming_.push_back({from, round, bytes, {}});
  }
  void send(int to, int round, std::span<const std::byte> bytes) {
    outgoing_.push_back(messages_->send({index_, to, round}, bytes));
  }

  const MixerProblem& problem_;
  const int index_;
  Allocator& memory_;
  const MixerArguments arguments_;
  const MixerGradients gradients_;

 private:
  struct Incoming {
    int from;
    int round;
    std::span<std::byte> bytes;
    Ticket ticket;
  };
  [[nodiscard]] StepTime& step_time() { return time_.steps[static_cast<std::size_t>(round_)]; }

  MixerDevice* device_ = nullptr;
  int threads_ = 1;
  Transport* messages_ = nullptr;
  std::function<void(WorkerTime&)> at_end_;
  std::vector<Incoming> incoming_;
  std::vector<Ticket> outgoing_;
  WorkerTime time_;
  double begin_s_ = 0.0;
  int round_ = 0;
};

// The backward pass of an operator on one worker, from the inputs and dO alone: mix_backward()
// keeps nothing of a forward pass.
class MixerBackward final : public OperatorWorker {
 public:
  using OperatorWorker::OperatorWorker;

  [[nodiscard]] int rounds() const override { return 0; }

 private:
  void compute(int /*round*/) override {
    timed([&] { device().mix_backward(problem_.options, arguments_, gradients_, context()); });
  }
};

}  // namespace qb
