// Context Parallelism's pass-Q (arXiv 2411.01783, Algorithm 3): keys and values stay, queries go
// round. Then every worker has partials of all queries; an all-to-all returns them to their owners,
// which merge them. It is cheaper than pass-KV for few new tokens and a long cache.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_pass_q(const Problem& problem, const StrategyOptions& options) {
  const int workers = options.workers;
  RotationBuilder builder(problem, "pass_q", workers, deal_zigzag);
  builder.pad_queries();
  for (int i = 0; i < workers; ++i) {
    builder.add_task(i, -i, 0);
    if (i + 1 < workers) builder.send(i, 1, TransferKind::p2p, TensorRole::q, -i);
  }
  for (int i = 1; i < workers; ++i)
    builder.send(workers - 1, -i, TransferKind::all_to_all, TensorRole::partial, -i);
  return builder.finish();
}

}  // namespace qb
