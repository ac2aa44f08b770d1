// SPDX-License-Identifier: Apache-2.0
// The workers of an operator: all of them in this process, which one thread runs in turn or a
// thread each at once, or over MPI the one of this rank.
#pragma once

#include <map>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/model/cluster.h"
#include "harness/execute/transport/worker_team.h"
#include "harness/workload/mixer/mixer_share.h"

namespace qb {

class MixerTeam {
 public:
  // Makes the workers, which take their memory from `memory`; the first run makes that of a rank.
  // The references must outlive it.
  MixerTeam(const MixerShare& share, Ranks ranks, MemoryLedger& memory);

  void fill(int threads);
  // Runs the pass once, with so many threads for the kernels of a worker, and returns the wall
  // clock since all were ready. In turn, messages are copies; between threads they are delayed to
  // the links. Over MPI every rank calls it, rank 0 gets what is returned, and with `collects` what
  // the pass wrote comes to rank 0 outside of that time. Throws the failure of any worker.
  double run(Pass pass, MixerDevice& device, int threads, const Network& network, double timeout_s,
             bool collects);
  // One worker after the other, each round of all before the next.
  double run_in_turn(Pass pass, const CrewMember::Tools& tools);

  // What follows is of the last run, at rank 0.
  [[nodiscard]] const std::vector<CrewMember::Times>& times() const { return times_; }
  // The most that the device of a worker has held since the ledger's peaks were reset after the
  // workers were made.
  [[nodiscard]] std::int64_t device_peak_bytes() const;
  [[nodiscard]] const MixerTensors& first_tensors() const { return workers_.front().tensors; }
  // What the pass wrote of a worker's tokens, over MPI if it was collected.
  [[nodiscard]] std::vector<TensorView> written(Pass pass, int worker) const;

 private:
  void add_worker(int index);
  [[nodiscard]] WorkerReport run_rank(Pass pass, WorkerTeam& ranks, int rank, MixerDevice& device,
                                      int threads, bool collects);
  void collect(Pass pass, WorkerTeam& ranks, int rank);

  const MixerShare& share_;
  const Ranks ranks_;
  MemoryLedger& memory_;
  std::vector<MixerPlayer> workers_;      // of this process
  std::vector<std::int64_t> held_bytes_;  // by each of them, before and after a run
  // What workers of other ranks wrote in each pass, by tensor, from worker 1 on.
  std::map<Pass, std::vector<std::vector<Tensor>>> others_;
  std::vector<CrewMember::Times> times_;
  std::int64_t rank_peak_bytes_ = 0;  // the most of any rank
};

}  // namespace qb
