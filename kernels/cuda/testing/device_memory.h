// SPDX-License-Identifier: Apache-2.0
// For tests: allocates device memory without a ledger.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string_view>

#include "kernels/allocator.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {

// Uses cudaMalloc and cudaFree, which wait for the device, so that memory in use is never handed
// out again.
class DeviceMemory final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::string_view /*label*/, int /*worker*/) override {
    void* pointer = nullptr;
    QB_CUDA_CHECK(cudaMalloc(&pointer, bytes == 0 ? 1 : bytes));
    return pointer;
  }
  void deallocate(void* pointer) noexcept override { (void)cudaFree(pointer); }
};

// Returns a contiguous copy of a host tensor on the device.
[[nodiscard]] inline Tensor to_device(Allocator& memory, const TensorView& host) {
  Tensor tensor(memory, host.dtype, host.extent, "copy");
  QB_CUDA_CHECK(cudaMemcpy(tensor.view().data, host.data, static_cast<std::size_t>(host.bytes()),
                           cudaMemcpyHostToDevice));
  return tensor;
}
inline void to_host(const TensorView& device, const TensorView& host) {
  QB_CUDA_CHECK(cudaMemcpy(host.data, device.data, static_cast<std::size_t>(host.bytes()),
                           cudaMemcpyDeviceToHost));
}

}  // namespace qb::cuda
