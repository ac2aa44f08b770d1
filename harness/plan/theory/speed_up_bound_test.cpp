// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/speed_up_bound.h"

#include <gtest/gtest.h>

namespace qb {
namespace {

RingStep step_of(int workers, double tokens) {
  return {.d_model = 2048,
          .d_ff = 5504,
          .layers = 22,
          .workers = workers,
          .tokens_per_worker = tokens,
          .attention_slowdown = 2.0};
}

TEST(SpeedUpBound, CriticalPathsAreTheRingsWithHalfADiagonalBlock) {
  EXPECT_EQ(ring_critical_pairs(4, 8.0), 32.0 + 3 * 64.0);
  EXPECT_EQ(striped_critical_pairs(4, 8.0), 4 * 32.0);
  EXPECT_EQ(ring_critical_pairs(1, 8.0), striped_critical_pairs(1, 8.0));
}

TEST(SpeedUpBound, OneWorkerGainsNothingAndManyGainLessThanTwo) {
  for (const double vocabulary : {0.0, 32000.0}) {
    const auto speed_up = [&](int workers, double tokens) {
      RingStep step = step_of(workers, tokens);
      step.vocabulary = vocabulary;
      return max_speed_up(step, 1.25);
    };
    EXPECT_EQ(speed_up(1, 4096), 1.0);
    for (const int workers : {2, 4, 8, 64}) {
      EXPECT_LT(speed_up(workers, 1e5), 2.0 - 1.0 / workers);
      EXPECT_NEAR(speed_up(workers, 1e12), 2.0 - 1.0 / workers, 1e-6);
    }
  }
}

TEST(SpeedUpBound, TheVocabularyIsDenseWorkAndLowersTheBound) {
  RingStep with = step_of(4, 4096);
  with.vocabulary = 32000;
  EXPECT_LT(max_speed_up(with, 1.25), max_speed_up(step_of(4, 4096), 1.25));
}

TEST(MinBlock, OfMultiHeadAttentionIsComputeOverBandwidth) {
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 2, 32, 32, false), 1040.0);
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 2, 32, 32, true), 2080.0);
  EXPECT_DOUBLE_EQ(min_block_tokens(312e12, 300e9, 4, 32, 8, false), 520.0);
}

TEST(SpeedUpBound, WorkedByHand) {
  // c = 4096, D = 2048: dense 2c * 22 * 50593792, attention 2 * 1.25 * 4 * 22 * 2048 a pair.
  const double dense = 8192.0 * 22 * 50593792;
  const double per_pair = 2.5 * 4 * 22 * 2048;
  const double block = 4096.0 * 4096.0;
  EXPECT_NEAR(max_speed_up(step_of(4, 4096), 1.25),
              (per_pair * 3.5 * block + dense) / (per_pair * 2 * block + dense), 1e-12);
}

}  // namespace
}  // namespace qb
