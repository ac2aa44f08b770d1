// SPDX-License-Identifier: Apache-2.0
// The workers of an operator: all of them in this process, which one thread runs in turn or a
// thread each at once, or over MPI the one of this rank.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "harness/run/memory/memory_ledger.h"
#include "harness/workload/mixer/mixer_share.h"

namespace qb {

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
