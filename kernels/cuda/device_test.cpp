#include "kernels/cuda/device.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace qb
