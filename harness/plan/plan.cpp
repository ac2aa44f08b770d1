#include "harness/plan/plan.h"

#include <algorithm>

namespace qb {

std::int64_t causal_pairs(std::int64_t n_queries, std::int64_t n_keys, std::int64_t offset) {
  // Row i sees clamp(i + offset + 1, 0, n_keys) keys: nothing before `first`, a ramp from `first`
  // to `full`, and every key from `full` on.
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, n_queries);
  const std::int64_t full = std::clamp<std::int64_t>(n_keys - 1 - offset, first, n_queries);
  const __int128 ramp_rows = full - first;
  const __int128 ramp = ramp_rows * (first + offset + 1 + full + offset) / 2;
  return static_cast<std::int64_t>(ramp + static_cast<__int128>(n_queries - full) * n_keys);
}

std::int64_t task_pairs(const Plan& plan, const PairTask& task) {
  const std::int64_t n_queries = plan.q_groups[static_cast<std::size_t>(task.q_group)].count;
  const std::int64_t n_keys = plan.kv_groups[static_cast<std::size_t>(task.kv_group)].count;
  if (task.allowed == Allowed::all) return n_queries * n_keys;
  return causal_pairs(n_queries, n_keys, task.offset);
}

std::int64_t worker_pairs(const Plan& plan, const Worker& worker) {
  std::int64_t pairs = 0;
  for (const Step& step : worker.steps)
    for (const PairTask& task : step.tasks) pairs += task_pairs(plan, task);
  return pairs;
}

}  // namespace qb
