#include "kernels/cuda/flash/flash_kernels.h"

#include <cuda_runtime.h>

#include <mutex>
#include <set>
#include <utility>

#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {

void allow_shared_memory(const void* kernel, int bytes) {
  static std::mutex mutex;
  static std::set<std::pair<const void*, int>> allowed;
  int device = 0;
  QB_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  if (allowed.contains({kernel, device})) return;
  QB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  allowed.emplace(kernel, device);
}

}  // namespace qb::cuda
