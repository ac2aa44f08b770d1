// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/plan/testing/brute_force.h"

namespace qb {
namespace {

using testing::HasSubstr;

template <class Make>
std::string refusal_of(const Make& make) {
  try {
    (void)make();
  } catch (const CaseError& error) {
    return error.what();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Problem, EverySizeHasItsRange) {
  struct Size {
    const char* name;
    std::int64_t Shape::*member;
    std::int64_t most;
  };
  const Size sizes[] = {
      {"batch", &Shape::batch, 1'000'000},     {"q_heads", &Shape::q_heads, 1'000'000},
      {"n_tokens", &Shape::q_len, kMaxTokens}, {"kv_len", &Shape::kv_len, kMaxTokens},
      {"head_dim", &Shape::head_dim, 256},     {"value_dim", &Shape::value_dim, 256}};
  for (const Size& size : sizes) {
    const auto verdict = [&](std::int64_t value) {
      Shape shape{1, 1, 1, 4, 4, 8, 8};
      shape.*size.member = value;
      return refusal_of([&] { return make_problem(shape, MaskKind::full, DType::f32, 1); });
    };
    EXPECT_EQ(verdict(1), "accepted");
    EXPECT_EQ(verdict(size.most), "accepted");
    for (const std::int64_t value : {std::int64_t{0}, size.most + 1})
      EXPECT_EQ(verdict(value), std::string(size.name) + " is " + std::to_string(value) +
                                    "; it must be between 1 and " + std::to_string(size.most));
  }
  const auto heads = [](std::int64_t q_heads, std::int64_t kv_heads) {
    const Shape shape{1, q_heads, kv_heads, 4, 4, 8, 8};
    return refusal_of([&] { return make_problem(shape, MaskKind::full, DType::f32, 1); });
  };
  EXPECT_EQ(heads(6, 3), "accepted");
  EXPECT_THAT(heads(6, 0), HasSubstr("kv_heads is 0"));
  EXPECT_THAT(heads(6, 4), HasSubstr("6 query heads cannot share 4 key-value heads evenly"));
  EXPECT_THAT(heads(3, 6), HasSubstr("3 query heads cannot share 6 key-value heads evenly"));
}

TEST(Problem, PackedSequencesLieOneBehindTheOther) {
  const Shape shape{9, 2, 1, 999, 999, 16, 8};
  const Problem problem =
      make_packed_problem(shape, MaskKind::causal, DType::bf16, 7, {{10, 2}, {0, 5}, {3, 1}});
  EXPECT_EQ(problem.shape, (Shape{1, 2, 1, 8, 21, 16, 8}));
  EXPECT_EQ(problem.scale, 0.25);
  EXPECT_EQ(problem.seed, 7u);
  const std::vector<Segment> segments = {{0, 2, 0, 12}, {2, 7, 12, 17}, {7, 8, 17, 21}};
  EXPECT_EQ(segments_of(problem), segments);
  const Problem plain = make_problem({1, 1, 1, 8, 21, 4, 4}, MaskKind::full, DType::f32, 1);
  EXPECT_EQ(segments_of(plain), (std::vector<Segment>{{0, 8, 0, 21}}));
}

TEST(Problem, PackedSequencesHaveNewTokensAndNoPatternIfThereAreSeveral) {
  const Shape shape{1, 1, 1, 0, 0, 8, 8};
  const auto verdict = [&](const MaskSpec& mask, const std::vector<Sequence>& sequences) {
    return refusal_of([&] { return make_packed_problem(shape, mask, DType::f32, 1, sequences); });
  };
  EXPECT_EQ(verdict(MaskKind::causal, {}), "a packed batch needs at least one sequence");
  EXPECT_THAT(verdict(MaskKind::causal, {{4, 1}, {4, 0}}),
              HasSubstr("the number of new tokens of a sequence is 0"));
  EXPECT_THAT(verdict(MaskKind::causal, {{-1, 1}}),
              HasSubstr("the number of cached tokens of a sequence is -1"));
  EXPECT_EQ(verdict(MaskKind::causal, {{0, 1}}), "accepted");
  const MaskSpec pattern(mask_fixtures::block_local(4));
  const Problem one = make_packed_problem(shape, pattern, DType::f32, 1, {{6, 5}});
  EXPECT_TRUE(one.mask.segments.empty()) << "a pattern is of the whole sequence";
  EXPECT_EQ(one.shape.q_len, 5);
  EXPECT_EQ(one.shape.kv_len, 11);
  EXPECT_THAT(verdict(pattern, {{6, 6}, {1, 1}}), HasSubstr("this batch packs several"));
}

TEST(Problem, CountsTheUnmaskedPairsAndTheRowsWithoutAny) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  int with_empty_rows = 0;
  for (int round = 0; round < 1000; ++round) {
    Problem problem =
        testing_support::random_problem_for(round % 2 == 0 ? "zigzag" : "dense", random);
    const Shape& shape = problem.shape;
    // A mask that is not packed may be aligned in its own way.
    if (problem.mask.kind == MaskKind::causal && problem.mask.segments.empty() && round % 3 == 0)
      problem.mask.offset = testing_support::draw(random, -shape.q_len, shape.kv_len);
    std::int64_t pairs = 0;
    std::int64_t empty_rows = 0;
    for (std::int64_t q = 0; q < shape.q_len; ++q) {
      const std::int64_t before = pairs;
      for (std::int64_t k = 0; k < shape.kv_len; ++k) pairs += problem.mask.allows(q, k) ? 1 : 0;
      empty_rows += pairs == before ? 1 : 0;
    }
    ASSERT_EQ(unmasked_pairs(problem), pairs) << round;
    ASSERT_EQ(rows_without_keys(problem), empty_rows) << round;
    with_empty_rows += empty_rows > 0 ? 1 : 0;
  }
  EXPECT_GT(with_empty_rows, 20);
}

}  // namespace
}  // namespace qb
