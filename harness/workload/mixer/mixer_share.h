// SPDX-License-Identifier: Apache-2.0
// How the workers of a case share an operator (harness/plan/exchange/): states of parts of the
// sequence, or tokens for heads, or, of axial, its rows and its columns. One worker alone shares
// nothing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  std::vector<MixerTensors> tensors;  // by part
  PassWorkers passes{};               // no second one unless the case has a backward pass
  std::int64_t held_bytes = 0;        // before and after a run
  void fill(int threads) {
    for (MixerTensors& part : tensors) part.fill(threads);
    passes.first->poison_what_comes();
  }
  [[nodiscard]] OperatorWorker& in(Pass pass) const {
    return pass == Pass::forward ? *passes.first : *passes.second;
  }
};

class MixerShare {
 public:
  // Throws Unsupported where so many workers cannot share it. `problem` must outlive it.
  MixerShare(const Case& c, const MixerProblem& problem);

  [[nodiscard]] const MixerProblem& problem() const { return problem_; }
  [[nodiscard]] int workers() const { return scans_[0].workers(); }
  // The sequence has so many parts, numbered in the order of its tokens.
  [[nodiscard]] int parts() const { return static_cast<int>(owners_.size()); }
  [[nodiscard]] std::vector<int> parts_of(int worker) const;
  [[nodiscard]] int owner(int part) const { return owners_[static_cast<std::size_t>(part)]; }
  // The case times these.
  [[nodiscard]] std::span<const Pass> passes() const { return passes_; }
  // The part's worker holds the inputs and what passes write of these.
  [[nodiscard]] Range tokens(int part) const;
  // That the worker computes in the pass, without making states its own.
  [[nodiscard]] double flop(int worker, Pass pass) const;
  [[nodiscard]] std::vector<MixerTensors> tensors(int worker, bool with_gradients,
                                                  Allocator& memory) const;
  // The worker takes its memory from there; what it refers to must outlive it.
  [[nodiscard]] CaseWorker worker(int index, Allocator& memory) const;

  // There are some with several workers, each with rounds from 0 on: a worker makes what it sends
  // in one after it has what the one before brings.
  [[nodiscard]] const ExchangeMessages& exchanges(Pass pass) const {
    return exchanges_[of_pass(pass)];
  }
  // These are of the timed passes. The links' time is that of all exchanges, without computing.
  [[nodiscard]] int rounds() const;
  [[nodiscard]] double links_s(const Network& network) const;
  // What tokens leave to those of other workers, in all exchanges; none where no state is shared.
  [[nodiscard]] std::optional<std::int64_t> state_bytes() const;
  // The first error of the plan.
  [[nodiscard]] std::optional<std::string> flaw() const;

 private:
  [[nodiscard]] static std::size_t of_pass(Pass pass) { return pass == Pass::forward ? 0 : 1; }
  [[nodiscard]] ExchangeMessages make_exchanges(Pass pass) const;

  const MixerProblem& problem_;
  const std::span<const Pass> passes_;
  const std::vector<int> owners_;  // by part
  ExchangePlan scans_[2];          // by pass
  // On several workers there may be one of these, and then scans_ have no messages: of axial, or
  // from tokens to heads of the keys and back.
  std::optional<AxialTensor> axial_;
  std::vector<ExchangePlan> heads_;
  ExchangeMessages exchanges_[2];
};

// A lower bound of the time that workers with a device each take for an operator. No kernel of this
// program was measured there, so it has the rates of datasheets and none of kernels: it computes
// the FLOP of the worker that takes longest at the device's product rate, or moves its tensors once
// through the device's memory, whichever takes longer, and then the exchanges go over the links
// (scan_model.h), one after the other. Throws Unsupported where the device has no product rate for
// the inputs' type.
[[nodiscard]] Sample mixer_bound(const MixerShare& share, const DeviceModel& device,
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
  [[nodiscard]] const MixerTensors& first_tensors() const {
    return workers_.front()->tensors.front();
  }
  // What the pass wrote of a part's tokens, over MPI if it was collected.
  [[nodiscard]] std::vector<TensorView> written(Pass pass, int part) const;

 private:
  void add_worker(int index);
  void collect(Pass pass, Transport& messages, int rank);
  // What the pass wrote of a part of one of the workers of this process.
  [[nodiscard]] std::vector<TensorView> own(Pass pass, std::size_t worker, int part) const;

  const MixerShare& share_;
  const Ranks ranks_;
  MemoryLedger& memory_;
  std::vector<std::shared_ptr<CaseWorker>> workers_;  // of this process
  // What workers of other ranks wrote in each pass of each part.
  std::map<std::pair<Pass, int>, std::vector<Tensor>> others_;
  std::int64_t device_peak_bytes_ = 0;
};

}  // namespace qb
