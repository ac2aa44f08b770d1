// SPDX-License-Identifier: Apache-2.0
// One of the workers that share an operator: it holds consecutive tokens, makes their state, takes
// part in the rounds of a scan (harness/plan/scan/), and then computes the output of its tokens.
// Where workers exchange two states (nystrom), the rounds of the first come before it makes the
// second. One worker alone has no rounds. Memory comes from the allocator with these labels, all of
// it when the worker is made, except what the kernels take:
//   q, k, v, …, output            the tensors of its tokens (mixer_tensors.h)
//   state, state_joined           of its own tokens, and of all that it needs
//   message_in, message_out       blocks of states: parts of matrices, then of their vectors
#pragma once

#include <vector>

#include "harness/execute/device/mixer_device.h"
#include "harness/execute/transport/transport.h"
#include "harness/plan/scan/scan_plan.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// One of so many parts: the tokens of a worker, or the part of a state that is a block.
[[nodiscard]] Range part_of(std::int64_t count, int parts, int index);

// The bytes of a block of a state, whatever its worker. A block has some heads of the state where
// the operator is causal, and else some rows of every head.
[[nodiscard]] std::int64_t block_bytes(const MixerProblem& problem, const ScanPlan& plan,
                                       int exchange, int block);

class MixerWorker {
 public:
  struct Times {
    double compute_s = 0.0;  // kernels
    double mix_s = 0.0;      // part of it: the output
    double exposed_s = 0.0;  // waited for messages on their way
    double idle_s = 0.0;     // waited for a worker that was not ready
    double begin_s = 0.0;    // by now_s()
    double end_s = 0.0;
  };

  // The references must outlive it.
  MixerWorker(const MixerProblem& problem, const ScanPlan& plan, int index, Allocator& memory);

  [[nodiscard]] MixerTensors& tensors() { return tensors_; }
  [[nodiscard]] const Times& times() const { return times_; }

  // The rounds of all exchanges.
  [[nodiscard]] int rounds() const { return static_cast<int>(exchanges_.size()) * plan_.rounds(); }
  // A run is receive() by all workers, so that no message waits for its receiver; then begin(), for
  // each round post() and await(), and finish().
  void receive(Transport& transport);
  void begin(MixerDevice& device, int threads);
  void post(int round, MixerDevice& device, int threads, Transport& transport);
  void await(int round, Transport& transport);
  void finish(MixerDevice& device, int threads, Transport& transport);
  // All of it after receive(), for a worker with a thread or a process of its own.
  void play(MixerDevice& device, int threads, Transport& transport);

 private:
  struct OwnState {
    Tensor matrix{};
    Tensor vector{};
    [[nodiscard]] MixerState view() const { return {matrix.view(), vector.view()}; }
  };
  // A block of the state of some workers' tokens in a message.
  struct Block {
    Range workers;
    int block;
    Buffer memory;
    bool made = false;  // in this run, of those that are sent
    [[nodiscard]] bool holds(const ScanMessage& m) const {
      return workers == m.workers && block == m.block;
    }
  };
  struct Exchange {
    OwnState own{};
    OwnState joined{};
    std::vector<Block> in{};         // by receive
    std::vector<Block> out{};        // one for sends of the same content
    std::vector<Ticket> incoming{};  // by receive
  };
  [[nodiscard]] Exchange take_exchange(int exchange) const;
  [[nodiscard]] MixerState part_of_state(const MixerState& state, int block) const;
  [[nodiscard]] MixerState in_message(const Exchange& exchange, const Block& block) const;
  [[nodiscard]] KernelContext context(int threads) const { return {memory_, threads, index_}; }
  // The tensors, with what earlier exchanges gave.
  [[nodiscard]] MixerArguments arguments(int exchange) const;
  void make_state(int exchange, MixerDevice& device, int threads);
  // Makes the state that the worker needs of those that came.
  void join(int exchange, MixerDevice& device) const;
  // to := the block of the state of these workers' tokens.
  void combine(int exchange, const Range& workers, int block, const MixerState& to,
               MixerDevice& device) const;

  const MixerProblem& problem_;
  const ScanPlan& plan_;
  const int index_;
  Allocator& memory_;
  MixerTensors tensors_;
  std::vector<ScanMessage> sends_;
  std::vector<ScanMessage> receives_;
  std::vector<Exchange> exchanges_;  // none of one worker
  std::vector<Ticket> outgoing_;
  Times times_;
};

}  // namespace qb
