// The GPU as a compute device.
#pragma once

#include <memory>

#include "harness/execute/device/compute_device.h"

namespace qb {

struct CudaDeviceOptions {
  bool force_sm80 = false;  // flash without what came after the A100
  int ordinal = 0;          // of those that the process sees
};

// A GPU that the process sees. Throws Unsupported where this build has no CUDA or the GPU
// is not one that the kernels run on, with the reason.
[[nodiscard]] std::unique_ptr<ComputeDevice> open_cuda_device(const CudaDeviceOptions& options);

}  // namespace qb
