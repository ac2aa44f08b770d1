// SPDX-License-Identifier: Apache-2.0
// A tensor of floats in a vector, as one's own code may hold it.
#pragma once

#include <cmath>
#include <initializer_list>
#include <random>
#include <vector>

#include "kernels/tensor.h"

struct Buffer {
  std::vector<float> values;
  qb::TensorView view;
  explicit Buffer(const qb::Extent& extent)
      : values(static_cast<std::size_t>(extent.elements())),
        view(qb::contiguous_view(values.data(), qb::DType::f32, extent)) {}
};

inline void fill_normal(std::initializer_list<Buffer*> buffers) {
  std::mt19937 random(1);
  for (Buffer* buffer : buffers)
    for (float& value : buffer->values) value = std::normal_distribution<float>()(random);
}

inline double largest_error(const Buffer& computed, const std::vector<double>& reference) {
  double largest = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i)
    largest = std::fmax(largest, std::abs(computed.values[i] - reference[i]));
  return largest;
}
