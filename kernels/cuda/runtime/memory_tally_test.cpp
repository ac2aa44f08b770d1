// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/memory_activity.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace qb::cuda {
namespace {

TEST(MemoryTally, IsTheMostHeldAtOnceInWhicheverOrderTheRecordsCome) {
  std::vector<MemoryActivity::Operation> operations = {{10, true, 0xa, 100},  {20, true, 0xb, 50},
                                                       {30, false, 0xa, 100}, {40, true, 0xc, 80},
                                                       {50, false, 0xb, 50},  {60, true, 0xa, 10}};
  EXPECT_EQ(MemoryActivity::peak_of(operations), 150u);
  std::reverse(operations.begin(), operations.end());
  EXPECT_EQ(MemoryActivity::peak_of(operations), 150u);
}

TEST(MemoryTally, ForgetsWhatWasThereBefore) {
  EXPECT_EQ(MemoryActivity::peak_of({}), 0u);
  EXPECT_EQ(MemoryActivity::peak_of({{1, false, 0xa, 1000}, {2, true, 0xb, 7}}), 7u);
}

TEST(MemoryTally, AnAddressThatIsHandedOutAgainAtOnceIsHeldOnce) {
  EXPECT_EQ(
      MemoryActivity::peak_of({{1, true, 0xa, 100}, {2, true, 0xa, 100}, {2, false, 0xa, 100}}),
      100u);
}

}  // namespace
}  // namespace qb::cuda
