// Striped Attention (Brandon et al., arXiv 2311.09431): the ring, with token t on worker t mod W.
// Under a causal mask every round is a causal block of every worker, so the critical path is W
// c(c+1)/2 pairs: at tile granularity half of each round's tiles.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_striped(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "striped");
  return pass_kv_ring(problem, "striped", options.workers, deal_striped);
}

}  // namespace qb
