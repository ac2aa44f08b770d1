// SPDX-License-Identifier: Apache-2.0
// How much faster a whole training step can become when a ring stripes its tokens: the
// "theoretical max speed-up" (TMS) columns of Striped Attention (arXiv 2311.09431, tables 3 to 5
// and appendix A), as a formula.
//
//   TMS = (attention_ring + dense) / (attention_striped + dense), FLOP on the critical path
//   dense     = 2c * [L (4 D^2 + 3 D d_ff) + vocabulary * D]
//   attention = a w * 4 L D * pairs,   pairs of a diagonal block counted as c^2 / 2
//
// c tokens a worker, L layers, D = d_model. a is how much slower attention's products run than the
// dense ones: 2 on A100 (TF32 beside bfloat16), 1 on TPU. w is how much more of attention a
// training step repeats (recomputation, backward) than of the dense products; it is not printed, so
// it is fitted. Model parallelism divides both terms alike. And the smallest block of a ring that
// hides its transfers.
#pragma once

#include <cstdint>

namespace qb {

struct RingStep {
  double d_model = 0.0;
  double d_ff = 0.0;
  double layers = 0.0;
  double vocabulary = 0.0;          // 0: the projection to it does not count
  int workers = 1;                  // W, workers in the ring
  double tokens_per_worker = 0.0;   // c
  double attention_slowdown = 1.0;  // a
};

// Pairs on the causal critical path: c^2/2 + (W-1) c^2 for the ring, W c^2/2 for striped.
[[nodiscard]] constexpr double ring_critical_pairs(int workers, double tokens_per_worker) {
  return (workers - 0.5) * tokens_per_worker * tokens_per_worker;
}
[[nodiscard]] constexpr double striped_critical_pairs(int workers, double tokens_per_worker) {
  return 0.5 * workers * tokens_per_worker * tokens_per_worker;
}

// `weight` is w. The result is 1 for one worker, and below 2 - 1/W for any weight.
[[nodiscard]] constexpr double max_speed_up(const RingStep& step, double weight) {
  const double d = step.d_model;
  const double weights = step.layers * (4.0 * d * d + 3.0 * d * step.d_ff) + step.vocabulary * d;
  const double dense = 2.0 * step.tokens_per_worker * weights;
  const double per_pair = weight * (step.attention_slowdown * 4.0 * step.layers * d);
  return (per_pair * ring_critical_pairs(step.workers, step.tokens_per_worker) + dense) /
         (per_pair * striped_critical_pairs(step.workers, step.tokens_per_worker) + dense);
}

// The w that suit the 190 printed values: all agree by the one with the projection to the
// vocabulary; the one with the layers alone leaves 33 one unit of the last digit off.
inline constexpr double kWeightOfLayers = 1.25;
inline constexpr double kWeightWithVocabulary = 1.28;

// Returns the fewest tokens per worker for which a hop of K and V hides behind the block's compute:
// (C/B)(e/2)(NKV/NH) where rounds compute whole blocks (no mask, or the contiguous layout's worst
// worker), twice that for half blocks (causal striped, zigzag). Full multi-head attention in 2-byte
// types gives C/B (Ring Attention, arXiv 2310.01889, section 3).
[[nodiscard]] constexpr double min_block_tokens(double compute_flop_per_s, double link_byte_per_s,
                                                std::int64_t element_bytes, std::int64_t q_heads,
                                                std::int64_t kv_heads, bool half_blocks) {
  const double whole = compute_flop_per_s / link_byte_per_s *
                       (static_cast<double>(element_bytes) / 2.0) *
                       (static_cast<double>(kv_heads) / static_cast<double>(q_heads));
  return half_blocks ? 2.0 * whole : whole;
}

}  // namespace qb
