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
// it is fitted (default_weight()). Model parallelism divides both terms alike.
#pragma once

namespace qb {

// Which dense products count: those of the layers, or also the projection to the vocabulary.
enum class DenseCount { layers, layers_and_vocabulary };

struct RingStep {
  double d_model = 0.0;
  double d_ff = 0.0;
  double layers = 0.0;
  double vocabulary = 0.0;
  int workers = 1;                  // W, workers in the ring
  double tokens_per_worker = 0.0;   // c
  double attention_slowdown = 1.0;  // a
};

// Pairs on the causal critical path: c^2/2 + (W-1) c^2 for the ring, W c^2/2 for striped.
[[nodiscard]] double ring_critical_pairs(int workers, double tokens_per_worker);
[[nodiscard]] double striped_critical_pairs(int workers, double tokens_per_worker);

// `weight` is w. The result is 1 for one worker, and below 2 - 1/W for any weight.
[[nodiscard]] double max_speed_up(const RingStep& step, DenseCount count, double weight);

// Returns the w that suits the 190 printed values: 1.28 with the projection to the vocabulary, by
// which all agree, and 1.25 with the layers alone, which leaves 33 one unit of the last digit off.
[[nodiscard]] constexpr double default_weight(DenseCount count) {
  return count == DenseCount::layers ? 1.25 : 1.28;
}

}  // namespace qb
