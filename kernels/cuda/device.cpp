#include "kernels/cuda/device.h"

#include "kernels/cuda/check.cuh"

namespace qb {
namespace {

int read_properties(int ordinal, CudaDevice& device) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
  if (error != cudaSuccess) return error;
  device = {properties.name,           properties.major,
            properties.minor,          properties.multiProcessorCount,
            properties.totalGlobalMem, static_cast<std::uint64_t>(properties.l2CacheSize)};
  return cudaSuccess;
}

}  // namespace

CudaProbe probe_cuda() {
  return probe_cuda(
      {.runtime_version = CUDART_VERSION,
       .driver_version = [](int& version) { return int{cudaDriverGetVersion(&version)}; },
       .device_count = [](int& count) { return int{cudaGetDeviceCount(&count)}; },
       .properties = read_properties,
       .text =
           [](int error) {
             return std::string(cudaGetErrorString(static_cast<cudaError_t>(error)));
           }});
}

}  // namespace qb
