// SPDX-License-Identifier: Apache-2.0
// Runs the workers that share a computation: attention of a plan, an operator, a layer. They go
// through their steps in turn in one thread, in a thread each, or in a process each; a loop of one
// place does it, and its caller gets the time of each worker.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/run/runner/executor.h"
#include "harness/run/transport/memory_transport.h"

namespace qb {

// A step is what a worker does between two synchronisations: it begins with what has come, computes
// and sends. Workers need not have equally many.
class StepWorker {
 public:
  virtual ~StepWorker() = default;
  [[nodiscard]] virtual int steps() const = 0;
  virtual void prepare() {}                  // before time counts
  virtual void begin(double /*begin_s*/) {}  // time counts since then, by now_s()
  virtual void begin_step() {}
  virtual void compute_step() = 0;
  virtual void end_step() {}
  virtual void finish() {}                                   // after the last step
  [[nodiscard]] virtual const WorkerTime& time() const = 0;  // of the last run
};

// Runs workers in this thread, each phase of a step of all before the next. team: the workers of a
// group, of which this thread has some; nullptr: it has all.
void run_steps(std::span<StepWorker* const> workers, WorkerTeam* team = nullptr);
inline void run_steps(StepWorker& worker, WorkerTeam* team = nullptr) {
  StepWorker* const one = &worker;
  run_steps({&one, 1}, team);
}

using MakeWorker = std::function<std::shared_ptr<StepWorker>(int worker, WorkerTeam& team)>;

// Runs a group of workers: serial, in turn; threads; or mpi, as run_over_mpi() does, where `group`
// counts only with its number of workers and its timeout. Throws the first failure of any worker.
// It lets go of the workers at the end, unless messages may still come into their memory. Returns
// their times, the wall clock of the slowest, and the sum of the wall clocks of all.
[[nodiscard]] Execution run_workers(Ranks ranks, const MemoryTransport::Options& group,
                                    const MakeWorker& make);

// Does so for the one worker of a process; it never throws: see run_worker(). messages: carries
// tensors; may be `ranks`.
[[nodiscard]] WorkerReport run_rank(WorkerTeam& ranks, Transport& messages,
                                    const std::function<std::shared_ptr<StepWorker>()>& make);
// Composes what run_rank() returned on all ranks; of none it is empty.
[[nodiscard]] Execution times_of_ranks(const std::vector<std::string>& results);

}  // namespace qb
