// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/layout.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "base/status.h"

namespace qb {
namespace {

TEST(Layout, TheLastGroupsTakeTheRemainder) {
  EXPECT_EQ(contiguous_groups(10, 7),
            (std::vector<TokenGroup>{
                {0, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 2, 1}, {6, 2, 1}, {8, 2, 1}}));
  EXPECT_EQ(contiguous_groups(6, 3), (std::vector<TokenGroup>{{0, 2, 1}, {2, 2, 1}, {4, 2, 1}}));
}

TEST(Layout, GroupsAreCutWherePackedSequencesEnd) {
  using Pieces = std::vector<std::vector<int>>;
  const std::vector<Segment> sequences = {{0, 3, 0, 5}, {3, 4, 5, 6}, {4, 10, 6, 14}};
  std::vector<TokenGroup> queries = contiguous_groups(10, 3);
  EXPECT_EQ(cut_at_ends(sequences, &Segment::q_end, queries), (Pieces{{0}, {1, 2}, {3}}));
  EXPECT_EQ(queries, (std::vector<TokenGroup>{{0, 3, 1}, {3, 1, 1}, {4, 2, 1}, {6, 4, 1}}));
  std::vector<TokenGroup> keys = striped_groups(14, 4);
  EXPECT_EQ(cut_at_ends(sequences, &Segment::k_end, keys),
            (Pieces{{0, 1}, {2, 3, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(keys, (std::vector<TokenGroup>{{0, 2, 4},
                                           {8, 2, 4},
                                           {1, 1, 4},
                                           {5, 1, 4},
                                           {9, 2, 4},
                                           {2, 1, 4},
                                           {6, 2, 4},
                                           {3, 1, 4},
                                           {7, 2, 4}}));
}

TEST(Layout, GroupsOfOneSequenceAreNotCutAndEmptyOnesStay) {
  for (const std::int64_t n : {1, 7, 12}) {
    std::vector<TokenGroup> groups = contiguous_groups(n, 4);
    const std::vector<std::vector<int>> pieces =
        cut_at_ends({{0, n, 0, n}}, &Segment::q_end, groups);
    EXPECT_EQ(pieces, (std::vector<std::vector<int>>{{0}, {1}, {2}, {3}}));
    EXPECT_EQ(groups, contiguous_groups(n, 4));
  }
}

TEST(Layout, PairTasksSayExactlyWhatTheMaskSays) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const Problem problem =
        make_problem({1, 1, 1, draw(1, 60), draw(1, 60), 4, 4}, MaskKind::causal, DType::f32, 1);
    std::vector<TokenGroup> q = {{draw(0, 20), draw(1, 8), draw(1, 4)}};
    std::vector<TokenGroup> k = {{draw(0, 20), draw(1, 8), draw(1, 4)}};
    // Groups of different strides have an offset only if one of them is a single token.
    if (round % 3 == 0) k[0].stride = q[0].stride;
    if (round % 3 == 1) q[0].count = 1;
    if (round % 3 == 2) k[0].count = 1;
    const auto task = pair_task(problem, q, k, 0, 0);
    for (std::int64_t i = 0; i < q[0].count; ++i)
      for (std::int64_t j = 0; j < k[0].count; ++j) {
        const bool allowed = task && (task->allowed == Allowed::all || j <= i + task->offset);
        ASSERT_EQ(allowed, problem.mask.allows(q[0].token(i), k[0].token(j)))
            << "round " << round << " i " << i << " j " << j;
      }
  }
}

TEST(Layout, ASingleTokenTakesTheStrideOfTheOthers) {
  const Problem problem = make_problem({1, 1, 1, 60, 60, 4, 4}, MaskKind::causal, DType::f32, 1);
  const auto offset = [&](const TokenGroup& q, const TokenGroup& k) {
    const auto task = pair_task(problem, {q}, {k}, 0, 0);
    EXPECT_EQ(task->allowed, Allowed::causal);
    return task->offset;
  };
  EXPECT_EQ(offset({10, 2, 4}, {13, 1, 1}), -1);  // 14 sees 13, and 10 does not
  EXPECT_EQ(offset({10, 3, 4}, {18, 1, 9}), -2);
  EXPECT_EQ(offset({10, 1, 7}, {6, 5, 2}), 2);  // 10 sees 6, 8 and 10
}

TEST(Layout, GroupsOfDifferentStridesHaveNoOffsetWhereTheMaskCutsThem) {
  const Problem problem = make_problem({1, 1, 1, 60, 60, 4, 4}, MaskKind::causal, DType::f32, 1);
  const std::vector<TokenGroup> q = {{10, 2, 3}};
  const auto task = [&](const TokenGroup& k) { return pair_task(problem, q, {k}, 0, 0); };
  EXPECT_THROW((void)task({10, 2, 2}), std::logic_error);
  EXPECT_EQ(task({6, 3, 2})->allowed, Allowed::all);
  EXPECT_EQ(task({14, 2, 2}), std::nullopt);
  EXPECT_EQ(task({10, 0, 2}), std::nullopt);
}

TEST(Layout, CausalPairCountsMatchCounting) {
  for (std::int64_t nq = 0; nq < 7; ++nq)
    for (std::int64_t nk = 0; nk < 7; ++nk)
      for (std::int64_t offset = -9; offset < 10; ++offset) {
        std::int64_t expected = 0;
        for (std::int64_t i = 0; i < nq; ++i)
          for (std::int64_t j = 0; j < nk; ++j) expected += j <= i + offset ? 1 : 0;
        EXPECT_EQ(causal_pairs(nq, nk, offset), expected) << nq << " " << nk << " " << offset;
      }
}

TEST(Layout, ThreeBillionTokensDoNotOverflow) {
  const std::int64_t n = kMaxTokens;
  EXPECT_EQ(causal_pairs(n, n, 0), n / 2 * (n + 1));
  const Problem problem = make_problem({1, 1, 1, n, n, 4, 4}, MaskKind::full, DType::f32, 1);
  EXPECT_EQ(unmasked_pairs(problem), n * n);
}

TEST(Layout, ProblemsOutOfRangeAreSentences) {
  EXPECT_THROW((void)make_problem({1, 3, 2, 4, 4, 8, 8}, MaskKind::full, DType::f32, 1),
               UsageError);
  EXPECT_THROW((void)make_problem({1, 1, 1, 0, 4, 8, 8}, MaskKind::full, DType::f32, 1),
               UsageError);
  EXPECT_THROW((void)make_problem({1, 1, 1, 4, 4, 257, 8}, MaskKind::full, DType::f32, 1),
               UsageError);
}

}  // namespace
}  // namespace qb
