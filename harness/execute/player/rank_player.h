// One worker of a plan in a process of its own, from its shard to rank 0's output: what ranks: mpi
// and ranks: nccl share. They differ in what a rank's tensors lie on and in what carries them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/execute/player/worker.h"

namespace qb {

// True where rank 0 holds the inputs when the work begins, and scatters them.
[[nodiscard]] bool is_scattered(const Plan& plan);

struct RankTools {
  WorkerDevice& device;
  Transport& messages;   // of tensors
  RankTransport& ranks;  // may be the same
};

// What a rank answers: numbers, then the text of a failure.
struct RankReport {
  Status status = Status::ok;
  bool told = false;  // the failure is another rank's
  double duration_s = 0.0;
  double device_s = 0.0;
  WorkerTime time;
  std::string message;
};
[[nodiscard]] std::string pack(const RankReport& report);
[[nodiscard]] RankReport unpack(const std::string& text);

// Plays worker `rank`. Rank 0 is the root too: it holds the whole sequence, scatters and gathers
// where the plan does, and puts the output together. Where tokens start and end sharded, every rank
// makes its own shard, and the output is collected outside the measured time.
//
// Throws nothing: a failure on one rank reaches the others through their waits, and all of them
// then end the run together, so that the next one finds no stray messages.
[[nodiscard]] RankReport play_rank(const Plan& plan, const ExecutionArguments& arguments,
                                   const RankTools& tools, int rank);

// Collective over the MpiWorld, which must be there: its first `workers` ranks play, and rank 0 has
// the execution, or what is thrown for any rank.
using RankPlay = std::function<RankReport(RankTransport& ranks, int rank)>;
[[nodiscard]] Execution play_over_mpi(const Plan& plan, int workers, double timeout_s,
                                      const RankPlay& play);

// Of all ranks' reports. Throws the failure that came first hand, naming its rank.
[[nodiscard]] Execution execution_of(const Plan& plan, std::vector<RankReport> reports);

}  // namespace qb
