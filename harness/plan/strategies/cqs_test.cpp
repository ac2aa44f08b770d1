// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/status.h"
#include "base/testing/sanitized.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/tiling.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

using testing_support::covers_exactly_once;
using testing_support::square_problem;

std::vector<std::int64_t> local_tokens(const Plan& plan) {
  std::vector<std::int64_t> tokens;
  for (const Worker& worker : plan.workers.all())
    tokens.push_back(local_layout(plan, worker).q_tokens);
  return tokens;
}

TEST(Cqs, CaseStudyOneHoldsThePublishedTokenCounts) {
  const Plan plan =
      make_plan("cqs", square_problem(10, MaskKind::full), {7, parse_interest_set("0,1,3", 7)});
  EXPECT_EQ(local_tokens(plan), (std::vector<std::int64_t>{3, 4, 4, 5, 5, 5, 4}));
  EXPECT_EQ(plan.workers[5].q_groups, (std::vector<int>{1, 5, 6}));
  EXPECT_TRUE(covers_exactly_once(plan));
}

TEST(Cqs, CaseStudyTwoHoldsThePublishedLongestSubsequences) {
  // data/published/cqs_case_study_2.csv, column longest_subsequence_tokens. The published sets
  // may differ from the notebook's choice by a token or two.
  const auto longest = [](std::int64_t n, int workers) {
    const Plan plan = make_plan("cqs", square_problem(n, MaskKind::full), {workers, std::nullopt});
    const auto tokens = local_tokens(plan);
    return *std::max_element(tokens.begin(), tokens.end());
  };
  EXPECT_EQ(longest(10000, 4), 7500);
  EXPECT_EQ(longest(49000, 4), 36750);
  EXPECT_EQ(longest(10000, 8), 5000);
  EXPECT_EQ(longest(49000, 7), 21000);
  EXPECT_NEAR(static_cast<double>(longest(10000, 7)), 4287, 2);
  EXPECT_NEAR(static_cast<double>(longest(49000, 31)), 9486, 4);
}

TEST(Cqs, EveryPublishedWorkerCountIsAnExactCover) {
  for (int workers = 3; workers <= 111; ++workers) {
    for (MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      const Plan plan = make_plan("cqs", square_problem(workers * 2 + 1, mask), {workers, {}});
      EXPECT_EQ(check(plan), std::nullopt) << workers;
      EXPECT_TRUE(covers_exactly_once(plan)) << workers;
    }
  }
}

TEST(Cqs, RandomSizesAreExactCoversOfTheMask) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const int workers = std::uniform_int_distribution(3, 40)(random);
    std::uniform_int_distribution<std::int64_t> length(workers, workers * 4);
    const Shape shape{1, 2, 1, length(random), length(random), 8, 8};
    const auto mask = round % 2 == 0 ? MaskKind::causal : MaskKind::full;
    const Plan plan = make_plan("cqs", make_problem(shape, mask, DType::f32, 1), {workers, {}});
    EXPECT_EQ(check(plan), std::nullopt) << workers << " " << shape.q_len << " " << shape.kv_len;
    EXPECT_TRUE(covers_exactly_once(plan)) << workers << " " << shape.q_len << " " << shape.kv_len;
  }
}

TEST(Cqs, CausalHalvesEveryDistilledPair) {
  const Plan full = make_plan("cqs", square_problem(70, MaskKind::full), {7, {}});
  const Plan causal = make_plan("cqs", square_problem(70, MaskKind::causal), {7, {}});
  for (std::size_t w = 0; w < full.workers.size(); ++w) {
    EXPECT_EQ(testing_support::worker_pairs(full, full.workers[w]), 700);
    EXPECT_EQ(testing_support::worker_pairs(causal, causal.workers[w]),
              355);  // 3 * 100 + 10 * 11 / 2
  }
}

TEST(Cqs, WorkersHoldNothingThatTheirPairsDoNotName) {
  const Plan plan = make_plan("cqs", square_problem(64, MaskKind::full), {8, {}});
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    for (int group : plan.workers[w].q_groups) {
      bool named = false;
      for (const PairTask& task : plan.workers[w].steps[0].tasks)
        named = named || task.q_group == group || task.kv_group == group;
      EXPECT_TRUE(named) << "worker " << w << " group " << group;
    }
}

TEST(Cqs, PairCountsAreTheResponsibilities) {
  const auto set = *published_interest_set(12);
  const Plan plan = make_plan("cqs", square_problem(131, MaskKind::full), {12, set});
  const auto expected = responsibilities(set, 131);
  for (std::size_t w = 0; w < expected.size(); ++w)
    EXPECT_EQ(testing_support::worker_pairs(plan, plan.workers[w]), expected[w]);
}

TEST(Cqs, ScatterAndGatherCountTheBytesOfTheMaterialList) {
  Problem problem = make_problem({2, 4, 2, 70, 70, 16, 16}, MaskKind::full, DType::f16, 1);
  const Plan plan = make_plan("cqs", problem, {7, {}});
  const Step& step = plan.workers[0].steps[0];
  const std::int64_t tokens = 30 * 2;  // three groups of ten in a batch of two
  ASSERT_EQ(step.receives.size(), 3u);
  EXPECT_EQ(step.receives[0].bytes, tokens * 4 * 16 * 2);
  EXPECT_EQ(step.receives[1].bytes, tokens * 2 * 16 * 2);
  EXPECT_EQ(step.sends.at(0).bytes, tokens * 4 * 17 * 4);
}

StrategyOptions balanced(int workers) {
  StrategyOptions options;
  options.workers = workers;
  options.distillation = Distillation::balanced;
  return options;
}

TEST(CqsBalanced, EveryPublishedWorkerCountIsAnExactCover) {
  for (int workers = 3; workers <= 111; workers += testing_support::kSanitized ? 4 : 1)
    for (MaskKind mask : {MaskKind::full, MaskKind::causal})
      for (const char* algorithm : {"cqs", "cqs_sharded"}) {
        const Plan plan =
            make_plan(algorithm, square_problem(workers * 2 + 1, mask), balanced(workers));
        EXPECT_EQ(check(plan), std::nullopt) << algorithm << " " << workers;
        EXPECT_TRUE(covers_exactly_once(plan)) << algorithm << " " << workers;
      }
}

TEST(CqsBalanced, RandomSizesAreExactCoversOfTheMask) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 80; ++round) {
    const int workers = std::uniform_int_distribution(3, 40)(random);
    std::uniform_int_distribution<std::int64_t> length(workers, workers * 4);
    const Shape shape{1, 2, 1, length(random), length(random), 8, 8};
    const auto mask = round % 4 == 0 ? MaskKind::full : MaskKind::causal;
    const char* algorithm = round % 2 == 0 ? "cqs" : "cqs_sharded";
    const Plan plan =
        make_plan(algorithm, make_problem(shape, mask, DType::f32, 1), balanced(workers));
    EXPECT_EQ(check(plan), std::nullopt) << workers << " " << shape.q_len << " " << shape.kv_len;
    EXPECT_TRUE(covers_exactly_once(plan)) << workers << " " << shape.q_len << " " << shape.kv_len;
  }
}

TEST(CqsBalanced, PairCountsAreTheResponsibilities) {
  for (int workers : {4, 7, 12, 64}) {
    const auto set = *published_interest_set(workers);
    const std::int64_t n = 11 * workers + 3;
    const Plan plan = make_plan("cqs", square_problem(n, MaskKind::full), balanced(workers));
    const auto expected = responsibilities(set, n, Distillation::balanced);
    for (std::size_t w = 0; w < expected.size(); ++w)
      EXPECT_EQ(testing_support::worker_pairs(plan, plan.workers[w]), expected[w]) << workers;
  }
}

TEST(CqsBalanced, EqualGroupsGiveEveryWorkerTheSameWork) {
  for (int workers : {4, 8, 31, 100}) {
    const std::int64_t q = 10;
    const std::int64_t n = q * workers;
    for (MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      const Plan plan = make_plan("cqs", square_problem(n, mask), balanced(workers));
      const std::int64_t each =
          mask == MaskKind::full ? n * n / workers : (n * n / workers + q) / 2;
      for (const Worker& worker : plan.workers.all())
        EXPECT_EQ(testing_support::worker_pairs(plan, worker), each);
    }
  }
}

TEST(CqsBalanced, HoldsNoMoreLocalTokens) {
  for (int workers = 3; workers <= 64; ++workers)
    for (MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      const auto problem = square_problem(40 * workers + workers / 3, mask);
      const auto published = local_tokens(make_plan("cqs", problem, {workers, {}}));
      const auto ours = local_tokens(make_plan("cqs", problem, balanced(workers)));
      EXPECT_LE(*std::max_element(ours.begin(), ours.end()),
                *std::max_element(published.begin(), published.end()))
          << workers;
    }
}

TEST(Cqs, TooFewWorkersOrTokensIsASentence) {
  const Problem problem = square_problem(10, MaskKind::full);
  for (int workers : {1, 2})
    EXPECT_THROW((void)make_plan("cqs", problem, {workers, {}}), Unsupported);
  try {
    (void)make_plan("cqs", problem, {11, {}});
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "cqs with 11 workers needs at least as many tokens; there are 10");
  }
  EXPECT_THROW((void)make_plan("cqs", problem, {7, parse_interest_set("0,1,2", 7)}), UsageError);
  EXPECT_THROW((void)make_plan("cqs", problem, {7, parse_interest_set("0,1,3", 6)}), UsageError);
}

TEST(Cqs, ABillionTokensNeedOnlyGroups) {
  const Plan plan = make_plan("cqs", square_problem(1'000'000'000, MaskKind::full), {1057, {}});
  EXPECT_EQ(check(plan), std::nullopt);
  std::int64_t pairs = 0;
  for (const Worker& worker : plan.workers.all())
    pairs += testing_support::worker_pairs(plan, worker);
  EXPECT_EQ(pairs, 1'000'000'000LL * 1'000'000'000LL);
}

}  // namespace
}  // namespace qb
