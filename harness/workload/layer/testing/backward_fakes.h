// SPDX-License-Identifier: Apache-2.0
// For tests only: a training step of a small random layer on the CPU, whose weights, states and
// gradients are values of a type.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "harness/run/device/cpu_device.h"
#include "harness/verify/verify.h"
#include "harness/workload/layer/layer_backward.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb::testing_support {

struct LayerStep {
  RandomLayer layer;
  DType dtype;
  std::vector<float> d_y;

  LayerStep(const LayerShape& shape, const MaskSpec& mask, DType type, std::uint64_t seed)
      : layer(shape, mask, seed), dtype(type), d_y(layer.x.size()) {
    std::mt19937_64 engine(seed + 1);
    std::normal_distribution<float> normal;
    for (float& value : d_y) value = normal(engine);
    round(static_cast<float*>(layer.weights.view().data), layer.weights.view().extent.elements());
    round(layer.x.data(), std::ssize(layer.x));
    round(d_y.data(), std::ssize(d_y));
  }

  struct Result {
    std::vector<float> y;
    std::vector<float> d_x;
    LayerWeights d_weights;  // f32
    DeviceLayer::Run run{};
  };

  // Every output held NaN before it was written. The backward pass runs `repeats` times, after one
  // forward pass, and adds to the gradients of the weights each time.
  [[nodiscard]] Result run(Allocator& memory = heap_allocator(), int repeats = 1) const {
    CpuDevice device(layer.options.threads);
    return run_on(device, memory, repeats);
  }
  [[nodiscard]] Result run_on(ComputeDevice& device, Allocator& memory, int repeats = 1) const {
    const LayerTensors tensors(layer.shape, dtype, memory);
    const auto put = [&](const void* from, const TensorView& to) {
      convert(from, DType::f32, to.data, dtype, to.extent.elements());
    };
    put(layer.weights.view().data, tensors.weights.view());
    put(layer.x.data(), tensors.x.view());
    poison(tensors.y.view());
    const LayerKept kept(layer.shape, dtype, layer.options, memory);
    DeviceLayer forward(device, layer.shape, dtype, layer.options, ClockKind::synchronized, memory);
    (void)forward.run(tensors.weights, tensors.x.view(), tensors.y.view(), &kept);

    const LayerGradientTensors gradients(layer.shape, dtype, memory);
    put(d_y.data(), gradients.d_y.view());
    poison(gradients.d_x.view());
    const TensorView& sums = gradients.d_weights.view();
    std::memset(sums.data, 0, static_cast<std::size_t>(sums.bytes()));
    Result result{values_of(tensors.y.view()), {}, LayerWeights(layer.shape, heap_allocator())};
    for (int i = 0; i < repeats; ++i)
      result.run = run_layer_backward(
          device, layer.shape, dtype, layer.options, ClockKind::synchronized, memory,
          {tensors.weights, tensors.x.view(), kept, gradients.d_y.view(), gradients.d_x.view(),
           gradients.d_weights});
    result.d_x = values_of(gradients.d_x.view());
    std::memcpy(result.d_weights.view().data, sums.data, static_cast<std::size_t>(sums.bytes()));
    return result;
  }

  [[nodiscard]] LayerQuestion question() const {
    LayerQuestion question = layer.question();
    question.dtype = dtype;
    return question;
  }
  [[nodiscard]] Verification verify(const Result& result, int threads = 2) const {
    return verify_layer_gradients(question(), d_y.data(), result.d_x.data(), result.d_weights,
                                  threads);
  }

 private:
  // Makes float32 values those of the type.
  void round(float* values, std::int64_t count) const {
    std::vector<std::byte> kept(static_cast<std::size_t>(count * size_of(dtype)));
    convert(values, DType::f32, kept.data(), dtype, count);
    convert(kept.data(), dtype, values, DType::f32, count);
  }
  [[nodiscard]] std::vector<float> values_of(const TensorView& view) const {
    std::vector<float> values(static_cast<std::size_t>(view.extent.elements()));
    convert(view.data, view.dtype, values.data(), DType::f32, view.extent.elements());
    return values;
  }
};

// Returns all gradients of weights, one after another.
[[nodiscard]] inline std::vector<double> values_of(const LayerWeights& d_weights) {
  const auto* const first = static_cast<const float*>(d_weights.view().data);
  return {first, first + d_weights.view().extent.elements()};
}

}  // namespace qb::testing_support
