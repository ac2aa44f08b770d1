// SPDX-License-Identifier: Apache-2.0
// Lists the CUDA devices that this process can use. This host header needs no CUDA, and every build
// links one implementation of probe_cuda(), as target qb_device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qb {

struct CudaDevice {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::string id{};  // UUID of this one GPU, in hex
};

// Lists devices in the order of their CUDA ordinals; where there is none, `reason` says why.
struct CudaProbe {
  std::vector<CudaDevice> devices;
  std::string reason;
};

// Throws EnvironmentError where a device answers with an error, but not where none is there.
[[nodiscard]] CudaProbe probe_cuda();

// A probe asks these questions. Each answers with a cudaError_t: 0 is success. Versions are 1000 *
// major + 10 * minor.
struct DriverQueries {
  int runtime_version = 0;
  std::function<int(int& version)> driver_version;  // 0: no driver
  std::function<int(int& count)> device_count;
  std::function<int(int ordinal, CudaDevice& device)> properties;
  std::function<std::string(int error)> text;
};
[[nodiscard]] CudaProbe probe_cuda(const DriverQueries& queries);

// Returns why `device: cuda` cannot run here, with the remedy; empty where it can. It needs devices
// of compute capability 8.0 or newer, all of one kind, so that a row can say what it ran on.
[[nodiscard]] std::string why_no_cuda(const CudaProbe& probe);

}  // namespace qb
