// SPDX-License-Identifier: Apache-2.0
// The worker of an operator that this process plays, as one of the ranks of MPI.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/player/rank_player.h"
#include "harness/workload/mixer/mixer_share.h"

namespace qb {

class MixerRank {
 public:
  // The references must outlive it.
  MixerRank(const MixerShare& share, MemoryLedger& memory) : share_(share), memory_(memory) {}

  // Every rank calls it; the first run takes the worker's memory and fills it. Returns, at rank 0,
  // the wall clock of the slowest rank since all were ready. With `collects` what the pass wrote
  // comes to rank 0, outside of that time. Throws Unsupported where there are too few ranks, and at
  // rank 0 the failure of any rank, with which the run of all ends.
  double run(Pass pass, MixerDevice& device, int threads, double timeout_s, bool collects);

  // What follows is of the last run, at rank 0.
  [[nodiscard]] const std::vector<CrewMember::Times>& times() const { return times_; }
  // The most that a rank held.
  [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }
  // What the pass wrote of a worker's tokens, if it was collected.
  [[nodiscard]] std::vector<TensorView> written(Pass pass, int worker) const;

 private:
  [[nodiscard]] RankReport play(Pass pass, RankTransport& ranks, int rank, MixerDevice& device,
                                int threads, bool collects);
  void collect(Pass pass, RankTransport& ranks, int rank);

  const MixerShare& share_;
  MemoryLedger& memory_;
  std::unique_ptr<MixerPlayer> worker_;  // none before the first run
  std::int64_t held_bytes_ = 0;          // by the worker, before and after a run
  // What workers from 1 on wrote in each pass.
  std::map<Pass, std::vector<std::vector<Tensor>>> others_;
  std::vector<CrewMember::Times> times_;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace qb
