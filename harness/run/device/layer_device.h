// SPDX-License-Identifier: Apache-2.0
// A device that computes a transformer layer: attention, and the parts of kernels/layer_call.h.
// Libraries use the workspace.
#pragma once

#include <string_view>

#include "harness/run/device/attention_device.h"
#include "kernels/layer_call.h"

namespace qb {

class LayerDevice : public AttentionDevice {
 public:
  static constexpr std::string_view kMissing = "this device computes no transformer layer";

  virtual void linear(const LinearCall& call, Allocator& workspace) = 0;
  virtual void bias_gelu(const GeluCall& call) = 0;
  virtual void add_norm(const NormCall& call) = 0;
};

// One that has their backward passes, which add to the gradients of weights, biases and norms.
class LayerGradientsDevice : public LayerDevice {
 public:
  static constexpr std::string_view kMissing =
      "this device has no backward pass; the nearest is the CPU's";

  virtual void linear_backward(const LinearBackwardCall& call, Allocator& workspace) = 0;
  virtual void bias_gelu_backward(const GeluBackwardCall& call) = 0;
  virtual void add_norm_backward(const NormBackwardCall& call, Allocator& workspace) = 0;
};

}  // namespace qb
