// The layer on a compute device: the states, weights and all that is kept between parts are f16,
// bf16 or f32, what is computed with them float32.
#pragma once

#include "harness/execute/device_executor.h"
#include "harness/layer/transformer_layer.h"

namespace qb {

struct DeviceLayerRun {
  LayerTimes times{};   // by the device's clock; a part lasts until the next begins
  double wall_s = 0.0;  // the host's, until the device is through
  double device_s = 0.0;
};

// weights, x [batch, N, H] and y in the device's memory, of one type; the allocator hands that
// memory out. Attention's output is float32, so in a 16-bit layer it is rounded in a pass of its
// own, which counts as attention. Throws Unsupported, OutOfMemory.
[[nodiscard]] DeviceLayerRun run_device_layer(ComputeDevice& device, const LayerShape& shape,
                                              const LayerWeights& weights, const TensorView& x,
                                              const TensorView& y, const LayerOptions& options,
                                              ClockKind clock, Allocator& allocator);

}  // namespace qb
