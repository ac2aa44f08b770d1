// Describes attention as an operation graph of cuDNN, and the plan that executes it. Only
// cudnn_*.cpp use it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cuda/blas/cudnn_library.h"
#include "kernels/cuda/blas/whole_mask.h"

namespace qb::cuda {

// These tensors are bound at execution. The two scalars are float32 on the host.
enum TensorId : std::int64_t { kQ = 1, kK, kV, kO, kStatistics, kScale, kMasked, kFirstVirtual };

// Returns the operations of softmax(scale Q K^T) V with the statistics of its rows; out has the
// inputs' type. Without a mask this is one node. That node of cuDNN 9.19 has no attribute for the
// causal mask, so the pattern that its engines know is written out: product, scale, select by row
// and column number, softmax, product.
[[nodiscard]] std::vector<Descriptor> attention_operations(const AttentionArguments& a,
                                                           const TensorView& out, WholeMask mask);

struct CudnnPlan {
  Descriptor graph;
  Descriptor engine;
  Descriptor plan;
  std::int64_t workspace_bytes = 0;
};

// Returns the first plan that can be made of what cuDNN's heuristics propose: first the engines in
// the order of their expected speed, then the fallback engines. Throws Unsupported, with the first
// reason, where every engine refuses; CaseError error where one fails otherwise and no other one
// accepts the graph; CaseError crashed, at once, where the device is lost.
[[nodiscard]] CudnnPlan make_plan(cudnnHandle_t handle, const std::vector<Descriptor>& operations);

}  // namespace qb::cuda
