// SPDX-License-Identifier: Apache-2.0
// ranks: nccl has one process for each GPU. A worker's messages are grouped NCCL transfers, which
// run while its GPU computes. MPI starts the processes and carries everything that is not a tensor.
//
// A step's sends that do not depend on its results leave before its kernels are enqueued; events
// delay the next step's work until its messages have come. The host only enqueues and looks for
// failures: the GPU copies rows, moves messages and merges.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/run/device/compute_device.h"
#include "harness/run/runner/kept_calls.h"
#include "harness/run/runner/rank_worker.h"
#include "harness/run/transport/device_link.h"

namespace qb {

// Returns the ordinal of the GPU for the `local_rank`-th rank of a host that sees n_gpus. A rank
// that sees a single GPU got it from its launcher. Throws Unsupported if there are too few.
[[nodiscard]] int gpu_of_local_rank(int local_rank, int n_gpus);
[[nodiscard]] int gpu_of_this_rank();  // the same for this process: 0 without MPI

// Runs worker `rank` over a link, as run_rank() does. arguments: views of device memory; rank 0
// needs the inputs if the plan scatters, and otherwise a ShardSource of the host.
[[nodiscard]] WorkerReport run_gpu_rank(const Plan& plan, const ExecutionArguments& arguments,
                                        AttentionDevice& device, DeviceLink& link,
                                        WorkerTeam& ranks, int rank, KeptCalls* kept = nullptr);

// This process's part in one case: a communicator among the first `workers` ranks of the MpiWorld,
// or, for one worker without an MpiWorld, alone. Every case makes its own communicator, outside the
// measured time. Cases of several workers could share one (a case of one worker has a process of
// its own), but its memory would then count in the gpu_memory_peak_bytes of the first case, and
// after a failure, which aborts it, all ranks would have to agree again on who still has it.
class NcclRank {
 public:
  struct Gpu {
    std::string name{};      // "NVIDIA H200"
    std::string id{};        // unique for this GPU on any host
    std::string why_none{};  // why this rank cannot take part; empty: it can
  };

  // Every rank of the world calls it. device: nullptr if this rank has none, with the reason. On
  // rank 0 it throws Unsupported, with a sentence, if the ranks cannot run together.
  NcclRank(int workers, ComputeDevice* device, std::string why_none, double timeout_s);

  // Every rank calls it, as execute(): rank 0 gets the execution, or the exception of any rank.
  // After a GPU was lost the world cannot be used again. The allocator of the first execution must
  // outlive this object, since it holds the tile lists for the next ones.
  [[nodiscard]] Execution execute(const Plan& plan, const ExecutionArguments& arguments);
  // Frees the lists that it holds for the next executions.
  void forget_lists() { kept_ = {}; }

 private:
  void open_link(int rank, int workers, const std::string& id);

  const int workers_;
  ComputeDevice* const device_;
  const double timeout_s_;
  std::string flaw_;  // why there is no link; the first execution reports it
  std::unique_ptr<DeviceLink> link_;
  KeptCalls kept_;
};

// Explains why the first `workers` of these ranks cannot run together, or returns an empty string.
// They can if the GPUs are of one kind and each belongs to one rank.
[[nodiscard]] std::string why_no_nccl(const std::vector<NcclRank::Gpu>& ranks, int workers);

}  // namespace qb
