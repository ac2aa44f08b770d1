// This is the arithmetic of one row of tree decoding's reductions, for the host and for kernels.
#pragma once

#include <math.h>

#include "kernels/cuda/runtime/host_device.h"

namespace qb {

// Returns the weight of a row's partial relative to the maximum over all workers.
QB_HOST_DEVICE float row_weight(float lse, float maximum) {
  return lse == -INFINITY ? 0.0F : expf(lse - maximum);
}

// The denominator is exactly 0 where no worker had a key. NaN, from a partial whose LSE is NaN,
// stays.
QB_HOST_DEVICE float row_lse(float maximum, float denominator) {
  return denominator == 0.0F ? -INFINITY : maximum + logf(denominator);
}

QB_HOST_DEVICE float row_output(float numerator, float denominator) {
  return denominator == 0.0F ? 0.0F : numerator / denominator;
}

}  // namespace qb
