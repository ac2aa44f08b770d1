// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/speed_up_bound.h"

namespace qb {
namespace {

double dense_flop(const RingStep& step, DenseCount count) {
  const double d = step.d_model;
  double weights = step.layers * (4.0 * d * d + 3.0 * d * step.d_ff);
  if (count == DenseCount::layers_and_vocabulary) weights += step.vocabulary * d;
  return 2.0 * step.tokens_per_worker * weights;
}

// Returns the FLOP for each pair of the critical path at w = 1.
double attention_flop_per_pair(const RingStep& step) {
  return step.attention_slowdown * 4.0 * step.layers * step.d_model;
}

}  // namespace

double ring_critical_pairs(int workers, double tokens_per_worker) {
  return (workers - 0.5) * tokens_per_worker * tokens_per_worker;
}

double striped_critical_pairs(int workers, double tokens_per_worker) {
  return 0.5 * workers * tokens_per_worker * tokens_per_worker;
}

double max_speed_up(const RingStep& step, DenseCount count, double weight) {
  const double dense = dense_flop(step, count);
  const double per_pair = weight * attention_flop_per_pair(step);
  return (per_pair * ring_critical_pairs(step.workers, step.tokens_per_worker) + dense) /
         (per_pair * striped_critical_pairs(step.workers, step.tokens_per_worker) + dense);
}

}  // namespace qb
