// This is what one thread does of tree decoding's reductions: one warp computes a row, since all of
// the row's elements need its statistics. Tests run it on the host, one lane after another.
#pragma once

#include <cstdint>

#include "kernels/cuda/merge/reduction_row.h"

namespace qb::cuda {

constexpr int kReductionLanes = 32;

// These are contiguous f32: out [rows, width], the others [rows].
struct ReductionRows {
  float* out;
  float* lse;
  const float* maximum;
  float* denominator;
  std::int64_t rows;
  std::int64_t width;
};

// No lane reads what another writes, so that their order does not matter.
QB_HOST_DEVICE void weigh_lane(const ReductionRows& p, std::int64_t row, int lane) {
  if (row >= p.rows) return;
  const float weight = row_weight(p.lse[row], p.maximum[row]);
  for (std::int64_t x = lane; x < p.width; x += kReductionLanes) p.out[row * p.width + x] *= weight;
  if (lane == 0) p.denominator[row] = weight;
}

QB_HOST_DEVICE void normalise_lane(const ReductionRows& p, std::int64_t row, int lane) {
  if (row >= p.rows) return;
  const float sum = p.denominator[row];
  for (std::int64_t x = lane; x < p.width; x += kReductionLanes) {
    float& value = p.out[row * p.width + x];
    value = row_output(value, sum);
  }
  if (lane == 0) p.lse[row] = row_lse(p.maximum[row], sum);
}

}  // namespace qb::cuda
