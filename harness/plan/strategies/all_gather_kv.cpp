// All-gather of keys and values, as Llama 3's training does its context parallelism (arXiv
// 2407.21783, section 3.3.2): tokens dealt as in the zigzag ring, every worker first collects all
// keys and values and then computes in one go. No overlap, no merges, and the memory of the whole
// keys and values on every worker.
#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_all_gather_kv(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  PlanBuilder builder(problem, "all_gather_kv", workers);
  Plan& plan = builder.plan;
  plan.synchronisation = Synchronisation::rounds;
  plan.result = Result::owners;
  const Shards shards = deal_zigzag(plan, workers);
  std::vector<int> lists;
  std::vector<int> everything;
  for (int w = 0; w < workers; ++w) {
    const auto index = static_cast<std::size_t>(w);
    builder.worker(w).q_groups = shards.q[index];
    builder.worker(w).kv_groups = shards.kv[index];
    lists.push_back(builder.add_list(shards.kv[index]));
  }
  for (int kv = 0; kv < static_cast<int>(plan.kv_groups.size()); ++kv) everything.push_back(kv);
  for (int from = 0; from < workers; ++from)
    for (int to = 0; to < workers; ++to)
      for (const TensorRole what : {TensorRole::k, TensorRole::v})
        builder.send(from, to, 0,
                     {TransferKind::all_gather, what, lists[static_cast<std::size_t>(from)],
                      builder.all_heads(), 0});
  for (int w = 0; w < workers; ++w)
    builder.add_tasks(builder.step(w, 1), shards.q[static_cast<std::size_t>(w)], everything);
  return std::move(builder.plan);
}

}  // namespace qb
