// SPDX-License-Identifier: Apache-2.0
// The workers of a run that compute at the same time: they begin together, fail together and end
// together. The first failure is stored and ends the waits of all other workers, which throw it; it
// is what the run throws. The workers are threads of this process (memory_transport.h), which all
// use one object, or processes of MPI (mpi_world.h), each with an object of its own.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/run/transport/transport.h"

namespace qb {

class WorkerTeam : public Transport {
 public:
  // Returns when all workers have called it, which they do once before their time counts; the
  // workers of a process may do so again. Returns that moment, by now_s().
  virtual double meet() { return now_s(); }
  // Makes the waits of the other workers throw this, unless another failure came before.
  virtual void fail(const std::exception_ptr& /*error*/) {}
  // Returns what another worker reported, if any. It checks without waiting.
  [[nodiscard]] virtual std::exception_ptr failure() { return nullptr; }
  // Every worker calls it last, also without meet() where it failed before. Over MPI it receives
  // all remaining messages, which only a failure leaves, so that all buffers are free. Throws
  // CaseError (timeout) if a worker does not come.
  virtual void close() {}
  [[nodiscard]] virtual bool is_closed() const { return true; }
};

// One worker alone, whose messages, if it has any, are always there: a rehearsal.
class NoTransport final : public WorkerTeam {
 public:
  Passage wait(const Ticket&) override { return {}; }
  [[nodiscard]] bool waits_on_device() const override { return true; }

 private:
  Ticket post(const MessageKey&, bool, std::span<std::byte>) override { return {}; }
};

// How the part of a worker has ended.
struct WorkerReport {
  Status status = Status::ok;
  bool is_others = false;  // the failure was reported by another worker
  std::string text{};      // what went wrong, or what the worker returned
};

// Runs the part of one worker, which calls meet(). It never throws: the first failure goes to the
// others and into the report, and close() ends the part in any case. messages: carries tensors; may
// be `team`. If the team is not closed after it, buffers of messages must outlive the process.
[[nodiscard]] WorkerReport run_worker(WorkerTeam& team, Transport& messages,
                                      const std::function<std::string()>& work);

// Runs the first `workers` ranks of the MpiWorld, all of whose ranks call it. Rank 0 gets what
// results() returns or throws. The others get nothing, but throw a CaseError too after a failure,
// so that none goes on without the others. Throws Unsupported where there are too few ranks.
using RankWork = std::function<WorkerReport(WorkerTeam& ranks, int rank)>;
[[nodiscard]] std::vector<std::string> run_over_mpi(int workers, double timeout_s,
                                                    const RankWork& work);

// Returns what each worker returned. Throws the failure of the rank where it began, and names the
// rank.
[[nodiscard]] std::vector<std::string> results(const std::vector<WorkerReport>& reports);

}  // namespace qb
