// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/device.h"

#include "kernels/cuda/runtime/check.cuh"

namespace qb {
namespace {

std::string hex(const cudaUUID_t& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : uuid.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value / 16];
    text += kDigits[value % 16];
  }
  return text;
}

int read_properties(int ordinal, CudaDevice& device) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
  if (error != cudaSuccess) return error;
  device = {properties.name,           properties.major,
            properties.minor,          properties.multiProcessorCount,
            properties.totalGlobalMem, static_cast<std::uint64_t>(properties.l2CacheSize),
            hex(properties.uuid)};
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
