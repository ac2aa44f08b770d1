// SPDX-License-Identifier: Apache-2.0
// One worker of a plan in a process of its own, from its shard to rank 0's output. ranks: mpi and
// ranks: nccl share this; they differ in the device of a rank and in what carries its tensors.
#pragma once

#include <memory>

#include "harness/run/runner/worker.h"

namespace qb {

// Makes worker `rank`. Rank 0 is the root too: it holds the whole sequence, scatters and gathers if
// the plan does, and puts the output together. If tokens start and end sharded, every rank makes
// its own shard, and the output is collected outside the measured time. kept: see
// WorkerRunner::Tools. The references must outlive it.
[[nodiscard]] std::shared_ptr<StepWorker> make_rank_worker(const Plan& plan,
                                                           const ExecutionArguments& arguments,
                                                           std::shared_ptr<AttentionDevice> device,
                                                           Transport& messages, int rank,
                                                           KeptCalls* kept = nullptr);

// At a root all workers wait for the one that ends last: adds that to the times of ranks.
[[nodiscard]] Execution with_waits_at_root(const Plan& plan, Execution execution);

}  // namespace qb
