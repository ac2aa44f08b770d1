// SPDX-License-Identifier: Apache-2.0
// All-gather of keys and values, like the context parallelism of Llama 3's training (arXiv
// 2407.21783, section 3.3.2): tokens are dealt as in the zigzag ring; every worker first collects
// all keys and values and then computes everything at once. It has no overlap and no merges, and
// every worker needs memory for the whole keys and values. The backward pass collects them again
// and ends with a reduce-scatter: every worker returns its sums of dK and dV to their owners.
//
// A packed batch is dealt as one run of tokens, a contiguous part to each worker, as
// llama3_flash_attn_varlen_func of ring-flash-attention does. A worker then needs only keys of the
// sequences that it has queries of, under a causal mask none behind its last query, and collects
// no others (that function gathers all and reads a slice of them). So its memory follows from the
// lengths, and workers do not differ by rotation.
#include <map>
#include <utility>

#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// Adds everything that the worker computes, and returns which groups of keys that needs.
std::vector<bool> add_all_tasks(PlanBuilder& builder, int worker) {
  const auto n_keys = static_cast<int>(builder.plan.kv_groups.size());
  std::vector<bool> needed(builder.plan.kv_groups.size(), false);
  Step& step = builder.step(worker, 1);
  for (int q : builder.worker(worker).q_groups)
    for (int kv = 0; kv < n_keys; ++kv) builder.add_task(step, q, kv);
  for (const PairTask& task : step.tasks) needed[static_cast<std::size_t>(task.kv_group)] = true;
  return needed;
}

Plan gather_for_packed(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  const Pass pass = options.pass;
  PlanBuilder builder(problem, "all_gather_kv", workers, pass, options.gradients);
  builder.plan.synchronisation = Synchronisation::rounds;
  builder.plan.result = Result::owners;
  const Shards shards = deal_contiguous(builder.plan, workers);
  for (int w = 0; w < workers; ++w) {
    builder.worker(w).q_groups = shards.q[static_cast<std::size_t>(w)];
    builder.worker(w).kv_groups = shards.kv[static_cast<std::size_t>(w)];
  }
  std::map<std::vector<int>, int> lists;  // messages of one list are packed once
  for (int to = 0; to < workers; ++to) {
    const std::vector<bool> needed = add_all_tasks(builder, to);
    for (int from = 0; from < workers; ++from) {
      std::vector<int> sent = shards.kv[static_cast<std::size_t>(from)];
      std::erase_if(sent, [&](int group) { return !needed[static_cast<std::size_t>(group)]; });
      if (sent.empty()) continue;
      const auto [list, is_new] = lists.try_emplace(sent, 0);
      if (is_new) list->second = builder.add_list(std::move(sent));
      for (const TensorRole what : kKeyInputs)
        builder.send(from, to, 0,
                     {TransferKind::all_gather, what, list->second, builder.all_heads(), 0});
      if (pass == Pass::forward || from == to) continue;
      for (const TensorRole what : gradients_of(false))
        builder.send(to, from, 1,
                     {TransferKind::reduce_scatter, what, list->second, builder.all_heads(), 0});
    }
  }
  return std::move(builder.plan);
}

}  // namespace

Plan plan_all_gather_kv(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  if (!problem.mask.segments.empty()) return gather_for_packed(problem, options);
  RotationBuilder builder(problem, "all_gather_kv", workers, deal_zigzag, options.pass,
                          options.gradients);
  for (int distance = 0; distance < workers; ++distance)
    for (const TensorRole what : kKeyInputs)
      builder.send(0, distance, TransferKind::all_gather, what, 0);
  builder.add_task(1, 0, kEveryShard);
  for (int distance = 1; options.pass == Pass::backward && distance < workers; ++distance)
    for (const TensorRole what : gradients_of(false))
      builder.send(1, distance, TransferKind::reduce_scatter, what, distance);
  return builder.finish();
}

}  // namespace qb
