// SPDX-License-Identifier: Apache-2.0
// This is what one thread does of the passes between the products of a transformer layer. Tests run
// it on the host, one lane after another.
//
// A group is some elements that are loaded and stored at once, Group::at[Group::kSize]; Group has
// load(i), which returns its i-th element as float, and store(i, value), which rounds. Sums are
// float32 and are never rounded to the elements' type between the passes over a row.
#pragma once

#include <math.h>

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"

namespace qb::cuda {

constexpr int kNormLanes = 32;

// Computes the exact form, x Phi(x). erfc keeps its relative accuracy where Phi is small.
QB_HOST_DEVICE float gelu(float x) { return 0.5F * x * erfcf(x * -0.70710678118654752F); }

// y is [rows, groups], rows `stride` groups apart; bias is [groups].
template <class Group>
struct BiasRows {
  Group* y;
  const Group* bias;
  std::int64_t rows;
  std::int64_t groups;
  std::int64_t stride;
};

// Handles every row_step-th row of a column of groups, so that its bias is read once.
template <bool kGelu, class Group>
QB_DEVICE void bias_column(const BiasRows<Group>& p, std::int64_t column, std::int64_t first_row,
                           std::int64_t row_step) {
  if (column >= p.groups) return;
  const Group bias = p.bias[column];
  for (std::int64_t row = first_row; row < p.rows; row += row_step) {
    Group group = p.y[row * p.stride + column];
    QB_UNROLL
    for (int i = 0; i < Group::kSize; ++i) {
      const float sum = group.load(i) + bias.load(i);
      group.store(i, kGelu ? gelu(sum) : sum);
    }
    p.y[row * p.stride + column] = group;
  }
}

// y and residual are [rows, groups], the others [groups].
template <class Group>
struct NormRows {
  Group* y;
  const Group* bias;
  const Group* residual;
  const Group* scale;
  const Group* shift;
  std::int64_t rows;
  std::int64_t groups;
  float epsilon;
};

// One warp computes a row. Each pass adds up its elements again and finds them in the cache, so
// that a row of any width needs no place to keep its sums. function(g, values) gets the sums of
// group g.
template <class Group, class Function>
QB_DEVICE void for_groups(const NormRows<Group>& p, std::int64_t row, int lane, Function function) {
  for (std::int64_t g = lane; g < p.groups; g += kNormLanes) {
    const Group y = p.y[row * p.groups + g];
    const Group bias = p.bias[g];
    const Group residual = p.residual[row * p.groups + g];
    float values[Group::kSize];
    QB_UNROLL
    for (int i = 0; i < Group::kSize; ++i) values[i] = y.load(i) + bias.load(i) + residual.load(i);
    function(g, values);
  }
}

template <class Group>
QB_DEVICE float lane_sum(const NormRows<Group>& p, std::int64_t row, int lane) {
  float sum = 0.0F;
  for_groups(p, row, lane, [&](std::int64_t, const float* values) {
    QB_UNROLL
    for (int i = 0; i < Group::kSize; ++i) sum += values[i];
  });
  return sum;
}

template <class Group>
QB_DEVICE float lane_squares(const NormRows<Group>& p, std::int64_t row, int lane, float mean) {
  float squares = 0.0F;
  for_groups(p, row, lane, [&](std::int64_t, const float* values) {
    QB_UNROLL
    for (int i = 0; i < Group::kSize; ++i) squares += (values[i] - mean) * (values[i] - mean);
  });
  return squares;
}

// `squares` is the sum over the whole row. A lane writes only what it alone has read.
template <class Group>
QB_DEVICE void normalise_groups(const NormRows<Group>& p, std::int64_t row, int lane, float mean,
                                float squares) {
  const float variance = squares / static_cast<float>(p.groups * Group::kSize);
  const float factor = 1.0F / sqrtf(variance + p.epsilon);
  for_groups(p, row, lane, [&](std::int64_t g, const float* values) {
    const Group scale = p.scale[g];
    const Group shift = p.shift[g];
    Group out;
    QB_UNROLL
    for (int i = 0; i < Group::kSize; ++i)
      out.store(i, (values[i] - mean) * factor * scale.load(i) + shift.load(i));
    p.y[row * p.groups + g] = out;
  });
}

}  // namespace qb::cuda
