// cuDNN's fused attention is a baseline for dense and causal problems. This host header needs no
// CUDA; cuDNN is loaded when the first object is made.
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
  // Enqueues everything on `stream`, a cudaStream_t. Throws Unsupported with the reason where there
  // is no cuDNN.
  explicit CudnnAttention(void* stream);

  // Attends over device views of f16 or bf16, to all pairs or, with as many queries as keys, below
  // the diagonal. Throws Unsupported for other schedules and for what cuDNN refuses. cuDNN writes O
  // in the inputs' type, and it is widened to float32 afterwards. What cuDNN's heuristics choose
  // for a shape is kept, so that only the first call of a shape plans.
  void attend(const AttentionArguments& device_views, const LaunchContext& context);

  // Returns `cudnn 9.19.0`.
  [[nodiscard]] const std::string& isa() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qb::cuda
