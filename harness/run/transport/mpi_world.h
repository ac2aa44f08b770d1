// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun or srun started: their ranks, texts between rank 0 and the others, and
// messages between workers. Only the two files of this class include the header of MPI.
//
// All calls are made under one lock. A separate thread keeps messages moving while the worker
// computes. It sleeps if there are none, so that waiting ranks leave the cores to others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/run/transport/worker_team.h"

namespace qb {

[[nodiscard]] bool launched_by_mpi();
[[nodiscard]] int launched_rank();  // 0 without a launcher; needs no MpiWorld

class MpiWorld {
 public:
  // Joins the other ranks. Throws EnvironmentError if qb was built without MPI or the library does
  // not support threads. A process may have one at a time.
  [[nodiscard]] static std::unique_ptr<MpiWorld> join();
  [[nodiscard]] static MpiWorld* current();  // nullptr if there is none
  virtual ~MpiWorld() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  // Gives rank 0's text to every rank. Every rank calls it, as it does the next two.
  [[nodiscard]] virtual std::string broadcast(std::string text) = 0;
  // Gives rank 0 the text of each rank, and the others nothing. After timeout_s it throws CaseError
  // (timeout) on rank 0 and names the ranks that did not answer; the world cannot be used then.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text,
                                                        double timeout_s) = 0;
  // Gives a transport to ranks 0 … workers - 1, and nullptr to the others. Throws as gather() does.
  // The `started_s` of a receive is when it was posted: the sender's time is in the message. That
  // of a send is its end: waiting for a send counts as waiting for the peer.
  [[nodiscard]] virtual std::unique_ptr<WorkerTeam> make_transport(int workers,
                                                                   double timeout_s) = 0;

  [[nodiscard]] virtual const std::map<int, int>& processes_here() const = 0;  // ids by rank

  // How many ranks of this host, this one too, may use a core that this one may use.
  [[nodiscard]] virtual int sharing_cores() const = 0;

  // Returns true once a rank did not answer, or give_up() was called: only abort() may follow.
  [[nodiscard]] virtual bool is_broken() const = 0;
  virtual void give_up() = 0;
  [[noreturn]] virtual void abort(int code) = 0;  // ends all ranks, when one no longer answers
};

}  // namespace qb
