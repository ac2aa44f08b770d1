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
#include "harness/execute/transport/transport.h"

namespace qb {

[[nodiscard]] bool launched_by_mpi();
[[nodiscard]] int launched_rank();  // 0 without a launcher; needs no MpiWorld

class MpiWorld {
 public:
  // Joins the other ranks. Throws EnvironmentError if qb was built without MPI or the library does
  // not support threads. A process may have one at a time.
  MpiWorld();
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  [[nodiscard]] static MpiWorld* current();  // nullptr if there is none

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

  // Gives rank 0's text to every rank. Every rank calls it, as it does the next two.
  [[nodiscard]] std::string broadcast(std::string text);
  // Gives rank 0 the text of each rank, and the others nothing. After timeout_s it throws CaseError
  // (timeout) on rank 0 and names the ranks that did not answer; the world cannot be used then.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text, double timeout_s);
  // Gives a transport to ranks 0 … workers - 1, and nullptr to the others. Throws as gather() does.
  // The `started_s` of a receive is when it was posted: the sender's time is in the message. That
  // of a send is its end: waiting for a send counts as waiting for the peer.
  [[nodiscard]] std::unique_ptr<RankTransport> make_transport(int workers, double timeout_s);

  [[nodiscard]] const std::map<int, int>& processes_here() const;  // process ids by rank

  // Returns true once a rank did not answer, or give_up() was called: only abort() may follow.
  [[nodiscard]] bool is_broken() const;
  void give_up();
  [[noreturn]] void abort(int code);  // ends all ranks at once, when one no longer answers

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace qb
