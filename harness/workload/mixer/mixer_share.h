// SPDX-License-Identifier: Apache-2.0
// How the workers of a case share an operator (harness/plan/exchange/): states of consecutive
// tokens, or, of axial, its rows and its columns. One worker alone shares nothing,
// and of a backward pass only axial is shared.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/forecast/cluster.h"
#include "harness/forecast/device_model.h"
#include "harness/forecast/scan_model.h"
#include "harness/plan/exchange/exchange_plan.h"
#include "harness/run/memory/memory_ledger.h"
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

// A lower bound of the time that workers with a device each take for an operator. No kernel of this
// program was measured there, so it has the rates of datasheets and none of kernels:
//   compute_s   the worker's FLOP at the device's product rate, or its tensors once through the
//               device's memory, whichever takes longer
//   scan_s      the exchanges over the links (scan_model.h), one after the other; nothing
//               is computed meanwhile
struct MixerBound {
  double compute_s = 0.0;     // of the worker that takes longest
  double worker_sum_s = 0.0;  // without the exchanges
  double scan_s = 0.0;
};

// Throws Unsupported where the device has no product rate for the inputs' type.
[[nodiscard]] MixerBound mixer_bound(const MixerShare& share, const DeviceModel& device,
                                     const Network& network);

// The workers of an operator: all of them in this process, which one thread runs in turn or a
// thread each at once, or over MPI the one of this rank.
class MixerGroup {
 public:
  // Makes the workers, which take their memory from `memory`; the first run makes that of a rank.
  // The references must outlive it.
  MixerGroup(const MixerShare& share, Ranks ranks, MemoryLedger& memory);

  void fill(int threads);
  // Runs the pass once, with so many threads for the kernels of a worker. Over MPI every rank calls
  // it, rank 0 gets what is returned, and with `collects` what the pass wrote comes to rank 0
  // outside of the time. Throws the failure of any worker.
  Execution run(Pass pass, MixerDevice& device, int threads, const MemoryTransport::Options& links,
                bool collects);

  // The most that the device of a worker has held since the ledger's peaks were reset after the
  // workers were made; known at rank 0 after a run.
  [[nodiscard]] std::int64_t device_peak_bytes() const { return device_peak_bytes_; }
  [[nodiscard]] const MixerTensors& first_tensors() const { return workers_.front()->tensors; }
  // What the pass wrote of a worker's tokens, over MPI if it was collected.
  [[nodiscard]] std::vector<TensorView> written(Pass pass, int worker) const;

 private:
  void add_worker(int index);
  void collect(Pass pass, Transport& messages, int rank);

  const MixerShare& share_;
  const Ranks ranks_;
  MemoryLedger& memory_;
  std::vector<std::shared_ptr<CaseWorker>> workers_;  // of this process
  // What workers of other ranks wrote in each pass, by tensor, from worker 1 on.
  std::map<Pass, std::vector<std::vector<Tensor>>> others_;
  std::int64_t device_peak_bytes_ = 0;
};

}  // namespace qb
