// SPDX-License-Identifier: Apache-2.0
// The backward pass of the layer in transformer_layer.h: from dY, the gradient of a loss with
// respect to the layer's output, it computes dX and adds the gradients of all weights, biases and
// norms to float32 sums. With S1 = O Wo + x, U = a W1 and S2 = gelu(U) W2 + a, each with its bias,
// so that a = norm(S1) and y = norm(S2):
//
//   dS2 from dY and S2, as layer_call.h has it for a norm
//   dU  = gelu'(U) (dS2 W2^T)      elementwise
//   dA  = dS2 + dU W1^T
//   dS1 from dA and S1
//   dO  = dS1 Wo^T, and dQ, dK and dV from it, as kernels/attention_backward.h has it
//   dX  = dS1 + dQ Wq^T + dK Wk^T + dV Wv^T
//
// The gradient of a weight is the product of what went in, transposed, and the gradient of what
// came out, a^T dU for W1, and that of its bias the sum of the rows of dU. One gradient [rows, H]
// is turned into the next one in place, from dY to dX, in the memory of dX.
//
// The pass runs in the blocks of the forward pass. Given LSE, the pairs of attention do not depend
// on each other, so a block of queries adds what it gives to dK and dV of the whole sequence, which
// are multiplied by their weights at the end. The plain layer has one block and finds every product
// in what was kept; it computes only norms and the GELU again. In blocks (Blockwise Parallel
// Transformer) all that follows attention is computed again, block by block, three quarters of the
// products of BERT's forward pass; in return the activation [N, F] and its gradient never exist
// whole, in either pass.
//
// A 16-bit layer rounds dX and every gradient between two parts to its type; dQ, dK and dV stay
// float32 until they are multiplied.
#pragma once

#include <cstdint>

#include "harness/plan/pass.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/device/compute_device.h"
#include "harness/workload/layer/layer_blocks.h"
#include "harness/workload/layer/layer_weights.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"

namespace qb {

// All but d_weights has the layer's type, and all is in the device's memory. x, d_y and d_x are
// [batch, N, H], contiguous, and do not overlap.
struct LayerBackwardArguments {
  const LayerWeights& weights;
  const TensorView& x;
  const LayerKept& kept;  // DeviceLayer::run() filled it with these weights and this x
  const TensorView& d_y;
  const TensorView& d_x;          // written whole
  const LayerWeights& d_weights;  // f32 sums, added to: the caller clears them first
};

// Runs the backward pass; times[part] has the gradients of what the part computes, and the part
// computed again. Does not change what is kept, so that it can run again. Throws Unsupported where
// the device or the kernel has no backward pass, and for a share of tensor parallelism,
// OutOfMemory, and std::invalid_argument where d_weights is not f32.
[[nodiscard]] DeviceLayer::Run run_layer_backward(ComputeDevice& device, const LayerShape& shape,
                                                  DType dtype, const LayerOptions& options,
                                                  ClockKind clock, Allocator& allocator,
                                                  const LayerBackwardArguments& arguments);

// The tensors that exist before a forward pass begins and after it ends.
struct LayerTensors {
  LayerTensors(const LayerShape& shape, DType dtype, Allocator& allocator)
      : weights(shape, allocator, dtype),
        x(allocator, dtype, shape.states(), "hidden_states"),
        y(allocator, dtype, shape.states(), "output") {}

  LayerWeights weights;
  Tensor x;
  Tensor y;
};
// The tensors that a backward pass needs besides.
struct LayerGradientTensors {
  LayerGradientTensors(const LayerShape& shape, DType dtype, Allocator& allocator)
      : d_weights(shape, allocator, DType::f32, "d_weights"),
        d_y(allocator, dtype, shape.states(), "d_output"),
        d_x(allocator, dtype, shape.states(), "d_hidden_states") {}

  LayerWeights d_weights;  // f32
  Tensor d_y;
  Tensor d_x;
};

// Predicts the memory of a pass, and its pairs of one head and sequence, by running it on a device
// that computes nothing; of one pass after the other the larger peaks. LayerTensors exist before
// either pass begins, LayerGradientTensors before the backward pass; what is kept counts as the
// pass's own. keeps: a forward pass alone keeps what a backward pass needs. Throws as the pass
// does.
[[nodiscard]] Rehearsal rehearse_layer(const LayerShape& shape, DType dtype,
                                       const LayerOptions& options, const cuda::KernelCosts& costs,
                                       Passes passes = Passes::forward, bool keeps = false);

// FLOP of a part's gradients, as layer_part_flop() counts: two products for each product of the
// forward pass, and five of attention for its two. What is computed again does not count.
[[nodiscard]] double layer_part_backward_flop(const LayerShape& shape, LayerPart part,
                                              std::int64_t pairs);

}  // namespace qb
