// For tests only: expands a plan to its N x N pairs, the obvious and slow way, to stand beside the
// checker that works on groups.
#pragma once

#include <vector>

#include "harness/plan/plan.h"

namespace qb::testing_support {

// How many times each (query, key) pair is computed for head 0; row-major q_len x kv_len.
inline std::vector<int> pair_counts(const Plan& plan) {
  const auto n_keys = static_cast<std::size_t>(plan.problem.shape.kv_len);
  std::vector<int> counts(static_cast<std::size_t>(plan.problem.shape.q_len) * n_keys, 0);
  for (const Worker& worker : plan.workers) {
    for (const Step& step : worker.steps) {
      for (const PairTask& task : step.tasks) {
        const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
        const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
        for (std::int64_t i = 0; i < q.count; ++i)
          for (std::int64_t j = 0; j < k.count; ++j)
            if (task.allowed == Allowed::all || j <= i + task.offset)
              ++counts[static_cast<std::size_t>(q.token(i)) * n_keys +
                       static_cast<std::size_t>(k.token(j))];
      }
    }
  }
  return counts;
}

// True when each pair that the mask allows is computed once and no other pair at all.
inline bool covers_exactly_once(const Plan& plan) {
  const std::vector<int> counts = pair_counts(plan);
  const std::int64_t n_keys = plan.problem.shape.kv_len;
  for (std::int64_t q = 0; q < plan.problem.shape.q_len; ++q)
    for (std::int64_t k = 0; k < n_keys; ++k)
      if (counts[static_cast<std::size_t>(q * n_keys + k)] !=
          (plan.problem.mask.allows(q, k) ? 1 : 0))
        return false;
  return true;
}

inline Problem square_problem(std::int64_t n_tokens, MaskKind mask) {
  return make_problem({1, 2, 1, n_tokens, n_tokens, 8, 8}, mask, DType::f32, 1);
}

}  // namespace qb::testing_support
