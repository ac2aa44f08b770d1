#include "base/status.h"
#include "harness/execute/device/cuda_device.h"

namespace qb {

std::unique_ptr<ComputeDevice> open_cuda_device(const CudaDeviceOptions&) {
  throw Unsupported("this build has no CUDA; build where nvcc is, or use device: cpu");
}

}  // namespace qb
