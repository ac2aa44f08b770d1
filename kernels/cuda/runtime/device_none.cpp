// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/device.h"

namespace qb {

CudaProbe probe_cuda() { return {{}, "no GPU: this binary was built without CUDA"}; }

}  // namespace qb
