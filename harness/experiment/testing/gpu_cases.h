// SPDX-License-Identifier: Apache-2.0
// For tests: cases of device: cuda that take a few milliseconds, and runs of them on a host that
// imitates a GPU.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/experiment/testing/open_cases.h"
#include "harness/run/testing/device_probe.h"
#include "harness/run/testing/fake_link.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {

[[nodiscard]] inline Case tiny(Kernel kernel, const std::string& algorithm, int workers) {
  Case c = tiny(algorithm, workers);
  c.kernel = kernel;
  c.device = Device::cuda;
  c.threads = 0;
  c.dtype = DType::bf16;
  c.measure.min_repeats = c.measure.max_repeats = 4;
  return c;
}

[[nodiscard]] inline Case over_nccl(const std::string& algorithm, int workers) {
  Case c = tiny(Kernel::flash, algorithm, workers);
  c.ranks = Ranks::nccl;
  return c;
}

inline CaseResult run_with(const Case& c, const std::function<void(DeviceProbe&)>& prepare = {}) {
  return run_open_case(c, "", [&](const Case&) -> std::unique_ptr<ComputeDevice> {
    auto device = std::make_unique<DeviceProbe>();
    if (prepare) prepare(*device);
    return device;
  });
}

// Runs a case of ranks: nccl in this process alone.
inline CaseResult run_over_link(const Case& c) {
  FakeLinks links(1);
  return run_open_case(c, "", [&](const Case&) -> std::unique_ptr<ComputeDevice> {
    auto device = std::make_unique<FakeGpu>();
    device->connect(links);
    return device;
  });
}

}  // namespace qb
