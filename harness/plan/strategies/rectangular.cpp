// SPDX-License-Identifier: Apache-2.0
// Attention by rectangles, for tensors that lie in a memory tier and not in the worker's memory
// (FlashAttention's loops, one level further out): of one key-value head with its query heads at a
// time, a block of queries stays while the blocks of keys and values pass by, each fetched while
// the one before is computed; then O and LSE of the block are final and go back. Every worker takes
// each W-th block of queries. It holds one block of Q, O and LSE and two of K and V, each of N /
// (blocks of all workers) tokens; K and V of a head are fetched once for each block of queries.
#include <fmt/format.h>

#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

constexpr int kBlocks = 8;                    // of a worker's queries
constexpr std::int64_t kMostSteps = 1 << 18;  // all are spelt out

}  // namespace

Plan plan_rectangular(const Problem& problem, const StrategyOptions& options) {
  PlanBuilder builder(problem, "rectangular", options.workers);
  Plan& plan = builder.plan;
  plan.result = Result::tier;
  const auto asked = static_cast<int>(options.keys.integer("grid_rows"));
  const std::int64_t blocks = std::int64_t{asked > 0 ? asked : kBlocks} * options.workers;
  if (problem.shape.kv_heads * blocks * blocks > kMostSteps)
    throw Unsupported(fmt::format(
        "rectangular of {} key-value heads and {} blocks has more than {} steps; take fewer "
        "workers, or blocks of a worker (grid.rows)",
        problem.shape.kv_heads, blocks, kMostSteps));
  const Shards shards = deal_contiguous(plan, static_cast<int>(blocks));
  std::vector<int> q_lists;
  std::vector<int> kv_lists;
  for (const std::vector<int>& block : shards.q) q_lists.push_back(builder.add_list(block));
  for (const std::vector<int>& block : shards.kv) kv_lists.push_back(builder.add_list(block));
  const std::int64_t group = problem.shape.q_heads / problem.shape.kv_heads;
  for (std::int64_t head = 0; head < problem.shape.q_heads; head += group)
    for (std::size_t b = 0; b < shards.q.size(); ++b) {
      if (shards.q[b].empty()) continue;
      const Range heads{head, head + group};
      std::vector<Step>& steps = builder.worker(static_cast<int>(b) % options.workers).steps;
      const auto fetch = [&](std::size_t step, TensorRole what, int list, std::size_t until) {
        Transfer& transfer = steps[step].receives.emplace_back(
            builder.transfer({TransferKind::fetch, what, list, heads}, kTier, 0));
        transfer.delay = step > 0 ? 1 : 0;
        transfer.until = static_cast<int>(until);
      };
      const std::size_t first = steps.size();
      for (std::size_t k = 0; k < shards.kv.size(); ++k) {
        Step step;
        for (const int q : shards.q[b])
          for (const int kv : shards.kv[k]) builder.add_task(step, q, kv, heads);
        if (step.tasks.empty()) continue;
        steps.push_back(std::move(step));
        for (const TensorRole what : kKeyInputs)
          fetch(steps.size() - 1, what, kv_lists[k], steps.size() - 1);
      }
      if (steps.size() > first)
        fetch(first, TensorRole::q, q_lists[b], steps.size() - 1);
      else
        steps.emplace_back();  // the mask leaves nothing: O is 0
      steps.back().sends.push_back(builder.transfer(
          {TransferKind::write_back, TensorRole::partial, q_lists[b], heads}, kTier, 0));
    }
  return std::move(plan);
}

}  // namespace qb
