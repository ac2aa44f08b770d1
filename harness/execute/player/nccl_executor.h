// ranks: nccl: one process a GPU, each worker's messages as grouped transfers of NCCL beside what
// its GPU computes. MPI starts the processes and carries what they say to each other beside the
// tensors.
//
// A step's sends that do not depend on its computing leave before its kernels are enqueued; the
// next step's work is held back by events until they have come. The host enqueues and looks out for
// failures only: rows, messages and the merge are the GPU's work.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/execute/device/compute_device.h"
#include "harness/execute/player/kept_calls.h"
#include "harness/execute/player/rank_player.h"
#include "harness/execute/transport/device_link.h"

namespace qb {

class MpiWorld;

// What a rank runs on.
struct RankGpu {
  std::string name;      // "NVIDIA H200"
  std::string id;        // of this one GPU, anywhere
  std::string why_none;  // why this rank cannot take part; empty: it can
};

// Why the first `workers` of these ranks cannot play together; empty where they can: GPUs of one
// kind, each of one rank.
[[nodiscard]] std::string why_no_nccl(const std::vector<RankGpu>& ranks, int workers);

// The ordinal of the GPU for the `local_rank`-th rank of a host that sees so many. One that sees a
// single GPU was given it by its launcher. Throws Unsupported where there are too few.
[[nodiscard]] int gpu_of_local_rank(int local_rank, int n_gpus);
// The same for this process: 0 without MPI.
[[nodiscard]] int gpu_of_this_rank();

// As play_rank(), over a device and a link to the others. arguments: views of device memory; rank 0
// needs the inputs where the plan scatters, and a ShardSource, of the host, where it does not.
// kept: what executions leave to each other; may be null.
[[nodiscard]] RankReport play_gpu_rank(const Plan& plan, const ExecutionArguments& arguments,
                                       ComputeDevice& device, DeviceLink& link,
                                       RankTransport& ranks, int rank, KeptCalls* kept = nullptr);

// This process's part in one case: a communicator among the first `workers` ranks of the MpiWorld,
// or, for one worker without an MpiWorld, with nobody.
//
// Every case makes a communicator of its own, outside of what is timed. One worker's cases run in
// processes of their own; those of several could share one, but the memory that it takes would then
// be in the device_memory_peak_bytes of whichever case comes first, and after a failure, which
// aborts it, all ranks would have to agree again on who still has it.
class NcclRank {
 public:
  // Collective over the world. device: nullptr where this rank has none, and why. Throws on rank 0
  // where the ranks cannot play together, Unsupported with a sentence; elsewhere nothing.
  NcclRank(int workers, ComputeDevice* device, std::string why_none, double timeout_s);
  ~NcclRank();
  NcclRank(const NcclRank&) = delete;
  NcclRank& operator=(const NcclRank&) = delete;

  // Collective, as execute(): rank 0 has the execution, or what is thrown for any rank. After a
  // GPU was lost the world is of no use. The allocator of the first execution must outlive this:
  // it holds the tile lists for the next ones.
  [[nodiscard]] Execution execute(const Plan& plan, const ExecutionArguments& arguments);

 private:
  void open_link(int rank, int workers, const std::string& id);

  const int workers_;
  ComputeDevice* const device_;
  const double timeout_s_;
  std::string flaw_;  // why there is no link; told in the first execution
  std::unique_ptr<DeviceLink> link_;
  KeptCalls kept_;
};

}  // namespace qb
