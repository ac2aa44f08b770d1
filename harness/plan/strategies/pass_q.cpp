// Context Parallelism's pass-Q (arXiv 2411.01783, Algorithm 3): keys and values stay, queries go
// round. After the last round every worker has partials of everybody's queries; an all-to-all takes
// them home, where they are merged. Cheaper than pass-KV where few new tokens meet a long cache.
#include <algorithm>

#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_pass_q(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  PlanBuilder builder(problem, "pass_q", workers);
  Plan& plan = builder.plan;
  plan.synchronisation = Synchronisation::rounds;
  plan.result = Result::owners;
  const Shards shards = deal_zigzag(plan, workers);
  std::int64_t room = 0;
  std::vector<int> lists;
  for (int w = 0; w < workers; ++w) {
    const auto index = static_cast<std::size_t>(w);
    builder.worker(w).q_groups = shards.q[index];
    builder.worker(w).kv_groups = shards.kv[index];
    lists.push_back(builder.add_list(shards.q[index]));
    room = std::max(room, tokens_of(plan.q_groups, shards.q[index]));
  }
  const HeadRange heads = builder.all_heads();
  for (int i = 0; i < workers; ++i) {
    for (int w = 0; w < workers; ++w) {
      const int owner = builder.neighbour(w, -i);
      const auto source = static_cast<std::size_t>(owner);
      builder.add_tasks(builder.step(w, i), shards.q[source],
                        shards.kv[static_cast<std::size_t>(w)]);
      if (i + 1 < workers)
        builder.send(w, builder.neighbour(w, 1), i,
                     {TransferKind::p2p, TensorRole::q, lists[source], heads, room});
    }
  }
  for (int w = 0; w < workers; ++w)
    for (int i = 1; i < workers; ++i) {
      const int owner = builder.neighbour(w, -i);
      builder.send(w, owner, workers - 1,
                   {TransferKind::all_to_all, TensorRole::partial,
                    lists[static_cast<std::size_t>(owner)], heads, room});
    }
  return std::move(builder.plan);
}

}  // namespace qb
