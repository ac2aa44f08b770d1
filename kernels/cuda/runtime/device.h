// Which CUDA devices this process can use. A plain host header: it needs no CUDA, and every build
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
  std::string id{};  // its UUID, in hex: of this one GPU
};

// Devices in the order of their CUDA ordinals; where there is none, a sentence that says why.
struct CudaProbe {
  std::vector<CudaDevice> devices;
  std::string reason;
};

// Never throws for the lack of a device, a driver or CUDA itself. Throws EnvironmentError where a
// device is there and answers with an error.
[[nodiscard]] CudaProbe probe_cuda();

// The questions that a probe asks. Each answers with a cudaError_t: 0 is success. Versions are
// 1000 * major + 10 * minor.
struct DriverQueries {
  int runtime_version = 0;
  std::function<int(int& version)> driver_version;  // 0: no driver
  std::function<int(int& count)> device_count;
  std::function<int(int ordinal, CudaDevice& device)> properties;
  std::function<std::string(int error)> text;
};
[[nodiscard]] CudaProbe probe_cuda(const DriverQueries& queries);

// Why `device: cuda` cannot run here, with the remedy; empty where it can: a device of compute
// capability 8.0 or newer, and all devices of one kind, so that a row can say what it ran on.
[[nodiscard]] std::string why_no_cuda(const CudaProbe& probe);

}  // namespace qb
