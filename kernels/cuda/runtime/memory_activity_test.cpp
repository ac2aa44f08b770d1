// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/memory_activity.h"

#include <gtest/gtest.h>

#include "kernels/cuda/runtime/device.h"

namespace qb::cuda {
namespace {

TEST(CudaMemoryActivity, WithoutAGpuSaysWhyItRecordsNothing) {
  if (!probe_cuda().devices.empty()) GTEST_SKIP() << "this machine has a GPU";
  const MemoryActivity activity;
  EXPECT_FALSE(activity.reason().empty());
  EXPECT_FALSE(activity.peak_bytes().has_value());
}

}  // namespace
}  // namespace qb::cuda
