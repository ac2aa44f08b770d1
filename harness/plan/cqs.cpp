// CQS-Attention: cyclic quorum sets (Bian & Somani, IEEE Access 2025, section III).
//
// The sequence is cut into W contiguous groups. An interest set I (a difference cover of Z_W) gives
// worker k the quorum S_k = {(x + k) mod W : x in I}. Self-distillation leaves each unordered pair
// of groups to exactly one worker, which computes it in both directions, and worker k alone
// computes the diagonal block (k, k). Workers never talk to each other: the root scatters the
// tokens of the kept pairs (the material list) and gathers partials. What a worker holds but may
// not compute (the ban list) simply has no task.
//
// Under a causal mask one direction of each kept pair and half of the diagonal fall away, for every
// worker alike, so the balance stays.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/status.h"
#include "harness/plan/layout.h"
#include "harness/plan/strategy.h"
#include "interest_sets/distillation.h"

namespace qb {
namespace {

void require_workers(const Shape& shape, int workers) {
  if (workers < 3)
    throw Unsupported(
        fmt::format("cqs needs at least 3 workers (an interest set of W = {} does not "
                    "exist); for the whole sequence on one worker use dense",
                    workers));
  if (workers > std::min(shape.q_len, shape.kv_len))
    throw Unsupported(fmt::format("cqs with {} workers needs at least as many tokens; there are {}",
                                  workers, std::min(shape.q_len, shape.kv_len)));
}

InterestSet choose_interest_set(const StrategyOptions& options) {
  if (!options.interest_set) return default_interest_set(options.workers);
  if (options.interest_set->modulus != options.workers)
    throw UsageError(fmt::format("the interest set {} is for {} workers, not {}",
                                 to_string(*options.interest_set), options.interest_set->modulus,
                                 options.workers));
  verify(*options.interest_set);
  return *options.interest_set;
}

std::int64_t tokens_of(const std::vector<TokenGroup>& groups, const std::vector<int>& chosen) {
  std::int64_t tokens = 0;
  for (int group : chosen) tokens += groups[static_cast<std::size_t>(group)].count;
  return tokens;
}

// The scatter of Q, K and V of the material list and the gather of the partial O and LSE.
void add_transfers(const Plan& plan, const Worker& worker, Step& step) {
  const Shape& shape = plan.problem.shape;
  const std::int64_t element = size_of(plan.problem.dtype);
  const std::int64_t q_tokens = tokens_of(plan.q_groups, worker.q_groups) * shape.batch;
  const std::int64_t kv_tokens = tokens_of(plan.kv_groups, worker.kv_groups) * shape.batch;
  const HeadRange heads{0, shape.q_heads};
  const auto scatter = [&](TensorRole what, const std::vector<int>& groups, std::int64_t bytes) {
    step.receives.push_back({TransferKind::scatter, {kRoot}, what, groups, heads, bytes});
  };
  scatter(TensorRole::q, worker.q_groups, q_tokens * shape.q_heads * shape.head_dim * element);
  scatter(TensorRole::k, worker.kv_groups, kv_tokens * shape.kv_heads * shape.head_dim * element);
  scatter(TensorRole::v, worker.kv_groups, kv_tokens * shape.kv_heads * shape.value_dim * element);
  step.sends.push_back({TransferKind::gather,
                        {kRoot},
                        TensorRole::partial,
                        worker.q_groups,
                        heads,
                        q_tokens * shape.q_heads * (shape.value_dim + 1) * size_of(DType::f32)});
}

Worker make_worker(const Plan& plan, const InterestSet& set, int index) {
  const std::vector<GroupPair> kept = distill(set, index);
  std::vector<int> material = {index};
  Step step;
  const auto add_task = [&](int q_group, int kv_group) {
    if (const auto task = pair_task(plan.problem, plan.q_groups, plan.kv_groups, q_group, kv_group))
      step.tasks.push_back(*task);
  };
  add_task(index, index);
  for (const GroupPair& pair : kept) {
    material.push_back(pair.first);
    material.push_back(pair.second);
    add_task(pair.first, pair.second);
    add_task(pair.second, pair.first);
  }
  std::sort(material.begin(), material.end());
  material.erase(std::unique(material.begin(), material.end()), material.end());
  Worker worker{material, material, {}};
  add_transfers(plan, worker, step);
  worker.steps.push_back(std::move(step));
  return worker;
}

}  // namespace

Plan plan_cqs(const Problem& problem, const StrategyOptions& options) {
  require_workers(problem.shape, options.workers);
  const InterestSet set = choose_interest_set(options);
  Plan plan;
  plan.problem = problem;
  plan.algorithm = "cqs";
  plan.q_groups = contiguous_groups(problem.shape.q_len, options.workers);
  plan.kv_groups = contiguous_groups(problem.shape.kv_len, options.workers);
  plan.workers.reserve(static_cast<std::size_t>(options.workers));
  for (int index = 0; index < options.workers; ++index)
    plan.workers.push_back(make_worker(plan, set, index));
  return plan;
}

}  // namespace qb
