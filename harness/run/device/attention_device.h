// SPDX-License-Identifier: Apache-2.0
// A device with kernels of attention. Executors of plans need this facet.
#pragma once

#include <functional>
#include <string_view>

#include "harness/run/device/compute_device.h"
#include "kernels/attention_backward.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/layer_call.h"

namespace qb {

class AttentionDevice : public virtual ComputeDevice {
 public:
  static constexpr std::string_view kMissing = "this device has no kernels of attention";

  // A call whose schedules are on the device already. It can run any number of times.
  struct Prepared {
    std::function<void()> attend;  // computes the partials of all its workers
    std::function<void()> merge;   // merges partials into the output
  };
  // Does what attention() does with a schedule that is on the device already, any number of times,
  // for tensors of the same shapes, strides and alignment. It ignores the arguments' schedule.
  using KeptSchedule = std::function<void(const AttentionArguments&, Allocator& workspace)>;
  // Does so for attention_backward().
  using KeptBackward = std::function<void(const BackwardArguments&, Allocator& workspace)>;

  [[nodiscard]] KernelTiles tiles(Kernel kernel, std::int64_t head_dim) const {
    return costs().tiles(kernel, head_dim);
  }
  // Throws Unsupported if the device has no such kernel, and names the nearest. A device whose
  // kernels refuse such calls need not check here.
  virtual void require(Kernel /*kernel*/, DType /*dtype*/, std::int64_t /*head_dim*/) const {}
  // Returns false if attention() reads nothing of a schedule, which may be null then.
  [[nodiscard]] virtual bool reads_schedule(Kernel /*kernel*/) const { return true; }
  // Names what the kernel runs on, for the isa column.
  [[nodiscard]] virtual std::string_view isa(Kernel kernel, DType dtype) = 0;

  // A device on the host times the stages of kernel staged in context.stages, other devices in
  // on_stage; either may be empty.
  virtual void attention(Kernel kernel, const AttentionArguments& arguments,
                         const KernelContext& context, const cuda::OnStage& on_stage) = 0;
  // The backward pass of a kernel (kernels/attention_backward.h): adds to dQ, dK and dV.
  virtual void attention_backward(Kernel kernel, const BackwardArguments& arguments,
                                  const KernelContext& context) = 0;
  // delta[i] = Σ_e dO[i,e]·O[i,e]: one number per query row, read by the backward pass.
  virtual void compute_delta(const TensorView& out, const TensorView& d_out,
                             const TensorView& delta) = 0;
  // kernels/attention_backward.h
  virtual void sink_gradients(const TensorView& lse, const TensorView& delta,
                              const TensorView& sinks, const TensorView& d_sinks) = 0;
  // Kernel flash only. The call may be destroyed once this has returned. By default each worker is
  // a call of attention() on rows that are gathered for it.
  [[nodiscard]] virtual Prepared prepare(const cuda::GroupedCall& call, Allocator& workspace);
  // Does not read the tensors; the schedule may be destroyed afterwards. Returns an empty function
  // if the kernel keeps nothing (all but flash on a GPU): attention() costs no more then.
  [[nodiscard]] virtual KeptSchedule keep_schedule(Kernel /*kernel*/,
                                                   const AttentionArguments& /*arguments*/,
                                                   Allocator& /*memory*/, int /*worker*/) {
    return {};
  }
  // Does so for attention_backward().
  [[nodiscard]] virtual KeptBackward keep_backward_schedule(Kernel /*kernel*/,
                                                            const BackwardArguments& /*arguments*/,
                                                            Allocator& /*memory*/, int /*worker*/) {
    return {};
  }
};

// A device that computes a transformer layer: attention, and the parts of kernels/layer_call.h.
// Libraries use the workspace.
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
