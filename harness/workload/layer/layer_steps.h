// SPDX-License-Identifier: Apache-2.0
// The steps of a layer that its forward pass computes and its backward pass differentiates, or
// computes again. Both passes derive from this; the caller of a step times it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "harness/run/device/attention_device.h"
#include "harness/run/device/stopwatch.h"
#include "harness/workload/layer/layer_weights.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"

namespace qb {

class LayerSteps {
 public:
  LayerSteps(const LayerSteps&) = delete;
  LayerSteps& operator=(const LayerSteps&) = delete;

 protected:
  // Throws std::invalid_argument where the mask is for more than one sequence.
  LayerSteps(LayerDevice& device, const LayerShape& shape, DType dtype, const LayerOptions& options,
             ClockKind clock, Allocator& memory)
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
  ~LayerSteps() = default;

  // Calls compute(bytes from the states of the batch to those of the sequence) for each sequence.
  template <class Compute>
  [[nodiscard]] DeviceLayer::Run run_sequences(const LayerWeights& weights,
                                               const Compute& compute) {
    weights_ = &weights;
    times_ = {};
    watch_.start();
    for (sequence_ = 0; sequence_ < shape_.batch; ++sequence_)
      compute(bytes_of_states(sequence_ * shape_.n_tokens));
    watch_.stop();
    return {times_, watch_.wall_s(), watch_.device_s()};
  }
  // Does the work, or enqueues it, and times it as the part; on a GPU until the next one begins.
  template <class Work>
  void timed(LayerPart part, const Work& work) {
    watch_.charge(&times_[static_cast<std::size_t>(part)]);
    work();
    if (device_.facts().on_host) watch_.charge(nullptr);
  }

  [[nodiscard]] Buffer take(std::int64_t elements, std::string_view label) const {
    return {allocator_, static_cast<std::size_t>(elements * size_), label};
  }
  // Memory of the run, or of what is kept.
  struct Place {
    Buffer own{};
    void* data = nullptr;
  };
  [[nodiscard]] Place take_place(std::int64_t elements, std::string_view label) const {
    Place place{take(elements, label), nullptr};
    place.data = place.own.data();
    return place;
  }
  [[nodiscard]] std::int64_t bytes_of_states(std::int64_t tokens) const {
    return tokens * hidden_ * size_;
  }
  // Rows of the layer's type without gaps, as one.
  [[nodiscard]] TensorView flat(const void* rows, std::int64_t elements) const {
    return contiguous_view(const_cast<void*>(rows), dtype_, {1, 1, 1, elements});
  }

  [[nodiscard]] LayerProduct product(LayerTensor weight) const {
    return product_of(shape_, weight);
  }
  // Keys and values are one product.
  [[nodiscard]] LayerProduct to_keys_values() const {
    LayerProduct keys_values = product(LayerTensor::key_weight);
    keys_values.out *= 2;
    return keys_values;
  }

  // y := x weight^T, without gaps between rows. The bias is left to the pass after it.
  void multiply(const LayerProduct& product, const void* x, std::int64_t rows, void* y) {
    device_.linear({dtype_, rows, product.in, product.out, x, weights_->at(product.weight), nullptr,
                    y, product.out},
                   allocator_);
  }
  // y := x weight^T + bias
  void multiply_biased(const LayerProduct& product, const void* x, std::int64_t rows, void* y,
                       std::int64_t y_stride) {
    device_.linear({dtype_, rows, product.in, product.out, x, weights_->at(product.weight),
                    weights_->at(product.bias), y, y_stride},
                   allocator_);
  }

  // y := norm(y + bias + residual)
  void add_norm(const LayerNorm& norm, std::int64_t rows, void* y, const void* residual) {
    device_.add_norm({dtype_, rows, hidden_, y, weights_->at(norm.bias), residual,
                      weights_->at(norm.scale), weights_->at(norm.shift), kLayerNormEpsilon});
  }
  // y := gelu(y + bias)
  void gelu(std::int64_t rows, void* y) {
    device_.bias_gelu({dtype_, rows, shape_.feed_forward_dim, y,
                       weights_->at(LayerTensor::feed_forward_in_bias)});
  }

  LayerDevice& device_;
  const LayerShape shape_;
  const DType dtype_;
  const LayerOptions options_;
  Allocator& allocator_;
  const std::int64_t hidden_;
  const std::int64_t size_;                // bytes of an element
  const LayerWeights* weights_ = nullptr;  // of the run
  std::int64_t sequence_ = 0;              // of the batch, the one that is computed

 private:
  Stopwatch watch_;
  LayerTimes times_{};
};

}  // namespace qb
