// SPDX-License-Identifier: Apache-2.0
// cuDNN's fused attention and its gradients are a baseline for dense and causal problems. This host
// header needs no CUDA; cuDNN is loaded when the first object is made.
#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/cuda_kernels.h"

namespace qb::cuda {

// cuDNN knows masks only by name; whole_mask() finds the name of a schedule's mask.
enum class WholeMask {
  none,    // every query sees every key
  causal,  // as many queries as keys, and query i sees keys 0 to i
  other,
};

[[nodiscard]] WholeMask whole_mask(const TileSchedule& schedule);

class CudnnAttention {
 public:
  // Enqueues on `stream`, a cudaStream_t. Throws Unsupported, with the reason, without cuDNN.
  explicit CudnnAttention(void* stream);

  // Attends over device views of f16 or bf16 under WholeMask none or causal. Throws Unsupported for
  // other schedules and for what cuDNN refuses. cuDNN writes O in the inputs' type, and it is then
  // widened to float32. Only the first call of a shape plans: the heuristics' choice is kept.
  void attend(const AttentionArguments& device_views, const LaunchContext& context);

  // Adds to dQ, dK and dV over device views, under the same masks. Throws Unsupported as attend()
  // does, and for grouped queries, another head_dim of V, and a call without O. cuDNN reads O and
  // writes gradients in the inputs' type.
  void attend_backward(const BackwardArguments& device_views, const LaunchContext& context);

  [[nodiscard]] const std::string& isa() const;  // as in `cudnn 9.19.0`

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qb::cuda
