// SPDX-License-Identifier: Apache-2.0
// Memory and bytes of a device, worked out by hand: f32, N = 4096 tokens, 7 heads of 64, W = 7. A
// worker has 585 tokens, one of them 586. The reference kernel takes one row of scores in float64,
// and three rows of a head.
#include <gtest/gtest.h>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"
#include "harness/rehearse/device_rehearsal.h"

namespace qb {
namespace {

constexpr std::int64_t kTokens = 4096;
constexpr std::int64_t kRow = 7 * 64 * 4;  // bytes of a token in each of Q, K, V and O
constexpr std::int64_t kLse = 7 * 4;
constexpr std::int64_t kMost = 586;
constexpr std::int64_t kWhole = kTokens * (4 * kRow + kLse);

constexpr std::int64_t scores(std::int64_t keys) { return 8 * keys + 3 * 64 * 8; }

struct Cost {
  PlanMemory memory;
  Work work;
};

Cost cost_of(const char* algorithm, int workers) {
  const Problem problem =
      make_problem({1, 7, 7, kTokens, kTokens, 64, 64}, MaskKind::full, DType::f32, 1);
  const Plan plan = make_plan(algorithm, problem, {.workers = workers});
  return {plan_memory(plan, Kernel::reference, 1), model_work(plan, Kernel::reference)};
}

TEST(DeviceBytes, DenseHoldsTheWholeTensors) {
  const Cost dense = cost_of("dense", 1);
  EXPECT_EQ(dense.memory.device_peak_bytes, kWhole + scores(kTokens));
  EXPECT_EQ(dense.memory.root_peak_bytes, 0);
  EXPECT_EQ(dense.work.sent_bytes_max, 0);
}

// It holds its shard, K and V that it computes with, those that arrive, and two partial outputs.
TEST(DeviceBytes, ARingHoldsItsShardAndTwoMessages) {
  constexpr std::int64_t kMessage = 2 * kMost * kRow;
  constexpr std::int64_t kEndsOfMessages = 2 * 64;
  for (const char* algorithm : {"ring", "zigzag"}) {
    const Cost ring = cost_of(algorithm, 7);
    EXPECT_EQ(ring.memory.device_peak_bytes, 3 * kMost * kRow + 2 * kMost * (kRow + kLse) +
                                                 2 * kMessage + kEndsOfMessages + scores(kMost - 1))
        << algorithm;
    EXPECT_EQ(ring.work.sent_bytes_max, 6 * kMessage) << algorithm;
    EXPECT_EQ(ring.memory.root_peak_bytes + ring.work.root_sent_bytes, 0) << algorithm;
  }
}

// A quorum of 7 has three groups. Worker 0, on the root's device, has none of the 586.
TEST(DeviceBytes, CqsHoldsItsQuorumAndItsRootEverything) {
  const auto quorum = [](std::int64_t tokens) {
    return tokens * (4 * kRow + kLse) + scores(tokens);
  };
  const Cost cqs = cost_of("cqs", 7);
  EXPECT_EQ(cqs.memory.device_peak_bytes, quorum(3 * 585 + 1));
  EXPECT_EQ(cqs.memory.root_peak_bytes, kWhole + quorum(3 * 585));
  EXPECT_EQ(cqs.work.sent_bytes_max, (3 * 585 + 1) * (kRow + kLse));
  EXPECT_EQ(cqs.work.root_sent_bytes, 3 * kTokens * 3 * kRow);
}

// Each worker sends six sevenths of the heads of its tokens, and returns the outputs of its head.
TEST(DeviceBytes, UlyssesHoldsItsTokensAndItsHead) {
  constexpr std::int64_t kHeadRow = kRow / 7;
  constexpr std::int64_t kShard = 3 * kMost * kRow;
  constexpr std::int64_t kHead = 3 * kTokens * kHeadRow;
  const Cost ulysses = cost_of("ulysses", 7);
  EXPECT_EQ(ulysses.work.sent_bytes_max,
            3 * kMost * 6 * kHeadRow + (kTokens - kMost) * (kHeadRow + 4));
  EXPECT_GE(ulysses.memory.device_peak_bytes, kShard + kHead);
  EXPECT_LE(ulysses.memory.device_peak_bytes, 2 * (kShard + kHead));
  EXPECT_EQ(ulysses.memory.root_peak_bytes, 0);
}

}  // namespace
}  // namespace qb
