// All-gather of keys and values, like the context parallelism of Llama 3's training (arXiv
// 2407.21783, section 3.3.2): tokens are dealt as in the zigzag ring; every worker first collects
// all keys and values and then computes everything at once. It has no overlap and no merges, and
// every worker needs memory for the whole keys and values.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_all_gather_kv(const Problem& problem, const StrategyOptions& options) {
  RotationBuilder builder(problem, "all_gather_kv", options.workers, deal_zigzag);
  for (int distance = 0; distance < options.workers; ++distance)
    for (const TensorRole what : {TensorRole::k, TensorRole::v})
      builder.send(0, distance, TransferKind::all_gather, what, 0);
  builder.add_task(1, 0, kEveryShard);
  return builder.finish();
}

}  // namespace qb
