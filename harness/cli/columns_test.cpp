#include <gtest/gtest.h>

#include "harness/experiment/result.h"
#include "kernels/microbench/sample_reporter.h"

namespace qb {
namespace {

// The kernels know nothing of run folders, so the microbenchmarks hold the list a second time.
TEST(Columns, MicrobenchmarksWriteTheSampleRowsOfRuns) {
  EXPECT_EQ(microbench_columns(), sample_columns());
}

}  // namespace
}  // namespace qb
