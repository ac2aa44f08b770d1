#include "harness/plan/work/tiling.h"

#include <algorithm>
#include <utility>

namespace qb {
namespace {

std::vector<std::int64_t> begins(const std::vector<TokenGroup>& groups,
                                 const std::vector<int>& chosen, std::int64_t& total) {
  std::vector<std::int64_t> begin;
  begin.reserve(chosen.size());
  total = 0;
  for (int group : chosen) {
    begin.push_back(total);
    total += groups[static_cast<std::size_t>(group)].count;
  }
  return begin;
}

}  // namespace

LocalLayout local_layout(const Plan& plan, const Worker& worker) {
  LocalLayout layout;
  layout.q_begin = begins(plan.q_groups, worker.q_groups, layout.q_tokens);
  layout.kv_begin = begins(plan.kv_groups, worker.kv_groups, layout.kv_tokens);
  return layout;
}

bool works_in_place(const Plan& plan) {
  return plan.workers.size() == 1 && plan.workers[0].steps.size() == 1 &&
         plan.q_groups.size() == 1 && plan.kv_groups.size() == 1;
}

TileSchedule call_schedule(const Plan& plan, const BlockTracker& blocks, const KernelCall& call,
                           std::int64_t query_tile, const ScheduleChoice& choice) {
  const Block& q = blocks.block(call.q_block);
  const Block& kv = blocks.block(call.kv_block);
  const Mask& mask = plan.problem.mask;
  if (mask.kind == MaskKind::pattern) {
    std::vector<MaskBlock> groups;
    for (const PairTask& task : call.tasks) {
      groups.push_back(mask_block(plan, task));
      groups.back().q_begin = q.begin_of(task.q_group) - call.q_begin;
      groups.back().k_begin = kv.begin_of(task.kv_group) - call.k_begin;
    }
    return build_mask_schedule(mask, call.q_end - call.q_begin, call.k_end - call.k_begin,
                               std::move(groups), query_tile, choice);
  }
  std::vector<ScheduleBlock> rectangles;
  rectangles.reserve(call.tasks.size());
  for (const PairTask& task : call.tasks) {
    const std::int64_t q_begin = q.begin_of(task.q_group) - call.q_begin;
    const std::int64_t k_begin = kv.begin_of(task.kv_group) - call.k_begin;
    const std::int64_t q_end =
        q_begin + plan.q_groups[static_cast<std::size_t>(task.q_group)].count;
    const std::int64_t k_end =
        k_begin + plan.kv_groups[static_cast<std::size_t>(task.kv_group)].count;
    // j <= i + offset in the groups' own indices is k_begin + j <= q_begin + i + (k_begin - q_begin
    // + offset) in local positions.
    const bool causal = task.allowed == Allowed::causal;
    rectangles.push_back({q_begin, q_end,
                          KeySpan{k_begin, k_end, causal ? SpanKind::causal : SpanKind::full,
                                  causal ? k_begin - q_begin + task.offset : 0}});
  }
  return build_schedule(call.q_end - call.q_begin, call.k_end - call.k_begin, std::move(rectangles),
                        query_tile);
}

}  // namespace qb
