// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/case.h"

#include <fmt/format.h>

#include <utility>

#include "base/status.h"

namespace qb {
namespace {

struct GpuHere {
  std::optional<CudaDevice> device;
  std::string why_none;
};

const GpuHere& gpu_here() {
  static const GpuHere here = [] {
    try {
      const CudaProbe probe = probe_cuda();
      std::string reason = why_no_cuda(probe);
      if (!reason.empty()) return GpuHere{std::nullopt, std::move(reason)};
      return GpuHere{probe.devices.front(), {}};
    } catch (const EnvironmentError& error) {
      return GpuHere{std::nullopt, error.what()};  // there is a GPU that does not work
    }
  }();
  return here;
}

}  // namespace

std::optional<CudaDevice> first_gpu() { return gpu_here().device; }

const std::string& why_no_gpu() { return gpu_here().why_none; }

void require_device(const Case& c) {
  if (c.device == Device::cuda && !why_no_gpu().empty())
    throw EnvironmentError(
        fmt::format("device cuda: {} (--set device=cpu runs on the CPU)", why_no_gpu()));
}

}  // namespace qb
