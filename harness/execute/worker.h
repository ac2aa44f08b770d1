// What one worker does, whoever plays it: gather its tokens, compute its partial, give it to the
// whole. The executors differ only in who calls this when.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/execute/executor.h"
#include "harness/plan/tiling.h"

namespace qb {

// Seconds of a monotonic clock.
[[nodiscard]] double now_s();

// A worker's answer: the output of its local queries over the keys that it has seen.
struct Partial {
  Tensor out;
  Tensor lse;
};

// Plays worker `index` with `threads` threads: gathers into tensors q_local, k_local, v_local, runs
// its steps, and frees them again. The partial's tensors are out_partial and lse_partial. Fills in
// gather_s, compute_s and steps of `time`. A worker without tokens gives an empty partial.
[[nodiscard]] Partial play_worker(const Plan& plan, int index, const ExecutionArguments& arguments,
                                  int threads, WorkerTime& time);

// One step's kernel straight from and into the caller's tensors, for works_in_place() plans.
void play_in_place(const Plan& plan, const ExecutionArguments& arguments, WorkerTime& time);

// Merges the rows of one q group, which is the `position`-th of the worker's, into the output. The
// `first` partial of a group is copied: what the output held before does not matter.
void deliver_group(const Plan& plan, const Worker& worker, const LocalLayout& layout,
                   std::size_t position, const Partial& partial, bool first,
                   const ExecutionArguments& arguments);

// O = 0, LSE = -inf for a q group that no worker holds.
void clear_group(const Plan& plan, int group, const ExecutionArguments& arguments);

// Threads that copying or merging `bytes` is worth: starting one costs as much as copying about
// 100 KiB.
[[nodiscard]] int threads_for_bytes(std::int64_t bytes, int threads);

// One file each. arguments have been checked by execute().
[[nodiscard]] Execution execute_serial(const Plan& plan, const ExecutionArguments& arguments);
[[nodiscard]] Execution execute_threads(const Plan& plan, const ExecutionArguments& arguments);

}  // namespace qb
