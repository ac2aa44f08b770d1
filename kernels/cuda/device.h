// Which CUDA devices this process can use. A plain host header: it needs no CUDA, and every build
// links one of its two implementations, as target qb_device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qb {

struct CudaDevice {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
};

// Devices in the order of their CUDA ordinals; where there is none, a sentence that says why.
struct CudaProbe {
  std::vector<CudaDevice> devices;
  std::string reason;
};

// Never throws for the lack of a device, a driver or CUDA itself. Throws EnvironmentError where a
// device is there and answers with an error.
[[nodiscard]] CudaProbe probe_cuda();

}  // namespace qb
