// SPDX-License-Identifier: Apache-2.0
// Plays one worker of a plan in a process of its own, from its shard to rank 0's output. ranks: mpi
// and ranks: nccl share this; they differ in the device of a rank and in what carries its tensors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/execute/player/worker.h"

namespace qb {

struct RankReport {
  Status status = Status::ok;
  bool told = false;  // the failure came from another rank
  double duration_s = 0.0;
  double device_s = 0.0;
  WorkerTime time{};
  std::string message{};
};

// Plays worker `rank`. Rank 0 is the root too: it holds the whole sequence, scatters and gathers if
// the plan does, and puts the output together. If tokens start and end sharded, every rank makes
// its own shard, and the output is collected outside the measured time. It throws nothing: a
// failure reaches the other ranks through their waits, and all end the run together, so that the
// next one finds no stray messages. messages: carries tensors; may be `ranks`. kept: see
// WorkerPlayer::Tools.
[[nodiscard]] RankReport play_rank(const Plan& plan, const ExecutionArguments& arguments,
                                   AttentionDevice& device, Transport& messages,
                                   RankTransport& ranks, int rank, KeptCalls* kept = nullptr);

// Every rank of the MpiWorld, which must exist, calls it: the first `workers` ranks play, and rank
// 0 gets the execution, or the exception of any rank.
using RankPlay = std::function<RankReport(RankTransport& ranks, int rank)>;
[[nodiscard]] Execution play_over_mpi(const Plan& plan, int workers, double timeout_s,
                                      const RankPlay& play);

// Composes all ranks' reports. Throws the failure of the rank where it began, and names the rank.
[[nodiscard]] Execution execution_of(const Plan& plan, std::vector<RankReport> reports);

}  // namespace qb
