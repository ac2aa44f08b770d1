// The layer on a compute device: the states, weights and all that is kept between parts are f16,
// bf16 or f32, what is computed with them float32.
#pragma once

#include <memory>

#include "harness/execute/player/device_executor.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {

struct DeviceLayerRun {
  LayerTimes times{};   // by the device's clock; a part lasts until the next begins
  double wall_s = 0.0;  // the host's, until the device is through
  double device_s = 0.0;
};

// Runs one layer any number of times. The blocks' schedules are made once, and what flash reads of
// them lies on the device as long as this lives: a run is kernels only, as it is of an attention
// that is prepared.
class DeviceLayer {
 public:
  // Device and allocator, which hands the device's memory out, must outlive it. Throws Unsupported,
  // OutOfMemory.
  DeviceLayer(ComputeDevice& device, const LayerShape& shape, DType dtype,
              const LayerOptions& options, ClockKind clock, Allocator& allocator);
  ~DeviceLayer();
  DeviceLayer(const DeviceLayer&) = delete;
  DeviceLayer& operator=(const DeviceLayer&) = delete;

  // weights, x [batch, N, H] and y in the device's memory, of the layer's type. Attention's output
  // is float32, so in a 16-bit layer it is rounded in a pass of its own, which counts as attention.
  // Throws OutOfMemory.
  [[nodiscard]] DeviceLayerRun run(const LayerWeights& weights, const TensorView& x,
                                   const TensorView& y);

 private:
  class OnDevice;
  std::unique_ptr<OnDevice> on_device_;
};

}  // namespace qb
