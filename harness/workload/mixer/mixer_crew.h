// SPDX-License-Identifier: Apache-2.0
// The workers of an operator, which one thread plays in turn or a thread each plays at once.
#pragma once

#include <deque>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/model/cluster.h"
#include "harness/workload/mixer/mixer_worker.h"

namespace qb {

class MixerCrew {
 public:
  // Takes the memory of all workers. The references must outlive it.
  MixerCrew(const MixerProblem& problem, const ScanPlan& plan, MemoryLedger& memory);

  [[nodiscard]] std::deque<MixerWorker>& workers() { return workers_; }
  [[nodiscard]] const std::deque<MixerWorker>& workers() const { return workers_; }
  // What each worker holds before and after a run.
  [[nodiscard]] const std::vector<std::int64_t>& held_bytes() const { return held_bytes_; }

  // These run once and return the wall clock. One after the other, each round of all workers before
  // the next; messages are copies.
  [[nodiscard]] double run_in_turn(MixerDevice& device, int threads);
  // Each with a thread of its own and `threads` more for its kernels, from the moment all are
  // ready; messages are delayed to the links. If a worker fails, all end, and this throws its
  // error.
  [[nodiscard]] double run_at_once(MixerDevice& device, int threads, const Network& network,
                                   double timeout_s);

 private:
  const ScanPlan& plan_;
  std::deque<MixerWorker> workers_;
  std::vector<std::int64_t> held_bytes_;
};

}  // namespace qb
