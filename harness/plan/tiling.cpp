// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/tiling.h"

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
    total += group_at(groups, group).count;
  }
  return begin;
}

// A task and the rows of a call's tensors where its first query and first key lie.
struct PlacedTask {
  PairTask task;
  std::int64_t q_begin = 0;
  std::int64_t k_begin = 0;
};

TileSchedule schedule_of(const Plan& plan, std::int64_t n_queries, std::int64_t n_keys,
                         const std::vector<PlacedTask>& tasks, std::int64_t query_tile,
                         const ScheduleChoice& choice) {
  const Mask& mask = plan.problem.mask;
  if (mask.kind == MaskKind::pattern) {
    std::vector<MaskBlock> groups;
    for (const auto& [task, q_begin, k_begin] : tasks)
      groups.push_back({q_begin, k_begin, group_at(plan.q_groups, task.q_group),
                        group_at(plan.kv_groups, task.kv_group)});
    return build_mask_schedule(mask, n_queries, n_keys, std::move(groups), query_tile, choice);
  }
  std::vector<ScheduleBlock> rectangles;
  rectangles.reserve(tasks.size());
  for (const auto& [task, q_begin, k_begin] : tasks) {
    // j <= i + offset in the groups' own indices is k_begin + j <= q_begin + i + (k_begin - q_begin
    // + offset) in local positions.
    const bool causal = task.allowed == Allowed::causal;
    rectangles.push_back({q_begin, q_begin + group_at(plan.q_groups, task.q_group).count,
                          KeySpan{k_begin, k_begin + group_at(plan.kv_groups, task.kv_group).count,
                                  causal ? SpanKind::causal : SpanKind::full,
                                  causal ? k_begin - q_begin + task.offset : 0}});
  }
  return build_schedule(n_queries, n_keys, std::move(rectangles), query_tile);
}

}  // namespace

LocalLayout local_layout(const Plan& plan, const Worker& worker) {
  LocalLayout layout;
  layout.q_begin = begins(plan.q_groups, worker.q_groups, layout.q_tokens);
  layout.kv_begin = begins(plan.kv_groups, worker.kv_groups, layout.kv_tokens);
  return layout;
}

bool works_in_place(const Plan& plan) {
  const std::size_t n_sequences = segments_of(plan.problem).size();
  return plan.workers.size() == 1 && plan.workers[0].steps.size() == 1 &&
         plan.q_groups.size() == n_sequences && plan.kv_groups.size() == n_sequences;
}

TileSchedule call_schedule(const Plan& plan, const BlockTracker& blocks, const KernelCall& call,
                           std::int64_t query_tile, const ScheduleChoice& choice) {
  const Block& q = blocks.block(call.q_block);
  const Block& kv = blocks.block(call.kv_block);
  std::vector<PlacedTask> tasks;
  tasks.reserve(call.tasks.size());
  for (const PairTask& task : call.tasks)
    tasks.push_back(
        {task, q.begin_of(task.q_group) - call.q_begin, kv.begin_of(task.kv_group) - call.k_begin});
  return schedule_of(plan, call.q_end - call.q_begin, call.k_end - call.k_begin, tasks, query_tile,
                     choice);
}

TileSchedule task_schedule(const Plan& plan, const PairTask& task, std::int64_t query_tile) {
  return schedule_of(plan, group_at(plan.q_groups, task.q_group).count,
                     group_at(plan.kv_groups, task.kv_group).count, {{task, 0, 0}}, query_tile, {});
}

TensorView q_rows(const Plan& plan, const PairTask& task, const TensorView& tensor) {
  const TokenGroup& group = group_at(plan.q_groups, task.q_group);
  return tensor.tokens(group.first, group.count, group.stride)
      .heads(task.heads.begin, task.heads.end - task.heads.begin);
}

TensorView kv_rows(const Plan& plan, const PairTask& task, const TensorView& tensor) {
  const TokenGroup& group = group_at(plan.kv_groups, task.kv_group);
  const Range heads = kv_heads_of(plan.problem.shape, task.heads);
  return tensor.tokens(group.first, group.count, group.stride).heads(heads.begin, heads.count());
}

}  // namespace qb
