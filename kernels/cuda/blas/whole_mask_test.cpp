// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/cudnn_attention.h"

#include <gtest/gtest.h>

namespace qb::cuda {
namespace {

WholeMask mask_of(std::int64_t n, std::int64_t m, const std::vector<ScheduleBlock>& blocks) {
  return whole_mask(build_schedule(n, m, blocks, 16));
}

TEST(WholeMask, TellsNoneAndCausalFromAllOthers) {
  const KeySpan diagonal{0, 50, SpanKind::causal, 0};
  EXPECT_EQ(mask_of(50, 70, {{0, 50, {0, 70}}}), WholeMask::none);
  EXPECT_EQ(mask_of(1, 1, {{0, 1, {0, 1, SpanKind::causal, 0}}}), WholeMask::none);
  EXPECT_EQ(mask_of(50, 50, {{0, 50, diagonal}}), WholeMask::causal);
  // The keys come in two pieces, as in a ring.
  EXPECT_EQ(mask_of(50, 50,
                    {{0, 20, {0, 20, SpanKind::causal, 0}},
                     {20, 50, {0, 20}},
                     {20, 50, {20, 50, SpanKind::causal, 0}}}),
            WholeMask::causal);
  EXPECT_EQ(mask_of(50, 51, {{0, 50, {0, 51, SpanKind::causal, 1}}}), WholeMask::other);
  EXPECT_EQ(mask_of(50, 50, {{0, 50, {0, 50, SpanKind::causal, 1}}}), WholeMask::other);
  EXPECT_EQ(mask_of(50, 50, {}), WholeMask::other);
}

// There are 1 + 2 + 3 pairs, but not those of a causal mask.
TEST(WholeMask, LooksAtEveryRowAndNotOnlyAtTheNumberOfPairs) {
  EXPECT_EQ(mask_of(3, 3, {{0, 1, {0, 3}}, {1, 2, {0, 2}}, {2, 3, {0, 1}}}), WholeMask::other);
  EXPECT_EQ(mask_of(3, 3, {{0, 1, {1, 2}}, {1, 2, {0, 2}}, {2, 3, {0, 3}}}), WholeMask::other);
}

}  // namespace
}  // namespace qb::cuda
