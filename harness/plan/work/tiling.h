// From a worker's step to the kernel's tile schedule.
#pragma once

#include <vector>

#include "harness/plan/blocks.h"
#include "harness/plan/plan.h"
#include "kernels/tile_schedule.h"

namespace qb {

// Where each resident group lies in a worker's gathered, contiguous local tensors. Groups keep
// their ascending order, so local order is global order.
struct LocalLayout {
  std::vector<std::int64_t> q_begin;   // parallel to worker.q_groups
  std::vector<std::int64_t> kv_begin;  // parallel to worker.kv_groups
  std::int64_t q_tokens = 0;
  std::int64_t kv_tokens = 0;
};
[[nodiscard]] LocalLayout local_layout(const Plan& plan, const Worker& worker);

// True for the only worker of a plan that holds the whole sequence in order: it works on the
// caller's tensors, without a gather and without partials.
[[nodiscard]] bool works_in_place(const Plan& plan);

// The schedule of a kernel call over rows [q_begin, q_end) and [k_begin, k_end) of its blocks;
// query tiles of at most `query_tile` rows.
[[nodiscard]] TileSchedule call_schedule(const Plan& plan, const BlockTracker& blocks,
                                         const KernelCall& call, std::int64_t query_tile,
                                         const ScheduleChoice& choice = {});

}  // namespace qb
