// The processes that mpirun or srun started: who they are, what rank 0 tells them, and the messages
// between workers. The only way to MPI: mpi_world.cpp and mpi_transport.cpp alone include its
// header.
//
// All calls are made under one lock. A thread of its own keeps messages moving while the worker
// computes, and sleeps where there are none, so that ranks which wait leave the cores to others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/execute/transport/transport.h"

namespace qb {

// True where a launcher has started this process as one of several (or one) ranks.
[[nodiscard]] bool launched_by_mpi();
// The rank that the launcher gave it, 0 without one. Needs no MpiWorld.
[[nodiscard]] int launched_rank();

class MpiTransport;

class MpiWorld {
 public:
  // Joins the other ranks. Throws EnvironmentError where qb was built without MPI or the library
  // gives no threads. One at a time in a process.
  MpiWorld();
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  // The one that exists, or nullptr.
  [[nodiscard]] static MpiWorld* current();

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  // "Open MPI v4.1.4 …"
  [[nodiscard]] std::string library() const;

  // Rank 0's text, on every rank. Collective, as are the next two.
  [[nodiscard]] std::string broadcast(std::string text);
  // On rank 0 the text of each rank, elsewhere nothing. Throws CaseError (timeout) on rank 0,
  // naming the ranks that were silent, after timeout_s; the world is of no use then.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text, double timeout_s);
  // A transport between ranks 0 … workers - 1; nullptr on the others. Throws CaseError (timeout) on
  // rank 0 where not all come; the world is of no use then.
  [[nodiscard]] std::unique_ptr<MpiTransport> make_transport(int workers, double timeout_s);

  // Process ids of the ranks on this host, by rank.
  [[nodiscard]] const std::map<int, int>& processes_here() const;

  // True once a rank did not answer, or give_up() was called: only abort() is left.
  [[nodiscard]] bool is_broken() const;
  void give_up();
  // Ends all ranks at once: for when one no longer answers.
  [[noreturn]] void abort(int code);

  struct State;

 private:
  friend class MpiTransport;
  std::unique_ptr<State> state_;
};

class MpiTransport final : public RankTransport {
 public:
  struct State;
  explicit MpiTransport(std::unique_ptr<State> state);
  ~MpiTransport() override;

  [[nodiscard]] Ticket send(const MessageKey& key, std::span<const std::byte> bytes) override;
  [[nodiscard]] Ticket receive(const MessageKey& key, std::span<std::byte> bytes) override;
  // `started_s` of a receive is when it was posted: the sender's time is in the message. That of a
  // send is its end: waiting for one counts as waiting for the peer.
  Passage wait(const Ticket& ticket) override;
  [[nodiscard]] double clock_offset_s() const override;

  void meet() override;
  void fail(Status status, const std::string& message) override;
  [[nodiscard]] bool has_failed() const override;
  [[nodiscard]] std::optional<CaseError> failure() override;
  void close() override;
  [[nodiscard]] bool is_closed() const override;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace qb
