#include "kernels/cuda/device.h"

#include "kernels/cuda/check.cuh"

namespace qb {

CudaProbe probe_cuda() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  // Every call fails with the first where no driver is installed, other machines answer the second.
  if (error == cudaErrorInsufficientDriver)
    return {{},
            "no GPU: there is no NVIDIA driver, or it is older than CUDA " QB_CUDA_TOOLKIT_VERSION
            " needs"};
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    return {{}, "no GPU: the NVIDIA driver reports no device"};
  QB_CUDA_CHECK(error);

  CudaProbe probe;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    QB_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    probe.devices.push_back({properties.name, properties.major, properties.minor,
                             properties.multiProcessorCount, properties.totalGlobalMem});
  }
  return probe;
}

}  // namespace qb
