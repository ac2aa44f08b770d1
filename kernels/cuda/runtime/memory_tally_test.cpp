#include "kernels/cuda/runtime/memory_tally.h"

#include <gtest/gtest.h>

namespace qb::cuda {
namespace {

TEST(MemoryTally, IsTheMostHeldAtOnceInWhicheverOrderTheRecordsCome) {
  const MemoryOperation operations[] = {{10, true, 0xa, 100},  {20, true, 0xb, 50},
                                        {30, false, 0xa, 100}, {40, true, 0xc, 80},
                                        {50, false, 0xb, 50},  {60, true, 0xa, 10}};
  MemoryTally forwards;
  for (const MemoryOperation& operation : operations) forwards.add(operation);
  EXPECT_EQ(forwards.peak_bytes(), 150u);
  MemoryTally backwards;
  for (int i = 5; i >= 0; --i) backwards.add(operations[i]);
  EXPECT_EQ(backwards.peak_bytes(), 150u);
}

TEST(MemoryTally, ForgetsWhatWasThereBefore) {
  MemoryTally tally;
  EXPECT_EQ(tally.peak_bytes(), 0u);
  tally.add({1, false, 0xa, 1000});
  tally.add({2, true, 0xb, 7});
  EXPECT_EQ(tally.peak_bytes(), 7u);
}

TEST(MemoryTally, AnAddressThatIsHandedOutAgainAtOnceIsHeldOnce) {
  MemoryTally tally;
  tally.add({1, true, 0xa, 100});
  tally.add({2, true, 0xa, 100});
  tally.add({2, false, 0xa, 100});
  EXPECT_EQ(tally.peak_bytes(), 100u);
}

}  // namespace
}  // namespace qb::cuda
