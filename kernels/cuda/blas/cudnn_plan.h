// From an operation graph to something that cuDNN can execute. Private to cudnn_*.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/blas/cudnn_library.h"

namespace qb::cuda {

struct CudnnPlan {
  Descriptor graph;
  Descriptor engine;
  Descriptor plan;
  std::int64_t workspace_bytes = 0;
};

// The first plan that can be made of what cuDNN's heuristics propose: from the engine that should
// be fastest on, then those that they fall back on. Throws Unsupported, with the first reason,
// where every engine refuses; CaseError error where one fails otherwise and no other one takes the
// graph; CaseError crashed, at once, where the device is lost.
[[nodiscard]] CudnnPlan make_plan(cudnnHandle_t handle, const std::vector<Descriptor>& operations);

}  // namespace qb::cuda
