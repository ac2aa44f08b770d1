// SPDX-License-Identifier: Apache-2.0
// How the workers of a case share an operator (harness/plan/exchange/): states of consecutive
// tokens, or, of axial, its rows and its columns. One worker alone shares nothing,
// and of a backward pass only axial is shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/forecast/scan_model.h"
#include "harness/plan/exchange/exchange_plan.h"
#include "harness/workload/case.h"
#include "harness/workload/mixer/operator_worker.h"

namespace qb {

// A worker of a case: its tensors, and what it does in each pass.
struct CaseWorker {
  MixerTensors tensors;
  std::unique_ptr<OperatorWorker> forward{};
  std::unique_ptr<OperatorWorker> backward{};  // none unless the case has that pass
  std::int64_t held_bytes = 0;                 // before and after a run
  void fill(int threads) {
    tensors.fill(threads);
    forward->poison_what_comes();
  }
  [[nodiscard]] OperatorWorker& in(Pass pass) const {
    return pass == Pass::forward ? *forward : *backward;
  }
};

class MixerShare {
 public:
  // Throws Unsupported where so many workers cannot share it. `problem` must outlive it.
  MixerShare(const Case& c, const MixerProblem& problem);

  [[nodiscard]] const MixerProblem& problem() const { return problem_; }
  [[nodiscard]] int workers() const { return scan_.workers(); }
  // That the case times.
  [[nodiscard]] std::span<const Pass> passes() const { return passes_; }
  // The worker holds the inputs and what passes write of these.
  [[nodiscard]] Range tokens(int worker) const;
  // That the worker computes in the pass, without making states its own.
  [[nodiscard]] double flop(int worker, Pass pass) const;
  [[nodiscard]] MixerTensors tensors(int worker, bool with_gradients, Allocator& memory) const {
    return {problem_, tokens(worker), memory, worker, with_gradients};
  }
  // The worker takes its memory from there; what it refers to must outlive it.
  [[nodiscard]] CaseWorker worker(int index, Allocator& memory) const;

  // There are some with several workers, each with rounds from 0 on: a worker makes what it sends
  // in one after it has what the one before brings.
  [[nodiscard]] const ExchangeMessages& exchanges(Pass pass) const {
    return exchanges_[pass == Pass::forward ? 0 : 1];
  }
  // These are of the timed passes. The links' time is that of all exchanges, without computing.
  [[nodiscard]] int rounds() const;
  [[nodiscard]] double links_s(const Network& network) const;
  // What tokens leave to those of other workers, in all exchanges; none where no state is shared.
  [[nodiscard]] std::optional<std::int64_t> state_bytes() const;
  // The first error of the plan.
  [[nodiscard]] std::optional<std::string> flaw() const;

 private:
  [[nodiscard]] ExchangeMessages make_exchanges(Pass pass) const;

  const MixerProblem& problem_;
  const std::span<const Pass> passes_;
  ExchangePlan scan_;
  std::optional<AxialTensor> axial_;  // of axial on several workers; scan_ has no messages then
  ExchangeMessages exchanges_[2];
};

}  // namespace qb
