// The layer on any device. States, weights and all that parts keep for later parts are f16, bf16 or
// f32 (on the CPU f32); the computation is in float32.
#pragma once

#include <memory>

#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/device/stopwatch.h"
#include "harness/workload/layer/transformer_layer.h"

namespace qb {

struct DeviceLayerRun {
  LayerTimes times{};     // on the device's clock; on a GPU a part lasts until the next begins
  double wall_s = 0.0;    // on the host's clock, until the device has finished
  double device_s = 0.0;  // 0 on the CPU
};

// Runs one layer any number of times. On a GPU it makes the blocks' schedules once and keeps what
// flash reads of them on the device as long as it lives, so that a run is kernels only, like one of
// a prepared attention. On the CPU each run makes them, and their time counts as attention, as it
// does where a worker computes.
class DeviceLayer {
 public:
  // The device and the allocator of its memory must outlive it. Throws Unsupported, OutOfMemory.
  DeviceLayer(ComputeDevice& device, const LayerShape& shape, DType dtype,
              const LayerOptions& options, ClockKind clock, Allocator& allocator);
  ~DeviceLayer();
  DeviceLayer(const DeviceLayer&) = delete;
  DeviceLayer& operator=(const DeviceLayer&) = delete;

  // weights, x [batch, N, H] and y are in the device's memory and have the layer's type.
  // Attention's output is float32, so a 16-bit layer rounds it in a separate pass, which counts as
  // attention. Throws OutOfMemory.
  [[nodiscard]] DeviceLayerRun run(const LayerWeights& weights, const TensorView& x,
                                   const TensorView& y);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Predicts the memory and the pairs of a layer on a device by running it on one that computes
// nothing. Weights, states and output exist before the layer begins, as in a case. Pairs are those
// of one head and sequence. Throws as the layer does where the kernels do not support the call.
[[nodiscard]] Rehearsal rehearse_layer(const LayerShape& shape, DType dtype,
                                       const LayerOptions& options, const cuda::KernelCosts& costs);

}  // namespace qb
