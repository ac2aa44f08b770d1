// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"
#include "kernels/cuda/blas/cudnn_attention.h"

namespace qb::cuda {

struct CudnnAttention::State {
  std::string isa;
};

CudnnAttention::CudnnAttention(void*) {
  throw Unsupported("kernel cudnn: this build found no cudnn.h; the nearest is kernel flash");
}
void CudnnAttention::attend(const AttentionArguments&, const LaunchContext&) {}
void CudnnAttention::attend_backward(const BackwardArguments&, const LaunchContext&) {}
const std::string& CudnnAttention::isa() const { return state_->isa; }

}  // namespace qb::cuda
