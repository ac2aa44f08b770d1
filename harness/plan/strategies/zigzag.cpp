// The zigzag ring, which Context Parallelism (arXiv 2411.01783, Algorithm 2) calls pass-KV: the new
// tokens and the cached ones are each cut into 2W chunks, and worker i holds chunks i and 2W - 1 -
// i. Keys and values go round. In every round except the first a worker computes either all its
// queries with half of the keys or half of its queries with all: c^2 / 2 pairs, the optimum.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_zigzag(const Problem& problem, const StrategyOptions& options) {
  return pass_kv_ring(problem, "zigzag", options.workers, deal_zigzag);
}

}  // namespace qb
