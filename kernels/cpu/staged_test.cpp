// SPDX-License-Identifier: Apache-2.0
// Compares kernel staged with brute force over random masks, and its memory with the prediction.
#include <gtest/gtest.h>

#include <random>

#include "base/status.h"
#include "base/testing/sanitized.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/testing/mask_fixtures.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

testing_support::Call staged_call(const Mask& mask, std::int64_t q_len, std::int64_t kv_len,
                                  std::uint64_t seed, std::int64_t query_tile) {
  return {testing_support::random_tensor(DType::f32, {2, 4, q_len, 16}, seed, 1.0, 40),
          testing_support::random_tensor(DType::f32, {2, 2, kv_len, 16}, seed + 1, 1.0, 40),
          testing_support::random_tensor(DType::f32, {2, 2, kv_len, 24}, seed + 2),
          build_mask_schedule(mask, q_len, kv_len, {{0, 0, {0, q_len, 1}, {0, kv_len, 1}}},
                              query_tile)};
}

TEST(Staged, IsAttentionOverTheMask) {
  const std::uint64_t seeds = testing_support::kSanitized ? 10 : 40;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(2 + engine() % 150);
    const std::int64_t q_len =
        engine() % 2 == 0 ? n : static_cast<std::int64_t>(1 + engine() % 150);
    const MaskSpec spec(mask_fixtures::random_pattern(engine, n));
    SCOPED_TRACE(spec.text() + ", seed " + std::to_string(seed));
    const Mask mask = spec.mask(q_len, n);
    for (const Kernel kernel : {Kernel::staged, Kernel::flash}) {
      testing_support::Call call =
          staged_call(mask, q_len, n, seed, kernel_tiles(kernel, 16).query_tile);
      const auto allowed = [&](std::int64_t q, std::int64_t k) { return mask.allows(q, k); };
      const auto expected = testing_support::brute_force<double>(
          call.q.view(), call.k.view(), call.v.view(), call.scale, allowed);
      const testing_support::Attended found = call.run(kernel, 3);
      EXPECT_LT(testing_support::max_difference(found.out, expected.out), 1e-3) << word(kernel);
      EXPECT_LT(testing_support::max_difference(found.lse, expected.lse), 1e-2) << word(kernel);
    }
  }
}

TEST(Staged, StoresWhatTheScheduleKeepsAndTimesItsStages) {
  const Mask mask = mask_fixtures::mask_of(mask_fixtures::sliding_window(20, 20), 300, 300);
  const KernelTiles tiles = kernel_tiles(Kernel::staged, 16);
  testing_support::Call call = staged_call(mask, 300, 300, 1, tiles.query_tile);
  testing_support::CountingAllocator memory;
  StageTimes stages;
  attention(Kernel::staged, call.arguments(), {memory, 2, 0, &stages});
  const std::int64_t stored = call.schedule.executed_pairs(tiles.key_step, tiles.row_group);
  EXPECT_LT(stored, 300 * 110);
  EXPECT_EQ(static_cast<std::int64_t>(memory.peak()),
            kernel_workspace_bytes(Kernel::staged, call.q.view().extent, call.k.view().extent,
                                   DType::f32, 2, 24, stored));
  EXPECT_GT(stages.scores_s, 0.0);
  EXPECT_GT(stages.softmax_s, 0.0);
  EXPECT_GT(stages.values_s, 0.0);
}

TEST(Staged, TakesFloat32Only) {
  testing_support::Call call(testing_support::random_tensor(DType::bf16, {1, 1, 8, 8}, 1),
                             testing_support::random_tensor(DType::bf16, {1, 1, 8, 8}, 2),
                             testing_support::random_tensor(DType::bf16, {1, 1, 8, 8}, 3),
                             testing_support::dense_schedule(Kernel::staged, Mask::full(), 8, 8));
  EXPECT_THROW((void)call.run(Kernel::staged), Unsupported);
}

}  // namespace
}  // namespace qb
