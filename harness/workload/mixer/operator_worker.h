// SPDX-License-Identifier: Apache-2.0
// What the workers of an operator (mixer_share.h) have in common in a pass, whatever they exchange:
// the tensors of consecutive tokens, clocks, and messages in rounds.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "harness/forecast/scan_model.h"
#include "harness/plan/exchange/exchange_plan.h"
#include "harness/plan/pass.h"
#include "harness/run/device/mixer_device.h"
#include "harness/run/runner/run_workers.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

using ExchangeMessages = std::vector<std::vector<SizedMessage>>;

// Memory of messages comes from the allocator as message_in and message_out, when it is made. A run
// has a step for each round of messages, and one after the last.
class OperatorWorker : public StepWorker {
 public:
  // exchanges: each has rounds from 0 on. The tensors and the references must outlive it.
  OperatorWorker(const MixerProblem& problem, const MixerTensors& tensors,
                 const ExchangeMessages& exchanges, int index, Allocator& memory)
      : problem_(problem),
        index_(index),
        memory_(memory),
        arguments_(tensors.arguments()),
        gradients_(tensors.gradients()) {
    for (const std::vector<SizedMessage>& messages : exchanges) {
      for (const SizedMessage& m : messages) take(m);
      rounds_ += messages.back().round + 1;
    }
  }

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

  [[nodiscard]] int steps() const final { return rounds_ + 1; }
  void prepare() final {
    round_ = 0;
    time_ = {};
    time_.steps.resize(static_cast<std::size_t>(steps()));
    for (Parcel& in : in_) in.ticket = messages_->receive({in.from, index_, in.round}, in.bytes());
  }
  void begin(double begin_s) final { begin_s_ = step_begin_s_ = begin_s; }
  void compute_step() final { compute(round_); }
  void end_step() final {
    StepTime& step = step_time();
    double exposed_s = 0.0;
    for (const Parcel& in : in_)
      if (in.round == round_) (void)messages_->timed_wait(in.ticket, step.idle_s, exposed_s);
    if (round_ == rounds_)
      for (const Parcel& out : out_) (void)messages_->wait(out.ticket);
    // Nothing is computed while states are packed, sent and combined.
    const double end_s = now_s();
    const double lasted_s = end_s - std::exchange(step_begin_s_, end_s);
    step.communication_s = step.exposed_communication_s = lasted_s - step.compute_s - step.idle_s;
    ++round_;
  }
  void finish() final {
    time_.wall_s = step_begin_s_ - begin_s_;
    time_.compute_s = time_.sum_s(&StepTime::compute_s);
    if (at_end_) at_end_(time_);
  }
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
  // A message with its memory, from which all of one content are sent.
  struct Parcel : SizedMessage {
    std::shared_ptr<Buffer> memory;
    Ticket ticket{};
    [[nodiscard]] std::span<std::byte> bytes() const {
      return {memory->as<std::byte>(), memory->bytes()};
    }
  };
  // Sends what belongs to the round, after fill(parcel) where no earlier message has its content:
  // a worker may still read that.
  template <class Fill>
  void send(int round, const Fill& fill) {
    for (Parcel& out : out_) {
      if (out.round != round) continue;
      if (&*std::ranges::find(out_, out.memory, &Parcel::memory) == &out) fill(out);
      out.ticket = messages_->send({index_, out.to, round}, out.bytes());
    }
  }

  const MixerProblem& problem_;
  const int index_;
  Allocator& memory_;
  const MixerArguments arguments_;
  const MixerGradients gradients_;
  std::vector<Parcel> in_;  // with rounds of the whole pass, as `out_`
  int rounds_ = 0;

 private:
  void take(const SizedMessage& m) {
    if (m.from != index_ && m.to != index_) return;
    const bool leaves = m.from == index_;
    const auto same = std::ranges::find_if(out_, [&](const Parcel& out) {
      return leaves && out.tensor == m.tensor && out.part == m.part;
    });
    Parcel parcel{m, same != out_.end()
                         ? same->memory
                         : std::make_shared<Buffer>(memory_, static_cast<std::size_t>(m.bytes),
                                                    leaves ? "message_out" : "message_in", index_)};
    parcel.round += rounds_;
    (leaves ? out_ : in_).push_back(std::move(parcel));
  }
  [[nodiscard]] StepTime& step_time() { return time_.steps[static_cast<std::size_t>(round_)]; }

  MixerDevice* device_ = nullptr;
  int threads_ = 1;
  Transport* messages_ = nullptr;
  std::function<void(WorkerTime&)> at_end_;
  std::vector<Parcel> out_;
  WorkerTime time_;
  double begin_s_ = 0.0;
  double step_begin_s_ = 0.0;
  int round_ = 0;
};

// The bytes of a block of a state, whatever its worker. A block has some heads of the state where
// the operator is causal, and else some rows of every head.
[[nodiscard]] std::int64_t block_bytes(const MixerProblem& problem, const ExchangePlan& plan,
                                       int exchange, std::int64_t block);

// Makes a worker that holds consecutive tokens and shares states (mixer_worker.cpp). The
// references must outlive it, and those of make_axial_workers().
[[nodiscard]] std::unique_ptr<OperatorWorker> make_state_worker(const MixerProblem& problem,
                                                                const MixerTensors& tensors,
                                                                const ExchangeMessages& exchanges,
                                                                const ExchangePlan& plan, int index,
                                                                Allocator& memory);

// The change of layout that each round of a pass of axial is, or kGatherBias. Backwards dO goes to
// the columns, then Y, which is made again, and the gradient of Y comes back.
inline constexpr int kGatherBias = -1;  // each worker sends the rows of its columns to all others
[[nodiscard]] std::span<const int> axial_rounds(Pass pass, bool has_pair_bias);

// Makes the forward and the backward worker of axial attention (axial_worker.cpp), which share
// memory; without `backward`, the messages of that pass, only the first.
[[nodiscard]] std::pair<std::unique_ptr<OperatorWorker>, std::unique_ptr<OperatorWorker>>
make_axial_workers(const MixerProblem& problem, const MixerTensors& tensors,
                   const ExchangeMessages& forward, const ExchangeMessages* backward,
                   const AxialTensor& axial, int index, Allocator& memory);

}  // namespace qb
