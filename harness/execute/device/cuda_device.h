// A GPU as a compute device.
#pragma once

#include <memory>

#include "harness/execute/device/compute_device.h"

namespace qb {

struct CudaDeviceOptions {
  bool force_sm80 = false;  // flash uses nothing that came after the A100
  int ordinal = 0;          // among the GPUs that the process sees
};

// Opens a GPU that the process sees. Throws Unsupported, with the reason, if this build has no CUDA
// or the kernels do not run on the GPU.
[[nodiscard]] std::unique_ptr<ComputeDevice> open_cuda_device(const CudaDeviceOptions& options);

}  // namespace qb
