#include "harness/plan/plan.h"

#include <algorithm>

#include "base/integers.h"

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

MaskBlock mask_block(const Plan& plan, const PairTask& task) {
  const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
  const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
  return {0, 0, {q.first, q.count, q.stride}, {k.first, k.count, k.stride}};
}

std::int64_t task_pairs(const Plan& plan, const PairTask& task) {
  const std::int64_t n_queries = plan.q_groups[static_cast<std::size_t>(task.q_group)].count;
  const std::int64_t n_keys = plan.kv_groups[static_cast<std::size_t>(task.kv_group)].count;
  if (task.allowed == Allowed::all) return n_queries * n_keys;
  if (task.allowed == Allowed::pattern)
    return count_pairs(plan.problem.mask, {mask_block(plan, task)}, {1024, 1024, 1024, true})
        .unmasked;
  return causal_pairs(n_queries, n_keys, task.offset);
}

std::int64_t worker_pairs(const Plan& plan, const Worker& worker) {
  std::int64_t pairs = 0;
  for (const Step& step : worker.steps)
    for (const PairTask& task : step.tasks) pairs += task_pairs(plan, task);
  return pairs;
}

bool communicates(const Plan& plan) {
  for (const Worker& worker : plan.workers)
    for (const Step& step : worker.steps)
      for (const Transfer& transfer : step.sends)
        if (transfer.peer != kRoot) return true;
  return false;
}

HeadRange kv_heads_of(const Shape& shape, const HeadRange& heads) {
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  return {heads.begin / group, ceil_div(heads.end, group)};
}

std::int64_t tokens_of(const std::vector<TokenGroup>& groups, const std::vector<int>& chosen) {
  std::int64_t tokens = 0;
  for (int group : chosen) tokens += groups[static_cast<std::size_t>(group)].count;
  return tokens;
}

std::int64_t tensor_bytes(const Problem& problem, TensorRole what, std::int64_t rows,
                          const HeadRange& heads) {
  const Shape& shape = problem.shape;
  const HeadRange kv = kv_heads_of(shape, heads);
  const std::int64_t q_rows = shape.batch * rows * (heads.end - heads.begin);
  const std::int64_t kv_rows = shape.batch * rows * (kv.end - kv.begin);
  switch (what) {
    case TensorRole::q:
      return q_rows * shape.head_dim * size_of(problem.dtype);
    case TensorRole::k:
      return kv_rows * shape.head_dim * size_of(problem.dtype);
    case TensorRole::v:
      return kv_rows * shape.value_dim * size_of(problem.dtype);
    case TensorRole::partial:
      return q_rows * (shape.value_dim + 1) * size_of(DType::f32);
    case TensorRole::row_max:
    case TensorRole::denominator:
      return q_rows * size_of(DType::f32);
    case TensorRole::numerator:
      return q_rows * shape.value_dim * size_of(DType::f32);
  }
  return 0;
}

}  // namespace qb
