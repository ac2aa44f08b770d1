// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

TEST(ProbeCuda, NamesItsDevicesOrSaysWhyThereIsNone) {
  const CudaProbe probe = probe_cuda();
  EXPECT_EQ(probe.devices.empty(), !probe.reason.empty());
  if (probe.devices.empty()) {
    EXPECT_EQ(probe.reason.substr(0, 8), "no GPU: ");
  }
  for (const CudaDevice& device : probe.devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_GE(device.compute_major, 5);
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GT(device.memory_bytes, std::uint64_t{1} << 30);
  }
}

// Describes a machine with these devices, the driver's version and the error of counting them.
struct ProbedGpuMachine {
  std::vector<CudaDevice> devices;
  int driver_version = 13000;
  int count_error = 0;
  int properties_error = 0;

  [[nodiscard]] CudaProbe probe() const {
    return probe_cuda({.runtime_version = 13000,
                       .driver_version =
                           [this](int& version) {
                             version = driver_version;
                             return 0;
                           },
                       .device_count =
                           [this](int& count) {
                             count = static_cast<int>(devices.size());
                             return count_error;
                           },
                       .properties =
                           [this](int ordinal, CudaDevice& device) {
                             device = devices[static_cast<std::size_t>(ordinal)];
                             return properties_error;
                           },
                       .text = [](int error) { return "error " + std::to_string(error); }});
  }
};

const CudaDevice kA100{"NVIDIA A100-SXM4-80GB", 8, 0, 108, 80ull << 30, 40ull << 20};
const CudaDevice kH200{"NVIDIA H200", 9, 0, 132, 140ull << 30, 50ull << 20};
const CudaDevice kTuring{"Tesla T4", 7, 5, 40, 15ull << 30, 4ull << 20};

TEST(ProbeCuda, TellsAMissingDriverFromAnOldOne) {
  EXPECT_EQ((ProbedGpuMachine{{}, 0, 35}.probe().reason),
            "no GPU: there is no NVIDIA driver on this machine");
  EXPECT_EQ((ProbedGpuMachine{{kA100}, 12020, 35}.probe().reason),
            "no GPU: the NVIDIA driver supports CUDA 12.2 and this build needs 13.0; update the "
            "driver, or build with an older toolkit");
  EXPECT_EQ((ProbedGpuMachine{{}, 13000, 100}.probe().reason),
            "no GPU: the NVIDIA driver reports no device");
  EXPECT_EQ((ProbedGpuMachine{{}, 13000, 0}.probe().reason),
            "no GPU: the NVIDIA driver reports no device");
}

TEST(ProbeCuda, ThrowsWhereADeviceIsThereAndBroken) {
  EXPECT_THROW((void)(ProbedGpuMachine{{kA100}, 13000, 999}.probe()), EnvironmentError);
  EXPECT_THROW((void)(ProbedGpuMachine{{kA100}, 13000, 0, 214}.probe()), EnvironmentError);
}

TEST(WhyNoCuda, AcceptsOneKindOfDeviceFromTheA100On) {
  EXPECT_EQ(why_no_cuda(ProbedGpuMachine{{kA100}}.probe()), "");
  EXPECT_EQ(why_no_cuda(ProbedGpuMachine{{kH200, kH200}}.probe()), "");
}

TEST(WhyNoCuda, NamesWhatIsWrongAndTheRemedy) {
  EXPECT_EQ(why_no_cuda(ProbedGpuMachine{{kTuring}}.probe()),
            "Tesla T4 has compute capability 7.5, and the kernels need 8.0 (A100) or newer; use "
            "device: cpu");
  EXPECT_THAT(why_no_cuda(ProbedGpuMachine{{kA100, kH200}}.probe()),
              testing::HasSubstr("NVIDIA A100-SXM4-80GB and NVIDIA H200"));
  EXPECT_EQ(why_no_cuda(ProbedGpuMachine{{}, 0, 35}.probe()),
            "no GPU: there is no NVIDIA driver on this machine");
}

}  // namespace
}  // namespace qb
