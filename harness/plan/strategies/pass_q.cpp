// SPDX-License-Identifier: Apache-2.0
// Context Parallelism's pass-Q (arXiv 2411.01783, Algorithm 3): keys and values stay, queries go
// round. Then every worker has partials of all queries; an all-to-all returns them to their owners,
// which merge them. It is cheaper than pass-KV for few new tokens and a long cache.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_pass_q(const Problem& problem, const StrategyOptions& options) {
  return pass_q_ring(problem, "pass_q", options.workers, deal_zigzag, Pass::forward);
}

}  // namespace qb
