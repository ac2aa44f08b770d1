// cuDNN's fused attention, a baseline for dense and causal problems. A plain host header; cuDNN is
// loaded when the first is made.
#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/cuda_kernels.h"

namespace qb::cuda {

class CudnnAttention {
 public:
  // stream: a cudaStream_t on which everything is enqueued. Throws Unsupported with the reason
  // where there is no cuDNN.
  explicit CudnnAttention(void* stream);
  ~CudnnAttention();
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;

  // As AttentionArguments on device views of f16 or bf16, over all pairs or, with as many queries
  // as keys, below the diagonal: other schedules are Unsupported, as is what cuDNN refuses. O,
  // which cuDNN writes in the inputs' type, is widened to float32 afterwards. What cuDNN's
  // heuristics choose for a shape is kept, so that only the first call of a shape plans.
  void attend(const AttentionArguments& device_views, const LaunchContext& context);

  // `cudnn 9.19.0`.
  [[nodiscard]] const std::string& isa() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qb::cuda
