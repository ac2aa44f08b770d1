// SPDX-License-Identifier: Apache-2.0
// One of the workers that share an operator: it holds consecutive tokens, makes their state, takes
// part in the rounds of a scan (harness/plan/scan/), and then computes the output of its tokens.
// One worker alone has no rounds. Memory comes from the allocator with these labels, all of it when
// the worker is made, except what the kernels take:
//   q, k, v, …, output            the tensors of its tokens (mixer_tensors.h)
//   state, state_before           of its own tokens, and of those before
//   message_in, message_out       blocks of states: matrices of some heads, then their vectors
#pragma once

#include <vector>

#include "harness/execute/device/mixer_device.h"
#include "harness/execute/transport/transport.h"
#include "harness/plan/scan/scan_plan.h"
#include "harness/workload/mixer/mixer_tensors.h"

namespace qb {

// One of so many parts: the tokens of a worker, or the heads of a block of a state.
[[nodiscard]] Range part_of(std::int64_t count, int parts, int index);

// The bytes of a block of a state, whatever its worker.
[[nodiscard]] std::int64_t block_bytes(const MixerProblem& problem, int blocks, int block);

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

  // A run is receive() by all workers, so that no message waits for its receiver; then begin(), for
  // each round post() and await(), and finish().
  void receive(Transport& transport);
  void begin(MixerDevice& device, int threads);
  void post(int round, MixerDevice& device, Transport& transport);
  void await(int round, Transport& transport);
  void finish(MixerDevice& device, int threads, Transport& transport);

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
  };
  [[nodiscard]] OwnState take_state(const char* label) const;
  [[nodiscard]] MixerState heads_of(const MixerState& state, int block) const;
  [[nodiscard]] MixerState in_message(const Block& block) const;
  [[nodiscard]] KernelContext context(int threads) const { return {memory_, threads, index_}; }
  // to := the block of the state of these workers' tokens, or with `appends` that after it.
  void combine(const Range& workers, int block, const MixerState& to, bool appends,
               MixerDevice& device) const;

  const MixerProblem& problem_;
  const ScanPlan& plan_;
  const int index_;
  Allocator& memory_;
  MixerTensors tensors_;
  std::vector<ScanMessage> sends_;
  std::vector<ScanMessage> receives_;
  OwnState own_;
  OwnState before_;
  std::vector<Block> in_;         // by receive
  std::vector<Block> out_;        // one for sends of the same content
  std::vector<Ticket> incoming_;  // by receive
  std::vector<Ticket> outgoing_;
  Times times_;
};

}  // namespace qb
