// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_steps.h"

#include <stdexcept>

#include "kernels/layer_call.h"

namespace qb {

LayerSteps::LayerSteps(ComputeDevice& device, const LayerShape& shape, DType dtype,
                       const LayerOptions& options, ClockKind clock, Allocator& memory)
    : device_(device),
      shape_(shape),
      dtype_(dtype),
      options_(options),
      allocator_(memory),
      hidden_(shape.hidden()),
      size_(size_of(dtype)),
      watch_(device, clock) {
  if (!options.mask.segments.empty())
    throw std::invalid_argument("DeviceLayer: one sequence at a time, without segments");
}

void LayerSteps::begin(const LayerWeights& weights) {
  weights_ = &weights;
  times_ = {};
  watch_.start();
}

DeviceLayer::Run LayerSteps::end() {
  watch_.stop();
  return {times_, watch_.wall_s(), watch_.device_s()};
}

LayerSteps::Place LayerSteps::take_place(std::int64_t elements, std::string_view label) const {
  Place place{take(elements, label), nullptr};
  place.data = place.own.data();
  return place;
}

LayerSteps::Product LayerSteps::to_queries() const {
  return {LayerTensor::query_weight, LayerTensor::query_bias, hidden_, shape_.query_width()};
}

LayerSteps::Product LayerSteps::to_keys_values() const {
  return {LayerTensor::key_weight, LayerTensor::key_bias, hidden_, 2 * shape_.key_width()};
}

LayerSteps::Product LayerSteps::to_attention_output() const {
  return {LayerTensor::attention_output_weight, LayerTensor::attention_output_bias,
          shape_.query_width(), hidden_};
}

LayerSteps::Product LayerSteps::to_pre_activation() const {
  return {LayerTensor::feed_forward_in_weight, LayerTensor::feed_forward_in_bias, hidden_,
          shape_.feed_forward_dim};
}

LayerSteps::Product LayerSteps::to_feed_forward_output() const {
  return {LayerTensor::feed_forward_out_weight, LayerTensor::feed_forward_out_bias,
          shape_.feed_forward_dim, hidden_};
}

void LayerSteps::multiply(const Product& product, const void* x, std::int64_t rows, void* y) {
  device_.linear({dtype_, rows, product.in, product.out, x, weights_->at(product.weight), nullptr,
                  y, product.out},
                 allocator_);
}

void LayerSteps::multiply_biased(const Product& product, const void* x, std::int64_t rows, void* y,
                                 std::int64_t y_stride) {
  device_.linear({dtype_, rows, product.in, product.out, x, weights_->at(product.weight),
                  weights_->at(product.bias), y, y_stride},
                 allocator_);
}

void LayerSteps::add_norm(const Norm& norm, std::int64_t rows, void* y, const void* residual) {
  device_.add_norm({dtype_, rows, hidden_, y, weights_->at(norm.bias), residual,
                    weights_->at(norm.scale), weights_->at(norm.shift), kLayerNormEpsilon});
}

void LayerSteps::gelu(std::int64_t rows, void* y) {
  device_.bias_gelu(
      {dtype_, rows, shape_.feed_forward_dim, y, weights_->at(LayerTensor::feed_forward_in_bias)});
}

}  // namespace qb
