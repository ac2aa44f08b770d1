#include "kernels/cuda/bench/flash_bench.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace qb::cuda {
namespace {

TEST(BenchRequest, SaysKernelShapeAndRepeats) {
  const BenchRequest request = parse_request("flash_sm80 f16 64 causal 4096 8 2 5");
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
  EXPECT_EQ(parse_request("cudnn bf16 128 full 16 1 0 1").kernel, BenchKernel::cudnn);
}

TEST(BenchRequest, AnythingElseIsRefused) {
  for (const char* line :
       {"", "flash", "flahs bf16 128 full 16384 16 2 5", "flash bf17 128 full 16384 16 2 5",
        "flash bf16 128 ful 16384 16 2 5", "flash bf16 0 full 16384 16 2 5",
        "flash bf16 128 full 16384 16 2 0", "flash bf16 128 full 16384 16 -1 5",
        "flash bf16 128 full 16384 16 2", "flash bf16 128 full 16384 16 2 5 6"})
    EXPECT_THROW((void)parse_request(line), UsageError) << line;
}

}  // namespace
}  // namespace qb::cuda
