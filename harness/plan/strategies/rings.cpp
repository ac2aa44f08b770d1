// SPDX-License-Identifier: Apache-2.0
// Rings: keys and values go round, and the schemes differ in who holds which tokens; c is N / W.
// ring_loop_test.cpp has the loop (receive, send, compute) as a textbook writes it.
//
// ring (Liu, Zaharia and Abbeel, arXiv 2310.01889): shards are contiguous. Under a causal mask
// worker 0 is idle after the first round while worker W - 1 never is: the critical path is c(c+1)/2
// + (W-1) c^2 pairs.
//
// striped (Brandon et al., arXiv 2311.09431): token t is on worker t mod W. Under a causal mask
// every round is a causal block of every worker, so the critical path is W c(c+1)/2 pairs: at tile
// granularity half of each round's tiles.
//
// zigzag, which Context Parallelism (arXiv 2411.01783, Algorithm 2) calls pass-KV: the new tokens
// and the cached ones are each cut into 2W chunks, and worker i holds chunks i and 2W - 1 - i. In
// every round except the first a worker computes either all its queries with half of the keys or
// half of its queries with all: c^2 / 2 pairs, the optimum.
//
// In the backward pass dK and dV go round with K and V, and make one hop more, which brings them
// home.
//
// Packed sequences: ring and striped deal them as one run of tokens, and a worker computes nothing
// in a round whose keys are of other sequences than its queries. So the balance of ring depends on
// their lengths, while zigzag, which cuts each sequence by itself, keeps its own. (zigzag is
// zigzag_ring_flash_attn_varlen_func of ring-flash-attention. Its ring_flash_attn_varlen_func cuts
// each sequence into W shards, so that its last worker has about twice the mean for any lengths.)
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {

Plan plan_ring(const Problem& problem, const StrategyOptions& options) {
  return pass_kv_ring(problem, "ring", options.workers, deal_contiguous, options.pass,
                      options.gradients);
}

Plan plan_striped(const Problem& problem, const StrategyOptions& options) {
  return pass_kv_ring(problem, "striped", options.workers, deal_striped, options.pass,
                      options.gradients);
}

Plan plan_zigzag(const Problem& problem, const StrategyOptions& options) {
  return pass_kv_ring(problem, "zigzag", options.workers, deal_zigzag, options.pass,
                      options.gradients);
}

}  // namespace qb
