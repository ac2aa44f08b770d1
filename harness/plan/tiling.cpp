#include "harness/plan/tiling.h"

#include <algorithm>
#include <stdexcept>

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

std::int64_t begin_of(const std::vector<int>& chosen, const std::vector<std::int64_t>& begin,
                      int group) {
  const auto at = std::lower_bound(chosen.begin(), chosen.end(), group);
  if (at == chosen.end() || *at != group)
    throw std::logic_error("a task names a group that its worker does not hold");
  return begin[static_cast<std::size_t>(at - chosen.begin())];
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

TileSchedule step_schedule(const Plan& plan, const Worker& worker, const Step& step,
                           std::int64_t query_tile) {
  const LocalLayout layout = local_layout(plan, worker);
  std::vector<ScheduleBlock> blocks;
  blocks.reserve(step.tasks.size());
  for (const PairTask& task : step.tasks) {
    const std::int64_t q_begin = begin_of(worker.q_groups, layout.q_begin, task.q_group);
    const std::int64_t k_begin = begin_of(worker.kv_groups, layout.kv_begin, task.kv_group);
    const std::int64_t q_end =
        q_begin + plan.q_groups[static_cast<std::size_t>(task.q_group)].count;
    const std::int64_t k_end =
        k_begin + plan.kv_groups[static_cast<std::size_t>(task.kv_group)].count;
    // j <= i + offset in the groups' own indices is k_begin + j <= q_begin + i + (k_begin - q_begin
    // + offset) in local positions.
    const bool causal = task.allowed == Allowed::causal;
    blocks.push_back({q_begin, q_end,
                      KeySpan{k_begin, k_end, causal ? SpanKind::causal : SpanKind::full,
                              causal ? k_begin - q_begin + task.offset : 0}});
  }
  return build_schedule(layout.q_tokens, layout.kv_tokens, std::move(blocks), query_tile);
}

}  // namespace qb
