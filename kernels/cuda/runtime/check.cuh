// SPDX-License-Identifier: Apache-2.0
// Checks every call of the CUDA runtime. (nvcc cannot compile fmt's checked format strings.)
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "base/status.h"

namespace qb::cuda {

// Returns whether the context is lost after this error: then every later call fails with it too.
[[nodiscard]] inline bool device_is_lost(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
      return true;
    default:
      return false;
  }
}

// Out of memory and a lost device end the case (`oom`, `crashed`), and the sweep continues; every
// other error is a fault of the machine or of this program.
[[noreturn]] inline void fail(cudaError_t error, const char* expression, const char* file,
                              int line) {
  const std::string what =
      std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ')';
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // otherwise the next check finds it again
    throw CaseError(Status::oom,
                    std::string("the GPU has no more memory for ") + expression + ": " + what);
  }
  if (device_is_lost(error))
    throw CaseError(Status::crashed, std::string("the GPU was lost, seen at ") + file + ':' +
                                         std::to_string(line) + ": " + what);
  throw EnvironmentError(std::string(file) + ':' + std::to_string(line) + ": " + expression +
                         " failed: " + what);
}

}  // namespace qb::cuda

// Throws unless the call succeeds; see fail().
#define QB_CUDA_CHECK(expression)                                       \
  do {                                                                  \
    const cudaError_t qb_cuda_error = (expression);                     \
    if (qb_cuda_error != cudaSuccess)                                   \
      ::qb::cuda::fail(qb_cuda_error, #expression, __FILE__, __LINE__); \
  } while (false)
