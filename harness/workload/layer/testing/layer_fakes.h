// SPDX-License-Identifier: Apache-2.0
// For tests only: small random layers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "harness/run/device/cpu_device.h"
#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/mask/mask_spec.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb::testing_support {

// Returns a full or causal mask, or any pattern that n tokens can have.
[[nodiscard]] inline MaskSpec random_mask(std::int64_t n, std::mt19937_64& random) {
  const auto kind = random() % 4;
  if (kind < 2 || n < 2) return kind % 2 == 0 ? MaskKind::full : MaskKind::causal;
  return MaskSpec(mask_fixtures::random_pattern(random, n));
}

struct RandomLayer {
  LayerShape shape;
  LayerOptions options;
  LayerWeights weights;
  std::vector<float> x;

  RandomLayer(const LayerShape& sizes, const MaskSpec& mask, std::uint64_t seed)
      : shape(sizes), weights(random_weights(sizes, seed, heap_allocator(), 1)) {
    options.mask = mask.mask(shape.n_tokens, shape.n_tokens);
    options.scale = 1.0 / std::sqrt(static_cast<double>(shape.head_dim));
    std::mt19937_64 engine(seed);
    std::normal_distribution<float> normal;
    x.resize(static_cast<std::size_t>(shape.states().elements()));
    for (float& value : x) value = normal(engine);
  }

  // Sets one hidden channel far from the others in every token, as trained models have it.
  void add_outlier_channel(float value) {
    const auto hidden = static_cast<std::size_t>(shape.hidden());
    for (std::size_t i = hidden / 3; i < x.size(); i += hidden) x[i] = value;
  }

  [[nodiscard]] LayerQuestion question() const {
    return {shape, weights, x.data(), options.mask, options.scale};
  }

  // Runs the layer once on the CPU. Returns y, which held NaN before the run.
  [[nodiscard]] std::vector<float> run(Allocator& allocator = heap_allocator(),
                                       LayerTimes* times = nullptr) const {
    std::vector<float> y(x.size(), std::numeric_limits<float>::quiet_NaN());
    const auto states = [&](const std::vector<float>& values) {
      return contiguous_view(const_cast<float*>(values.data()), DType::f32, shape.states());
    };
    CpuDevice device(options.threads);
    DeviceLayer on_cpu(device, shape, DType::f32, options, ClockKind::synchronized, allocator);
    const DeviceLayer::Run run = on_cpu.run(weights, states(x), states(y));
    if (times != nullptr) *times = run.times;
    return y;
  }
};

}  // namespace qb::testing_support
