// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <gtest/gtest.h>

namespace qb {
namespace {

TEST(OutOfMemory, SaysWhatDidNotFitIntoWhat) {
  const OutOfMemory over("scores", 3ULL << 30, 1ULL << 29, 2ULL << 30);
  EXPECT_EQ(over.status(), Status::oom);
  EXPECT_STREQ(over.what(),
               "scores needs 3.00 GiB with 512.00 MiB in use, over the budget of 2.00 GiB");
  EXPECT_STREQ(OutOfMemory("scores", 1, 0, 0).what(),
               "scores needs 1 B with 0 B in use, and the machine has no more");
}

}  // namespace
}  // namespace qb
