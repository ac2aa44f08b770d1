// Executors play a plan: they hold the tensors, move them, call the kernel and merge.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "harness/execute/transport/transport.h"
#include "harness/plan/plan.h"
#include "kernels/allocator.h"
#include "kernels/attention.h"

namespace qb {

// Who plays the workers.
enum class Ranks {
  serial,   // one device plays each worker in turn, alone; the critical path is composed
  threads,  // one thread a worker, all at once; real wall clock
  mpi,      // one MPI process a worker, on any number of hosts; real, the slowest rank
  nccl,     // the same on a GPU each, see nccl_executor.h
  model,    // nobody: predicted, see model_executor.h
};

template <>
struct Words<Ranks> {
  static constexpr std::string_view what = "ranks";
  static constexpr std::pair<Ranks, std::string_view> table[] = {{Ranks::serial, "serial"},
                                                                 {Ranks::threads, "threads"},
                                                                 {Ranks::mpi, "mpi"},
                                                                 {Ranks::nccl, "nccl"},
                                                                 {Ranks::model, "model"}};
};

// Writes tokens of one of the inputs (Q, K or V), all heads of `heads` (of the tensor itself), into
// a view of that shape.
using ShardSource =
    std::function<void(TensorRole, const TokenGroup&, const HeadRange&, const TensorView&)>;

// The caller's tensors: whole sequences. out and lse are written whole. An MPI rank other than 0
// has none of them, but a ShardSource.
struct ExecutionArguments {
  TensorView q;
  TensorView k;
  TensorView v;
  TensorView out;  // f32
  TensorView lse;  // f32
  Kernel kernel = Kernel::flash;
  int threads = 1;                 // of the whole executor: `threads` deals them out to workers
  Allocator* allocator = nullptr;  // the memory ledger
  LinkLimit link{};                // threads: messages between workers are held back to this
  // Of each worker, as a part of the machine's, above 0 and at most 1; empty: all 1. A slower one
  // is emulated: after kernels and merges of what came it sleeps (1 / speed - 1) times as long as
  // they took, and the sleep counts as computing. Its copies out of the whole sequence and its
  // share of the last merge are not slowed.
  std::vector<double> worker_speeds{};
  double message_timeout_s = 300.0;
  ShardSource shard{};           // in place of q, k and v
  bool collect_output = true;    // mpi: bring a sharded output to rank 0, outside the measured time
  StageTimes* stages = nullptr;  // serial: what the kernel's stages took, added up
  bool guard_messages = false;   // hash every message: a buffer that is used too early is noticed
};

// In the order in which they come within a step: waiting for a peer that is not ready (idle) or for
// what is on its way (exposed), computing, and waiting for what was sent to have gone.
struct StepTime {
  double start_s = 0.0;                  // since all workers stood ready
  double compute_s = 0.0;                // kernels and merges
  double communication_s = 0.0;          // transfers, whether hidden or not
  double exposed_communication_s = 0.0;  // waited for
  double idle_s =
      0.0;  // waited for a peer; where a root gathers, also for the last of all at the end
};

struct WorkerTime {
  double gather_s = 0.0;   // its Q, K, V out of the whole sequence, where the plan scatters them
  double compute_s = 0.0;  // kernels
  double merge_s = 0.0;    // its partial into the output, or its share of the merge
  std::int64_t active_peak_bytes = 0;  // its own in the ledger, where the allocator is one
  std::vector<StepTime> steps;

  [[nodiscard]] double total_s() const { return gather_s + compute_s + merge_s; }
};

struct Execution {
  std::vector<WorkerTime> workers;
  double wall_s = 0.0;    // of the whole call; threads: from when all threads stand ready
  double device_s = 0.0;  // the same by the clock of a GPU; 0 on the CPU
  // threads: the wall clock. serial: composed by plan.synchronisation from times measured alone,
  // without the messages between workers,
  //   fork_join  max over workers of (gather + compute)
  //   rounds     max over workers of gather + sum over steps of the max over workers of compute
  // plus the merges of all workers, which the root does one after another.
  double critical_path_s = 0.0;
  // The rest is NaN where the workers were launched together, and `workers` is empty.
  double worker_sum_s = 0.0;  // sum of total_s over workers
  // Kernel time of the worker with the longest subsequence: what CQS-Attention's published speed-up
  // divides by. Transfers and merge are not in it.
  double longest_subsequence_s = 0.0;
  StageTimes stages{};  // of ExecutionArguments::stages
};

// Runs the plan once. Throws Unsupported where the executor cannot play it, OutOfMemory from the
// allocator. All memory beyond the arguments comes from the allocator with label and worker, and is
// given back before the return, also on a throw. The bits of the output depend on the plan, the
// kernel and its threads alone: serial and threads agree where the kernel does for their thread
// counts.
[[nodiscard]] Execution execute(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments);

}  // namespace qb
