// SPDX-License-Identifier: Apache-2.0
// Says what one of kLanes threads does of a row of tree decoding's reductions. On a device a warp
// computes a row, since all its elements need its statistics; the host has one lane.
#pragma once

#include <math.h>

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"
#include "kernels/tensor.h"

namespace qb {

constexpr int kReductionLanes = 32;

// Returns the weight of a row's partial relative to the maximum over all workers.
QB_HOST_DEVICE float row_weight(float lse, float maximum) {
  return lse == -INFINITY ? 0.0F : expf(lse - maximum);
}

// The denominator is exactly 0 where no worker had a key. NaN from a partial's LSE stays.
QB_HOST_DEVICE float row_lse(float maximum, float denominator) {
  return denominator == 0.0F ? -INFINITY : maximum + logf(denominator);
}

QB_HOST_DEVICE float row_output(float numerator, float denominator) {
  return denominator == 0.0F ? 0.0F : numerator / denominator;
}

// These are contiguous f32: out [rows, width], the others [rows].
struct ReductionRows {
  ReductionRows(const TensorView& of_out, const TensorView& of_lse, const TensorView& of_maximum,
                const TensorView& of_denominator)
      : out(static_cast<float*>(of_out.data)),
        lse(static_cast<float*>(of_lse.data)),
        maximum(static_cast<const float*>(of_maximum.data)),
        denominator(static_cast<float*>(of_denominator.data)),
        rows(of_out.extent.batch * of_out.extent.heads * of_out.extent.length),
        width(of_out.extent.head_dim) {}

  float* out;
  float* lse;
  const float* maximum;
  float* denominator;
  std::int64_t rows;
  std::int64_t width;
};

// No lane reads what another writes, so that their order does not matter.
template <int kLanes = kReductionLanes>
QB_HOST_DEVICE void weigh_lane(const ReductionRows& p, std::int64_t row, int lane) {
  if (row >= p.rows) return;
  const float weight = row_weight(p.lse[row], p.maximum[row]);
  for (std::int64_t x = lane; x < p.width; x += kLanes) p.out[row * p.width + x] *= weight;
  if (lane == 0) p.denominator[row] = weight;
}

template <int kLanes = kReductionLanes>
QB_HOST_DEVICE void normalise_lane(const ReductionRows& p, std::int64_t row, int lane) {
  if (row >= p.rows) return;
  const float sum = p.denominator[row];
  for (std::int64_t x = lane; x < p.width; x += kLanes) {
    float& value = p.out[row * p.width + x];
    value = row_output(value, sum);
  }
  if (lane == 0) p.lse[row] = row_lse(p.maximum[row], sum);
}

}  // namespace qb
