// Ring Attention (Liu, Zaharia and Abbeel, arXiv 2310.01889): shards are contiguous, keys and
// values go round. Under a causal mask worker 0 is idle after the first round while worker W - 1
// never is: the critical path is c(c+1)/2 + (W-1) c^2 pairs for c = N / W.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_ring(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "ring");
  return pass_kv_ring(problem, "ring", options.workers, deal_contiguous);
}

}  // namespace qb
