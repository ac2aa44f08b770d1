// SPDX-License-Identifier: Apache-2.0
// One of the workers that share an operator: it holds consecutive tokens, makes their state, takes
// part in the rounds of a scan (harness/plan/exchange/), and then computes the output of its
// tokens. Where workers exchange two states (nystrom), the rounds of the first come before it makes
// the second. One worker alone has no rounds. Memory comes from the allocator with these labels,
// all of it when the worker is made, except what the kernels take:
//   state, state_joined           of its own tokens, and of all that it needs
//   message_in, message_out       blocks of states: parts of matrices, then of their vectors
#pragma once

#include <vector>

#include "harness/plan/exchange/exchange_plan.h"
#include "harness/workload/mixer/operator_worker.h"

namespace qb {

// The bytes of a block of a state, whatever its worker. A block has some heads of the state where
// the operator is causal, and else some rows of every head.
[[nodiscard]] std::int64_t block_bytes(const MixerProblem& problem, const ExchangePlan& plan,
                                       int exchange, std::int64_t block);

class MixerWorker final : public OperatorWorker {
 public:
  // The references must outlive it.
  MixerWorker(const MixerProblem& problem, const MixerTensors& tensors,
              const ExchangeMessages& exchanges, const ExchangePlan& plan, int index,
              Allocator& memory);

 private:
  void compute(int round) override;
  struct OwnState {
    Tensor matrix{};
    Tensor vector{};
    [[nodiscard]] MixerState view() const { return {matrix.view(), vector.view()}; }
  };
  struct Exchange {
    OwnState own{};
    OwnState joined{};
  };
  [[nodiscard]] MixerState part_of_state(const MixerState& state, std::int64_t block) const;
  [[nodiscard]] MixerState in_message(const Parcel& parcel) const;
  // The tensors, with what earlier exchanges gave.
  [[nodiscard]] MixerArguments arguments(int exchange) const;
  void make_state(int exchange);
  void end_pass();
  // Makes the state that the worker needs of those that came.
  void join(int exchange) const;
  // to := the part, which is one block.
  void combine(int exchange, const Part& part, const MixerState& to) const;

  const ExchangePlan& plan_;
  std::vector<Exchange> exchanges_;  // none of one worker
};

}  // namespace qb
