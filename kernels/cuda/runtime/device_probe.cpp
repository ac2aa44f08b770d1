// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/status.h"
#include "kernels/cuda/runtime/device.h"

namespace qb {
namespace {

// These are numbers of cudaError_t, which do not change.
constexpr int kInsufficientDriver = 35;
constexpr int kNoDevice = 100;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string why_insufficient(const DriverQueries& queries) {
  int version = 0;
  (void)queries.driver_version(version);
  if (version == 0) return "no GPU: there is no NVIDIA driver on this machine";
  return fmt::format(
      "no GPU: the NVIDIA driver supports CUDA {} and this build needs {}; update the driver, or "
      "build with an older toolkit",
      version_text(version), version_text(queries.runtime_version));
}

}  // namespace

CudaProbe probe_cuda(const DriverQueries& queries) {
  int count = 0;
  const int error = queries.device_count(count);
  // Without a driver some machines return the first error, others the second.
  if (error == kInsufficientDriver) return {{}, why_insufficient(queries)};
  if (error == kNoDevice || (error == 0 && count == 0))
    return {{}, "no GPU: the NVIDIA driver reports no device"};
  const auto require = [&](int code, const char* what) {
    if (code != 0) throw EnvironmentError(fmt::format("{} failed: {}", what, queries.text(code)));
  };
  require(error, "counting the GPUs");
  CudaProbe probe;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    require(queries.properties(ordinal, probe.devices.emplace_back()),
            "asking a GPU for its properties");
  }
  return probe;
}

std::string why_no_cuda(const CudaProbe& probe) {
  if (probe.devices.empty()) return probe.reason;
  const CudaDevice& first = probe.devices[0];
  for (const CudaDevice& device : probe.devices)
    if (device.name != first.name)
      return fmt::format(
          "this machine has GPUs of different kinds, {} and {}, and a row could not say which it "
          "ran on; choose with CUDA_VISIBLE_DEVICES",
          first.name, device.name);
  if (first.compute_major < 8)
    return fmt::format(
        "{} has compute capability {}.{}, and the kernels need 8.0 (A100) or newer; use device: "
        "cpu",
        first.name, first.compute_major, first.compute_minor);
  return {};
}

}  // namespace qb
