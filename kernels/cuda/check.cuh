// The one check of CUDA runtime calls. (nvcc cannot compile fmt's checked format strings.)
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "harness/base/status.h"

namespace qb::cuda {

[[noreturn]] inline void fail(cudaError_t error, const char* expression, const char* file,
                              int line) {
  throw EnvironmentError(std::string(file) + ':' + std::to_string(line) + ": " + expression +
                         " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                         ')');
}

}  // namespace qb::cuda

// Throws EnvironmentError with the expression, file and line unless the call succeeds.
#define QB_CUDA_CHECK(expression)                                       \
  do {                                                                  \
    const cudaError_t qb_cuda_error = (expression);                     \
    if (qb_cuda_error != cudaSuccess)                                   \
      ::qb::cuda::fail(qb_cuda_error, #expression, __FILE__, __LINE__); \
  } while (false)
