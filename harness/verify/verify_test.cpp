// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/run/testing/execute_fixtures.h"
#include "harness/verify/worst_error.h"

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Problem verified_problem(std::int64_t n, MaskKind mask, DType dtype) {
  Shape shape;
  shape.batch = 2;
  shape.q_heads = 4;
  shape.kv_heads = 2;
  shape.q_len = n;
  shape.kv_len = n;
  shape.head_dim = 8;
  shape.value_dim = 8;
  return make_problem(shape, mask, dtype, 5);
}

// Returns a trial that has run correctly.
Trial right_trial(const Problem& problem) {
  Trial trial(dense_plan(problem), heap_allocator());
  (void)trial.run(Ranks::serial, Kernel::reference, 1, heap_allocator());
  return trial;
}

Verification verify_all(const Trial& trial) {
  return verify_output(trial.plan.problem, trial.inputs.q.view(), trial.inputs.k.view(),
                       trial.inputs.v.view(), trial.out.view(), trial.lse.view(),
                       rows_to_verify(trial.plan, 1 << 20), 2);
}

TEST(VerifyOutput, AcceptsARightOutputAndSaysByHowMuch) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const Trial trial = right_trial(verified_problem(50, MaskKind::causal, dtype));
    const Verification verification = verify_all(trial);
    EXPECT_TRUE(verification.correct) << verification.message;
    EXPECT_EQ(verification.message, "");
    EXPECT_EQ(verification.rows, 50);
    EXPECT_GT(verification.tolerance, 0.0);
    EXPECT_LE(verification.max_error, verification.tolerance);
    EXPECT_LE(verification.lse_max_error, verification.lse_tolerance);
    EXPECT_LT(verification.tolerance, 60 * unit_roundoff(dtype)) << "no tolerance for anything";
  }
}

TEST(VerifyOutput, FindsAnElementThatWasNeverWritten) {
  Trial trial = right_trial(verified_problem(50, MaskKind::full, DType::f32));
  const float right = trial.out.view().row_as<float>(1, 2, 33)[7];
  poison(trial.out.view(), trial.lse.view());
  const float poisoned = trial.out.view().row_as<float>(1, 2, 33)[7];
  (void)trial.run(Ranks::serial, Kernel::reference, 1, heap_allocator());
  EXPECT_EQ(trial.out.view().row_as<float>(1, 2, 33)[7], right);
  trial.out.view().row_as<float>(1, 2, 33)[7] = poisoned;
  // The row may also be one that is not compared.
  const Verification verification =
      verify_output(trial.plan.problem, trial.inputs.q.view(), trial.inputs.k.view(),
                    trial.inputs.v.view(), trial.out.view(), trial.lse.view(), {0, 1}, 1);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, StartsWith("O at batch 1, head 2, row 33, element 7 is"));
  EXPECT_THAT(verification.message, HasSubstr("never written"));
}

TEST(VerifyOutput, LooksAtEveryElementOfEveryRowBeforeItCompares) {
  constexpr std::int64_t kTokens = 3;
  Trial trial = right_trial(verified_problem(kTokens, MaskKind::full, DType::f32));
  const auto message = [&] {
    return verify_output(trial.plan.problem, trial.inputs.q.view(), trial.inputs.k.view(),
                         trial.inputs.v.view(), trial.out.view(), trial.lse.view(), {1}, 1)
        .message;
  };
  for (std::int64_t batch = 0; batch < 2; ++batch)
    for (std::int64_t head = 0; head < 4; ++head)
      for (std::int64_t row = 0; row < kTokens; ++row)
        for (const std::int64_t element : {0, 7, -1}) {  // -1: the LSE
          const bool of_lse = element < 0;
          float& value = of_lse ? *trial.lse.view().row_as<float>(batch, head, row)
                                : trial.out.view().row_as<float>(batch, head, row)[element];
          const float right = value;
          value = kInfinity;
          const std::string place = fmt::format("batch {}, head {}, row {}", batch, head, row);
          EXPECT_THAT(message(), StartsWith(of_lse ? fmt::format("LSE at {} is inf", place)
                                                   : fmt::format("O at {}, element {} is inf",
                                                                 place, element)));
          value = right;
        }
  EXPECT_EQ(message(), "");
}

TEST(VerifyOutput, NamesThePlaceOfAWrongElementAndBothValues) {
  Trial trial = right_trial(verified_problem(50, MaskKind::full, DType::f32));
  float& element = trial.out.view().row_as<float>(0, 3, 21)[2];
  element += 1e-3f;
  const Verification verification = verify_all(trial);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message,
              StartsWith(fmt::format("O at batch 0, head 3, row 21, element 2 is {}, want ",
                                     static_cast<double>(element))));
  EXPECT_NEAR(verification.max_error, 1e-3, 1e-5);
  EXPECT_GT(verification.max_error, verification.tolerance);
}

TEST(VerifyOutput, FindsAWrongLseWhereTheOutputIsRight) {
  Trial trial = right_trial(verified_problem(50, MaskKind::full, DType::bf16));
  *trial.lse.view().row_as<float>(1, 0, 4) += 1e-3f;
  const Verification verification = verify_all(trial);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, StartsWith("LSE at batch 1, head 0, row 4"));
  EXPECT_GT(verification.lse_max_error, verification.lse_tolerance);
}

// The coarse rounding of the first rows, which see few keys, must not excuse the last ones.
TEST(VerifyOutput, JudgesLateCausalRowsByTheirOwnMeasure) {
  Trial trial = right_trial(verified_problem(600, MaskKind::causal, DType::bf16));
  const Verification before = verify_all(trial);
  ASSERT_TRUE(before.correct) << before.message;
  float* row = trial.out.view().row_as<float>(0, 0, 599);
  for (int x = 0; x < 8; ++x) row[x] *= 1.25f;
  EXPECT_FALSE(verify_all(trial).correct) << "a row that is 25 % off passed";
}

// Rows are judged in classes by their numbers of keys: 1, 2 to 3, 4 to 7, and so on.
TEST(RowClasses, PutTheLastRowOfAPowerOfTwoAmongThoseThatSeeMoreThanHalfAsMany) {
  EXPECT_EQ(class_of_row(4096), class_of_row(2049));
  EXPECT_NE(class_of_row(4096), class_of_row(2048));
  EXPECT_NE(class_of_row(4096), class_of_row(4097));
  EXPECT_EQ(class_of_row(0), class_of_row(1));
  EXPECT_NE(class_of_row(1), class_of_row(2));
}

TEST(VerifyOutput, ReportsTheClassThatIsNearestToItsTolerance) {
  for (const std::int64_t row : {0, 5, 40}) {
    Trial trial = right_trial(verified_problem(50, MaskKind::causal, DType::f32));
    const double right = verify_all(trial).max_error;
    trial.out.view().row_as<float>(0, 1, row)[3] += 0.5f;
    *trial.lse.view().row_as<float>(1, 2, row) += 0.25f;
    const Verification verification = verify_all(trial);
    EXPECT_THAT(verification.message, StartsWith(fmt::format("O at batch 0, head 1, row {}", row)));
    EXPECT_NEAR(verification.max_error, 0.5, 1e-6);
    EXPECT_NEAR(verification.lse_max_error, 0.25, 1e-6);
    EXPECT_LT(right, 1e-5);
  }
}

// The output is V itself, so the naive error is none, and the tolerance is that of the roundings.
TEST(VerifyOutput, AllowsARoundingOfTheInputsAndAFewOfTheStatistics) {
  for (const DType dtype : {DType::f16, DType::f32}) {
    Shape shape;
    shape.q_heads = shape.kv_heads = 16;
    shape.q_len = shape.kv_len = 1;
    shape.head_dim = shape.value_dim = 4;
    const Trial trial = right_trial(make_problem(shape, MaskKind::full, dtype, 5));
    double largest = 0.0;
    for (std::int64_t head = 0; head < 16; ++head)
      for (int x = 0; x < 4; ++x)
        largest =
            std::max(largest, std::abs(double{trial.out.view().row_as<float>(0, head, 0)[x]}));
    const Verification verification = verify_all(trial);
    const double of_f32 = unit_roundoff(DType::f32);
    EXPECT_EQ(verification.naive_error, 0.0);
    EXPECT_DOUBLE_EQ(verification.tolerance, (unit_roundoff(dtype) + 16 * of_f32) * largest);
  }
}

TEST(VerifyOutput, FindsAWrongElementAmongVeryFew) {
  Shape shape;
  shape.q_len = 1;
  shape.kv_len = 70;
  shape.head_dim = 4;
  shape.value_dim = 4;
  Trial trial = right_trial(make_problem(shape, MaskKind::full, DType::f32, 5));
  const Verification right = verify_all(trial);
  EXPECT_TRUE(right.correct) << right.message;
  EXPECT_LT(right.tolerance, 1e-5);
  trial.out.view().row_as<float>(0, 0, 0)[2] += 1e-5f;
  EXPECT_FALSE(verify_all(trial).correct);
}

TEST(VerifyOutput, WantsExactlyNothingOfRowsWithoutKeys) {
  Problem problem = verified_problem(20, MaskKind::causal, DType::f32);
  problem.shape.kv_len = 15;  // queries 0 to 4 see nothing
  problem.mask = Mask::causal(20, 15);
  Trial trial = right_trial(problem);
  ASSERT_TRUE(verify_all(trial).correct) << verify_all(trial).message;
  trial.out.view().row_as<float>(0, 1, 4)[0] = 1e-30f;
  EXPECT_THAT(verify_all(trial).message, HasSubstr("row 4, element 0 is 1e-30, want 0"));
  trial.out.view().row_as<float>(0, 1, 4)[0] = 0.0f;
  *trial.lse.view().row_as<float>(0, 1, 4) = -1e30f;
  EXPECT_THAT(verify_all(trial).message, HasSubstr("want -inf"));
}

TEST(VerifyOutput, WantsFiniteNumbersOfRowsWithKeys) {
  Trial trial = right_trial(verified_problem(20, MaskKind::full, DType::f32));
  *trial.lse.view().row_as<float>(1, 1, 7) = -kInfinity;
  EXPECT_THAT(verify_all(trial).message, HasSubstr("LSE at batch 1, head 1, row 7 is -inf"));
  trial.out.view().row_as<float>(1, 1, 6)[3] = kInfinity;
  EXPECT_THAT(verify_all(trial).message, HasSubstr("row 6, element 3 is inf: overflow"));
}

TEST(VerifyOutput, FindsAPairOfGroupsThatNobodyComputed) {
  Problem problem = verified_problem(62, MaskKind::full, DType::bf16);
  Trial trial(cqs_plan(problem, 31), heap_allocator());
  trial.plan.workers[5].steps[0].tasks.pop_back();
  (void)trial.run(Ranks::serial, Kernel::reference, 1, heap_allocator());
  EXPECT_FALSE(verify_all(trial).correct);
}

TEST(RelativeL2, IsTheNormOfTheErrorsOverThatOfTheReference) {
  RelativeL2 first;
  first.add(9.0, 6.0);  // off by 3
  RelativeL2 second;
  second.add(4.0, 8.0);  // and by -4
  EXPECT_DOUBLE_EQ(first.error(), 0.5);
  second.add(first);
  EXPECT_DOUBLE_EQ(second.error(), 0.5) << "5 over 10";
  second.add(0.0, std::sqrt(300.0));  // now sqrt(325) over 20
  EXPECT_DOUBLE_EQ(second.error(), std::sqrt(325.0) / 20.0);
}

TEST(RelativeL2, OfNothingIsNothingAndOfAReferenceOfZeroHasNoBound) {
  RelativeL2 l2;
  EXPECT_EQ(l2.error(), 0.0);
  l2.add(0.0, 0.0);
  EXPECT_EQ(l2.error(), 0.0);
  l2.add(1e-30, 0.0);
  EXPECT_EQ(l2.error(), std::numeric_limits<double>::infinity());
  l2.add(std::numeric_limits<double>::quiet_NaN(), 1.0);
  EXPECT_TRUE(std::isnan(l2.error()));
}

double norm_of(const TensorView& out) {
  double squares = 0.0;
  for (std::int64_t b = 0; b < out.extent.batch; ++b)
    for (std::int64_t h = 0; h < out.extent.heads; ++h)
      for (std::int64_t row = 0; row < out.extent.length; ++row)
        for (std::int64_t x = 0; x < out.extent.head_dim; ++x)
          squares += std::pow(double{out.row_as<float>(b, h, row)[x]}, 2.0);
  return std::sqrt(squares);
}

// A right output is off by roundings. One element that is far off makes the whole error, whatever
// class of rows it is in.
TEST(VerifyOutput, TheRelativeL2ErrorIsOverAllComparedElements) {
  for (const float offset : {0.5f, 1e10f})
    for (const std::int64_t row : {0, 49}) {
      Trial trial = right_trial(verified_problem(50, MaskKind::causal, DType::f32));
      const double norm = norm_of(trial.out.view());
      const double right = verify_all(trial).relative_l2_error;
      EXPECT_GT(right, 0.0);
      EXPECT_LT(right, 2.0 * unit_roundoff(DType::f32));
      trial.out.view().row_as<float>(1, 2, row)[3] += offset;
      EXPECT_NEAR(verify_all(trial).relative_l2_error * norm / double{offset}, 1.0, 1e-5);
    }
}

TEST(VerifyOutput, RowsWithoutKeysAddNothingToTheRelativeL2Error) {
  Problem problem = verified_problem(20, MaskKind::causal, DType::f32);
  problem.shape.kv_len = 15;  // queries 0 to 4 see nothing
  problem.mask = Mask::causal(20, 15);
  const Trial trial = right_trial(problem);
  const auto error_of = [&](const std::vector<std::int64_t>& rows) {
    return verify_output(problem, trial.inputs.q.view(), trial.inputs.k.view(),
                         trial.inputs.v.view(), trial.out.view(), trial.lse.view(), rows, 1)
        .relative_l2_error;
  };
  EXPECT_EQ(error_of({0, 4}), 0.0);
  EXPECT_GT(error_of({7, 19}), 0.0);
  EXPECT_EQ(error_of({0, 4, 7, 19}), error_of({7, 19}));
}

TEST(VerifyOutput, AnOutputThatIsNotFiniteHasNoRelativeL2Error) {
  Trial trial = right_trial(verified_problem(20, MaskKind::full, DType::f32));
  trial.out.view().row_as<float>(1, 1, 6)[3] = kInfinity;
  EXPECT_TRUE(std::isnan(verify_all(trial).relative_l2_error));
}

TEST(RowsToVerify, AreAllOfAShortSequence) {
  const Plan plan = dense_plan(verified_problem(5, MaskKind::full, DType::f32));
  EXPECT_THAT(rows_to_verify(plan, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(rows_to_verify(plan, 0), ElementsAre());
}

TEST(RowsToVerify, HoldTheEdgesOfEveryGroupAndAreAsManyAsAsked) {
  const Plan plan = cqs_plan(verified_problem(1000, MaskKind::full, DType::f32), 7);
  const std::vector<std::int64_t> rows = rows_to_verify(plan, 30);
  EXPECT_EQ(rows.size(), 30u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const TokenGroup& group : plan.q_groups) {
    EXPECT_THAT(rows, ::testing::Contains(group.first));
    EXPECT_THAT(rows, ::testing::Contains(group.first + group.count - 1));
  }
  EXPECT_EQ(rows, rows_to_verify(plan, 30)) << "the same seed, the same rows";
}

TEST(KeysToVerify, HoldTheEdgesOfEveryGroupOfKeys) {
  Problem problem = verified_problem(30, MaskKind::full, DType::f32);
  problem.shape.kv_len = 1000;
  const Plan plan = make_plan("ring", problem, {.workers = 4});
  const std::vector<std::int64_t> keys = keys_to_verify(plan, 20);
  EXPECT_EQ(keys.size(), 20u);
  for (const TokenGroup& group : plan.kv_groups) {
    EXPECT_THAT(keys, ::testing::Contains(group.first));
    EXPECT_THAT(keys, ::testing::Contains(group.last()));
  }
  EXPECT_EQ(keys_to_verify(plan, 1000).size(), 1000u);
  EXPECT_EQ(rows_to_verify(plan, 1000).size(), 30u);
}

TEST(RowsToVerify, ThinOutTheEdgesOfManyGroupsButKeepTheLastToken) {
  const Plan plan = cqs_plan(verified_problem(1000, MaskKind::full, DType::f32), 100);
  const std::vector<std::int64_t> rows = rows_to_verify(plan, 10);
  EXPECT_EQ(rows.size(), 10u);
  EXPECT_EQ(rows.back(), 999);
  EXPECT_LT(rows.front(), 200);
}

// A float holds scores up to its largest number / log2 e in base 2. Beyond that kernel reference is
// right as long as LSE is a float, and whatever is not finite is refused by that sentence.
TEST(VerifyOutput, RefusesScoresThatFloatsDoNotHold) {
  Problem problem = make_problem({1, 1, 1, 6, 6, 1, 1}, MaskKind::causal, DType::f32, 5);
  problem.scale = 1.0;
  for (const float score : {2.6e38f, -2.6e38f, 1e37f, -1e37f})
    for (const Kernel kernel : {Kernel::reference, Kernel::flash, Kernel::materialized})
      for (const int kept : {1, 2}) {
        problem.lse_kept = kept;
        Trial trial(dense_plan(problem), heap_allocator());
        for (std::int64_t row = 0; row < 6; ++row) {
          *trial.inputs.q.view().row_as<float>(0, 0, row) = 1e19f;
          *trial.inputs.k.view().row_as<float>(0, 0, row) = score / 1e19f;
        }
        (void)trial.run(Ranks::serial, kernel, 1, heap_allocator());
        if (std::abs(score) < 1e38f || (kernel == Kernel::reference && kept == 1)) {
          const Verification found = trial.verify();
          EXPECT_TRUE(found.correct) << found.message << ", kernel " << word(kernel);
          continue;
        }
        try {
          ADD_FAILURE() << trial.verify().message << ", kernel " << word(kernel);
        } catch (const Unsupported& refused) {
          EXPECT_THAT(refused.what(), HasSubstr("float32 holds them up to 2.36e+38"));
        }
      }
}

}  // namespace
}  // namespace qb
