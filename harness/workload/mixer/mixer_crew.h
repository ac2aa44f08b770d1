// SPDX-License-Identifier: Apache-2.0
// The workers of an operator, which one thread plays in turn or a thread each plays at once.
#pragma once

#include <memory>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/model/cluster.h"
#include "harness/workload/mixer/mixer_share.h"

namespace qb {

class MixerCrew {
 public:
  // Makes the workers, which take their memory from `memory`. The references must outlive it.
  MixerCrew(const MixerShare& share, MemoryLedger& memory);

  void fill(int threads);
  [[nodiscard]] const std::vector<MixerPlayer>& workers() const { return workers_; }
  // The most that the device of a worker has held since the ledger's peaks were reset after the
  // crew was made.
  [[nodiscard]] std::int64_t device_peak_bytes(const MemoryLedger& memory) const;

  // These run the pass once and return the wall clock. One after the other, each round of all
  // workers before the next; messages are copies.
  double run_in_turn(Pass pass, MixerDevice& device, int threads);
  double run_in_turn(Pass pass, MixerDevice& device, int threads, Transport& transport);
  // Each with a thread of its own and `threads` more for its kernels, from the moment all are
  // ready; messages are delayed to the links. If a worker fails, all end, and this throws its
  // error.
  [[nodiscard]] double run_at_once(Pass pass, MixerDevice& device, int threads,
                                   const Network& network, double timeout_s);
  // Returns the times of the last run of the pass.
  [[nodiscard]] std::vector<CrewMember::Times> times(Pass pass) const;

 private:
  [[nodiscard]] int n_workers() const { return static_cast<int>(workers_.size()); }

  std::vector<MixerPlayer> workers_;
  std::vector<std::int64_t> held_bytes_;  // by worker, before and after a run
};

}  // namespace qb
