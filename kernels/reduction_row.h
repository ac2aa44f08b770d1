// The arithmetic of one row of tree decoding's reductions, for the host and for kernels.
#pragma once

#include <math.h>

#include "kernels/cuda/runtime/host_device.h"

namespace qb {

// What a row's partial weighs beside the maximum over all workers.
QB_HOST_DEVICE float row_weight(float lse, float maximum) {
  return lse == -INFINITY ? 0.0F : expf(lse - maximum);
}

// No worker had a key where the denominator is exactly 0; NaN, of a partial whose LSE is NaN,
// stays.
QB_HOST_DEVICE float row_lse(float maximum, float denominator) {
  return denominator == 0.0F ? -INFINITY : maximum + logf(denominator);
}

QB_HOST_DEVICE float row_output(float numerator, float denominator) {
  return denominator == 0.0F ? 0.0F : numerator / denominator;
}

}  // namespace qb
