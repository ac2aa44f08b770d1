// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_weights.h"

#include <cmath>
#include <iterator>

#include "base/hash.h"
#include "harness/verify/inputs.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr double kBiasDeviation = 0.02;

bool is_norm_scale(LayerTensor tensor) {
  return tensor == LayerTensor::attention_norm_scale || tensor == LayerTensor::output_norm_scale;
}

// The key of the hidden states; those of the tensors follow it, then that of the output's gradient.
std::uint64_t first_key(std::uint64_t seed) {
  return ((seed + 1) << 8) ^ mixed((seed + 1) >> 56);  // no bit is lost, and mixed(0) is 0
}

}  // namespace

std::vector<std::int64_t> tensor_shape(const LayerShape& shape, LayerTensor tensor) {
  switch (tensor) {
    case LayerTensor::query_weight:
      return {shape.query_width(), shape.hidden()};
    case LayerTensor::key_weight:
    case LayerTensor::value_weight:
      return {shape.key_width(), shape.hidden()};
    case LayerTensor::query_bias:
      return {shape.query_width()};
    case LayerTensor::key_bias:
    case LayerTensor::value_bias:
      return {shape.key_width()};
    case LayerTensor::attention_output_weight:
      return {shape.hidden(), shape.query_width()};
    case LayerTensor::feed_forward_in_weight:
      return {shape.feed_forward_dim, shape.hidden()};
    case LayerTensor::feed_forward_out_weight:
      return {shape.hidden(), shape.feed_forward_dim};
    case LayerTensor::feed_forward_in_bias:
      return {shape.feed_forward_dim};
    default:
      return {shape.hidden()};
  }
}

std::int64_t tensor_elements(const LayerShape& shape, LayerTensor tensor) {
  std::int64_t n = 1;
  for (const std::int64_t size : tensor_shape(shape, tensor)) n *= size;
  return n;
}

LayerProduct product_of(const LayerShape& shape, LayerTensor weight) {
  // The weights of queries, keys and values come before their three biases.
  const int to_bias = weight <= LayerTensor::value_weight ? 3 : 1;
  const std::vector<std::int64_t> sizes = tensor_shape(shape, weight);
  return {weight, static_cast<LayerTensor>(static_cast<int>(weight) + to_bias), sizes[1], sizes[0]};
}

LayerWeights::LayerWeights(const LayerShape& shape, Allocator& allocator, DType dtype,
                           std::string_view label, int worker) {
  std::int64_t n = 0;
  for (const auto& entry : kWords<LayerTensor>.rows) {
    offsets_.push_back(n);
    n += tensor_elements(shape, entry.first);
  }
  tensor_ = Tensor(allocator, dtype, {1, 1, 1, n}, label, worker);
}

void* LayerWeights::at(LayerTensor tensor) const {
  return view().row(0, 0, 0) + offsets_[static_cast<std::size_t>(tensor)] * size_of(view().dtype);
}

float* LayerWeights::data(LayerTensor tensor) const { return static_cast<float*>(at(tensor)); }

LayerWeights random_weights(const LayerShape& shape, std::uint64_t seed, Allocator& allocator,
                            int threads) {
  LayerWeights weights(shape, allocator);
  std::uint64_t key = first_key(seed);
  for (const auto& entry : kWords<LayerTensor>.rows) {
    const LayerTensor tensor = entry.first;
    const std::vector<std::int64_t> sizes = tensor_shape(shape, tensor);
    const std::int64_t n = tensor_elements(shape, tensor);
    float* const values = weights.data(tensor);
    fill_normal(contiguous_view(values, DType::f32, {1, 1, 1, n}), ++key, threads);
    const auto deviation = static_cast<float>(
        sizes.size() == 2 ? 1.0 / std::sqrt(static_cast<double>(sizes[1])) : kBiasDeviation);
    const float middle = is_norm_scale(tensor) ? 1.0f : 0.0f;
    parallel_for(n, threads, 65536, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) values[i] = middle + deviation * values[i];
    });
  }
  return weights;
}

Tensor random_states(const LayerShape& shape, std::uint64_t seed, Allocator& allocator,
                     int threads) {
  Tensor states(allocator, DType::f32, shape.states(), "hidden_states");
  fill_normal(states.view(), first_key(seed), threads);
  return states;
}

Tensor random_output_gradients(const LayerShape& shape, std::uint64_t seed, Allocator& allocator,
                               int threads, int worker) {
  Tensor gradients(allocator, DType::f32, shape.states(), "d_output", worker);
  fill_normal(gradients.view(), first_key(seed) + std::size(kWords<LayerTensor>.rows) + 1, threads);
  return gradients;
}

}  // namespace qb
