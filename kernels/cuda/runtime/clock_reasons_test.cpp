// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/clocks.h"

#include <gtest/gtest.h>

namespace qb::cuda {
namespace {

TEST(ClockReasons, IdlingAndChosenClocksAreNoThrottling) {
  for (const std::uint64_t bits : {0x0u, 0x1u, 0x2u, 0x10u, 0x100u, 0x113u})
    EXPECT_FALSE(is_throttled({.sm_hz = 1e9, .reasons = bits, .reasons_known = true})) << bits;
}

TEST(ClockReasons, NameWhatSlowsTheGpuDown) {
  EXPECT_EQ(throttle_text(0x04), "power cap");
  EXPECT_EQ(throttle_text(0x01 | 0x20 | 0x40), "heat");
  EXPECT_EQ(throttle_text(0x04 | 0x08 | 0x80), "power cap, hardware slowdown, power brake");
  EXPECT_TRUE(is_throttled({.sm_hz = 1e9, .reasons = 0x05, .reasons_known = true}));
}

}  // namespace
}  // namespace qb::cuda
