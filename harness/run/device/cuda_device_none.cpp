// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"
#include "harness/run/device/compute_device.h"

namespace qb {

std::unique_ptr<ComputeDevice> open_cuda_device(bool, int) {
  throw Unsupported("this build has no CUDA; build where nvcc is, or use device: cpu");
}

}  // namespace qb
