// SPDX-License-Identifier: Apache-2.0
// The steps of a layer that its forward pass computes and its backward pass differentiates, or
// computes again. Both passes derive from this; the caller of a step times it.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/execute/device/compute_device.h"
#include "harness/execute/device/stopwatch.h"
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
  LayerSteps(ComputeDevice& device, const LayerShape& shape, DType dtype,
             const LayerOptions& options, ClockKind clock, Allocator& memory);
  ~LayerSteps() = default;

  void begin(const LayerWeights& weights);
  [[nodiscard]] DeviceLayer::Run end();
  // Does the work, or enqueues it, and times it as the part; on a GPU until the next one begins.
  // The time is added to `*also` too.
  template <class Work>
  void timed(LayerPart part, const Work& work, double* also = nullptr) {
    watch_.charge(&times_[static_cast<std::size_t>(part)], also);
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
  [[nodiscard]] Place take_place(std::int64_t elements, std::string_view label) const;
  [[nodiscard]] std::int64_t bytes_of_states(std::int64_t tokens) const {
    return tokens * hidden_ * size_;
  }
  // Rows of the layer's type without gaps, as one.
  [[nodiscard]] TensorView flat(const void* rows, std::int64_t elements) const {
    return contiguous_view(const_cast<void*>(rows), dtype_, {1, 1, 1, elements});
  }

  struct Product {
    LayerTensor weight;
    LayerTensor bias;
    std::int64_t in;
    std::int64_t out;
  };
  [[nodiscard]] Product to_queries() const;
  [[nodiscard]] Product to_keys_values() const;  // both are one product
  [[nodiscard]] Product to_attention_output() const;
  [[nodiscard]] Product to_pre_activation() const;
  [[nodiscard]] Product to_feed_forward_output() const;

  // y := x weight^T, without gaps between rows. The bias is left to the pass after it.
  void multiply(const Product& product, const void* x, std::int64_t rows, void* y);
  // y := x weight^T + bias
  void multiply_biased(const Product& product, const void* x, std::int64_t rows, void* y,
                       std::int64_t y_stride);

  struct Norm {
    LayerTensor bias;  // of the product before it
    LayerTensor scale;
    LayerTensor shift;
  };
  static constexpr Norm kAttentionNorm{LayerTensor::attention_output_bias,
                                       LayerTensor::attention_norm_scale,
                                       LayerTensor::attention_norm_shift};
  static constexpr Norm kOutputNorm{LayerTensor::feed_forward_out_bias,
                                    LayerTensor::output_norm_scale, LayerTensor::output_norm_shift};
  // y := norm(y + bias + residual)
  void add_norm(const Norm& norm, std::int64_t rows, void* y, const void* residual);
  // y := gelu(y + bias)
  void gelu(std::int64_t rows, void* y);

  ComputeDevice& device_;
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
