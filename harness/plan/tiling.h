// SPDX-License-Identifier: Apache-2.0
// Turns a worker's step, or one task of it, into the kernel's tile schedule.
#pragma once

#include <vector>

#include "harness/plan/blocks.h"
#include "harness/plan/plan.h"
#include "kernels/tile_schedule.h"

namespace qb {

// The places of the resident groups in a worker's gathered, contiguous local tensors. Groups keep
// their ascending order, so local order is global order.
struct LocalLayout {
  std::vector<std::int64_t> q_begin;   // parallel to worker.q_groups
  std::vector<std::int64_t> kv_begin;  // parallel to worker.kv_groups
  std::int64_t q_tokens = 0;
  std::int64_t kv_tokens = 0;
};
[[nodiscard]] LocalLayout local_layout(const Plan& plan, const Worker& worker);

// Returns true if the plan has one worker that holds each sequence whole and in order: it works on
// the caller's tensors, without a gather and without partials.
[[nodiscard]] bool works_in_place(const Plan& plan);

// Returns the schedule of a call's rows and keys, in query tiles of at most `query_tile` rows.
[[nodiscard]] TileSchedule call_schedule(const Plan& plan, const BlockTracker& blocks,
                                         const KernelCall& call, std::int64_t query_tile,
                                         const ScheduleChoice& choice = {});

// One task by itself, for callers that run a plan over whole tensors: attention() computes
// task_schedule() from q_rows(Q), kv_rows(K) and kv_rows(V), and merge_partial() adds the partial
// to q_rows(O) and q_rows(LSE). The views point into the caller's memory.
[[nodiscard]] TileSchedule task_schedule(const Plan& plan, const PairTask& task,
                                         std::int64_t query_tile);
[[nodiscard]] TensorView q_rows(const Plan& plan, const PairTask& task, const TensorView& tensor);
[[nodiscard]] TensorView kv_rows(const Plan& plan, const PairTask& task, const TensorView& tensor);

}  // namespace qb
