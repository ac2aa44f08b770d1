// SPDX-License-Identifier: Apache-2.0
// BurstAttention (Ao Sun et al., arXiv 2403.09347), its tokens dealt as in the zigzag ring, whose
// forward pass it has. In the backward pass of a ring K, V, dK and dV go round; here K and V stay,
// and Q, dO, LSE, D and dQ go round. With a shard of c tokens of width u, gradients in float32 and
// as many key-value heads as query heads, a worker sends c u [(2e + 4)(W - 1) + 4] bytes and the
// statistics in place of c u [2e (W - 1) + 8W]. The ring sends less where query heads share
// key-value heads: in 2-byte types Burst pays only for NKV / NH > 2/3.
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_burst(const Problem& problem, const StrategyOptions& options) {
  const auto ring = options.pass == Pass::forward ? pass_kv_ring : pass_q_ring;
  return ring(problem, "burst", options.workers, deal_zigzag, options.pass, options.gradients);
}

}  // namespace qb
