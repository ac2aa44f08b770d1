// The zigzag ring, which Context Parallelism (arXiv 2411.01783, Algorithm 2) calls pass-KV: 2W
// chunks, worker i holds chunks i and 2W - 1 - i, of the new tokens and of the cached ones. Keys
// and values go round. In every round but the first a worker computes either all its queries with
// half of the keys or half of its queries with all: c^2 / 2 pairs, the optimum.
#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_zigzag(const Problem& problem, const StrategyOptions& options) {
  return pass_kv_ring(problem, "zigzag", options.workers, deal_zigzag);
}

}  // namespace qb
