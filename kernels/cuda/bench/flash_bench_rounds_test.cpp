// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/bench/flash_bench.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace qb::cuda {
namespace {

TEST(BenchRequest, SaysKernelShapeAndRepeats) {
  const BenchRequest request = parse_request("flash_sm80 forward f16 64 causal 4096 8 2 5");
  EXPECT_EQ(request.kernel, BenchKernel::flash_sm80);
  EXPECT_EQ(request.shape, (BenchShape{.dtype = DType::f16,
                                       .d = 64,
                                       .causal = true,
                                       .queries = 4096,
                                       .keys = 4096,
                                       .batch = 1,
                                       .heads = 8,
                                       .kv_heads = 8}));
  EXPECT_EQ(request.warm_ups, 2);
  EXPECT_EQ(request.repeats, 5);
  const BenchRequest backward = parse_request("cudnn backward bf16 128 full 16 1 0 1");
  EXPECT_EQ(backward.kernel, BenchKernel::cudnn);
  EXPECT_TRUE(backward.shape.backward);
}

TEST(BenchRequest, AnythingElseIsRefused) {
  for (const char* line :
       {"", "flash", "flahs forward bf16 128 full 16384 16 2 5", "flash bf16 128 full 16384 16 2 5",
        "flash both bf16 128 full 16384 16 2 5", "flash forward bf17 128 full 16384 16 2 5",
        "flash forward bf16 128 ful 16384 16 2 5", "flash forward bf16 0 full 16384 16 2 5",
        "flash forward bf16 128 full 16384 16 2 0", "flash forward bf16 128 full 16384 16 -1 5",
        "flash forward bf16 128 full 16384 16 2", "flash forward bf16 128 full 16384 16 2 5 6"})
    EXPECT_THROW((void)parse_request(line), UsageError) << line;
}

}  // namespace
}  // namespace qb::cuda
