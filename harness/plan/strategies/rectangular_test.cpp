// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::HasSubstr;
using MovedBytes = std::map<TensorRole, std::int64_t>;

constexpr std::int64_t kRowTokens = 96;
constexpr std::int64_t kRowDim = 16;

Plan rectangular(MaskKind mask, int workers, int blocks) {
  StrategyOptions options{.workers = workers};
  options.keys.text("grid_rows") = std::to_string(blocks);
  return make_plan(
      "rectangular",
      make_problem({2, 4, 2, kRowTokens, kRowTokens, kRowDim, kRowDim}, mask, DType::bf16, 1),
      options);
}

MovedBytes moved_of(const Plan& plan) {
  MovedBytes bytes;
  for (const MovedTensor& moved : moved_tensors(plan)) bytes[moved.what] += moved.bytes;
  return bytes;
}

// Two sequences, four query heads on two of keys. Of B blocks of queries a full mask fetches all
// keys for each, a causal one B (B + 1) / 2 blocks in all.
TEST(Rectangular, FetchesKeysOnceForEachBlockOfQueriesAndEveryRowOfQAndOOnce) {
  for (const int workers : {1, 3}) {
    constexpr int kEach = 4;
    const int blocks = kEach * workers;
    const std::int64_t keys = 2 * 2 * kRowTokens * kRowDim * 2;
    const std::int64_t queries = 2 * keys;
    const std::int64_t results = 2 * 4 * kRowTokens * (kRowDim + 1) * 4;
    EXPECT_EQ(moved_of(rectangular(MaskKind::full, workers, kEach)),
              (MovedBytes{{TensorRole::q, queries},
                          {TensorRole::k, blocks * keys},
                          {TensorRole::v, blocks * keys},
                          {TensorRole::partial, results}}));
    EXPECT_EQ(moved_of(rectangular(MaskKind::causal, workers, kEach))[TensorRole::k],
              (blocks + 1) * keys / 2);
  }
}

TEST(Rectangular, FetchesAheadAndHoldsABlockOfKeysForOneStep) {
  const Plan plan = rectangular(MaskKind::causal, 2, 3);
  for (const Worker& worker : plan.workers.all()) {
    EXPECT_TRUE(worker.q_groups.empty() && worker.kv_groups.empty());
    for (std::size_t s = 0; s < worker.steps.size(); ++s)
      for (const Transfer& transfer : worker.steps[s].receives) {
        EXPECT_EQ(transfer.peer, kTier);
        EXPECT_EQ(transfer.delay, s > 0 ? 1 : 0);
        if (is_of_keys(transfer.what)) {
          EXPECT_EQ(transfer.until, static_cast<int>(s));
        }
      }
  }
}

TEST(Rectangular, OfTooManyStepsIsRefusedAtOnce) {
  try {
    (void)rectangular(MaskKind::causal, 1024, 0);
    FAIL();
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("2 key-value heads and 8192 blocks has more than 262144"));
  }
}

TEST(Rectangular, HasNoBackwardPassYet) {
  StrategyOptions options;
  options.pass = Pass::backward;
  try {
    (void)make_plan("rectangular", rectangular(MaskKind::full, 1, 2).problem, options);
    FAIL();
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("has no backward pass"));
  }
}

}  // namespace
}  // namespace qb
