// SPDX-License-Identifier: Apache-2.0
// Executors run a plan: they hold the tensors, move them, call the kernel and merge the results.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/words.h"
#include "harness/plan/plan.h"
#include "harness/run/device/attention_device.h"
#include "harness/run/transport/link_model.h"
#include "kernels/allocator.h"
#include "kernels/attention.h"

namespace qb {

// How the workers are run.
enum class Ranks {
  serial,   // one device runs the workers in turn; the critical path is composed
  threads,  // one thread per worker, all at once; measures the wall clock
  mpi,      // one MPI process per worker, on any number of hosts; measures the slowest rank
  nccl,     // one process with a GPU per worker, see nccl_executor.h
  model,    // no worker runs: times are predicted, see model_simulation.h
};

QB_WORDS(Ranks, "ranks", serial, threads, mpi, nccl, model);

// How a GPU that runs workers in turn launches them.
enum class Launch {
  alone,     // each worker by itself, one after another: measures one worker, as on the CPU
  together,  // all workers of a plan, or of a round, in one launch; flash only
  graph,     // as together, but recorded as a CUDA graph and replayed
};

QB_WORDS(Launch, "launch", alone, together, graph);

// Writes tokens of Q, K, V or dO, for the heads (counted in that tensor), into a view of that
// shape.
using ShardSource =
    std::function<void(TensorRole, const TokenGroup&, const Range&, const TensorView&)>;

// Tensors hold whole sequences in the memory of the device that runs. A forward pass writes out
// and lse, a backward pass reads them and writes d_q, d_k and d_v; what is written is written
// whole. Where a plan works in place, a caller who has made D leaves out without data. A rank other
// than 0 has only a ShardSource, which writes in the host's memory.
struct ExecutionArguments {
  TensorView q;
  TensorView k;
  TensorView v;
  TensorView out;        // f32
  TensorView lse;        // f32, of problem.lse_kept numbers a row
  TensorView d_out{};    // of a backward pass, as are the next three; of the type of q
  TensorView d_q{};      // f32
  TensorView d_k{};      // f32
  TensorView d_v{};      // f32
  TensorView d_sinks{};  // f32, of each sequence and head, where the problem has sinks
  TensorView
      delta{};  // f32, D of all rows, of the caller; executors set it where a root scatters it
  Kernel kernel = Kernel::flash;
  int threads = 1;  // threads of the whole executor: `threads` shares them among workers
  Launch launch = Launch::alone;              // serial on a GPU
  ClockKind clock = ClockKind::synchronized;  // serial on a GPU
  Allocator* allocator = nullptr;             // the memory ledger
  // threads: messages between workers are delayed to these limits, see link_model.h.
  LinkLimit link{};
  Hosts hosts{};
  double message_timeout_s = 300.0;
  // Opens what runs the workers of this process, with this many threads; empty: the CPU.
  std::function<std::unique_ptr<AttentionDevice>(int threads)> open_device{};
  ShardSource shard{};          // in place of q, k and v
  bool collect_output = true;   // mpi: bring a sharded output to rank 0, outside the measured time
  bool guard_messages = false;  // hash every message, to notice a buffer that is used too early
};

// One of the caller's tensors of a pass.
struct CallerTensor {
  TensorView ExecutionArguments::*view;
  std::string_view name;
  DType dtype;
  Extent extent;
};
[[nodiscard]] std::vector<CallerTensor> caller_tensors(const Plan& plan);

// From the first beginning to the last end of something, since all workers were ready. NaN: there
// was none of it, or it is not known when.
struct TimeSpan {
  double start_s = std::numeric_limits<double>::quiet_NaN();
  double end_s = std::numeric_limits<double>::quiet_NaN();

  // Makes it hold this one too.
  void add(double from_s, double to_s) {
    if (from_s < start_s || std::isnan(start_s)) start_s = from_s;
    if (to_s > end_s || std::isnan(end_s)) end_s = to_s;
  }
};

// A worker first waits for a peer that is not ready (idle) or for a message on its way (exposed),
// then it computes, and finally it waits until its sends have left.
struct StepTime {
  double start_s = 0.0;                  // time since all workers were ready
  double compute_s = 0.0;                // kernels and merges
  double communication_s = 0.0;          // transfers, whether hidden or not
  double exposed_communication_s = 0.0;  // time spent waiting for transfers
  double idle_s =
      0.0;  // waited for a peer; where a root gathers, also for the last of all at the end
  TimeSpan compute{};  // with what is packed between two computations
  TimeSpan receive{};  // of the messages that the step computes with
  TimeSpan send{};     // of those that leave in the step or at its end
};

struct WorkerTotals {
  double gather_s = 0.0;  // copies its Q, K, V out of the whole sequence, if the plan scatters them
  double compute_s = 0.0;  // kernels
  double merge_s = 0.0;    // merges its partial into the output, or does its share of the merge
  std::int64_t active_peak_bytes = 0;  // the worker's peak, if the allocator is a ledger
  // The tensors that left it for others, each as long as its largest group makes the message, its
  // result among them where a root gathers; and those that a root scattered to it. Headers and
  // alignment do not count.
  std::int64_t sent_bytes = 0;
  std::int64_t from_root_bytes = 0;
  double wall_s = 0.0;  // as in Execution, of the worker; 0 where one device runs all in turn
  double device_s = 0.0;

  [[nodiscard]] double total_s() const { return gather_s + compute_s + merge_s; }
};

struct WorkerTime : WorkerTotals {
  std::vector<StepTime> steps{};

  [[nodiscard]] double sum_s(double StepTime::*part) const {
    double sum_s = 0.0;
    for (const StepTime& step : steps) sum_s += step.*part;
    return sum_s;
  }
};

struct Execution {
  std::vector<WorkerTime> workers;
  double wall_s = 0.0;    // whole call; threads: from the moment all threads are ready
  double device_s = 0.0;  // the same by a GPU's clock; 0 on the CPU
  double delta_s = 0.0;   // of wall_s: a root made D of all rows before it scattered
  // threads: the wall clock. serial: composed of the workers' times alone, without messages:
  //   fork_join  max over workers of (gather + compute)
  //   rounds     max over workers of gather + sum over steps of the max over workers of compute
  // plus the merges of all workers, which the root does one after another, and delta_s.
  double critical_path_s = 0.0;
  // The rest is NaN, and `workers` is empty, where the workers were launched together.
  double worker_sum_s = 0.0;  // delta_s and the sum of total_s over workers
  // Kernel time of the worker with the longest subsequence, without transfers and the merge.
  // CQS-Attention's published speed-up is divided by it.
  double longest_subsequence_s = 0.0;
  StageTimes stages{};  // serial: sums of the stage times of kernel staged
};

// Runs the plan once on the CPU. Throws Unsupported, and OutOfMemory from the allocator. All memory
// beyond the arguments comes from there and is freed before the return, also on a throw. The bits
// of the output depend only on the plan, the kernel and its threads: serial and threads agree if
// the kernel does for their thread counts.
[[nodiscard]] Execution execute(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments);

}  // namespace qb
