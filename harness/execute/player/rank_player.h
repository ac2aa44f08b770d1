// SPDX-License-Identifier: Apache-2.0
// Plays one worker of a plan in a process of its own, from its shard to rank 0's output. ranks: mpi
// and ranks: nccl share this; they differ in the device of a rank and in what carries its tensors.
#pragma once

#include <string>
#include <vector>

#include "harness/execute/player/worker.h"
#include "harness/execute/transport/worker_team.h"

namespace qb {

// Runs worker `rank`. Rank 0 is the root too: it holds the whole sequence, scatters and gathers if
// the plan does, and puts the output together. If tokens start and end sharded, every rank makes
// its own shard, and the output is collected outside the measured time. It never throws: see
// run_worker(). messages: carries tensors; may be `ranks`. kept: see WorkerPlayer::Tools.
[[nodiscard]] WorkerReport play_rank(const Plan& plan, const ExecutionArguments& arguments,
                                     AttentionDevice& device, Transport& messages,
                                     WorkerTeam& ranks, int rank, KeptCalls* kept = nullptr);

// What play_rank() returns besides failures.
[[nodiscard]] std::string bytes_of(const WorkerTime& time);

// Composes what all ranks returned; of none it is empty.
[[nodiscard]] Execution execution_of(const Plan& plan, const std::vector<std::string>& results);

}  // namespace qb
