// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/testing/schedule_fixtures.h"
#include "kernels/testing/shape_cases.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> all_rows(std::int64_t n) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Bounds are in units of the naive implementation's own error, with a floor of a few roundings of
// the largest numbers involved.
void expect_close(const testing_support::Attended& found, const testing_support::Attended& expected,
                  const testing_support::Attended& naive, double largest_value,
                  double largest_score) {
  const double u = unit_roundoff(DType::f32);
  const double out_bound =
      3.0 * testing_support::max_difference(naive.out, expected.out) + 8.0 * u * largest_value;
  const double lse_bound = 3.0 * testing_support::max_difference(naive.lse, expected.lse) +
                           8.0 * u * std::max(1.0, largest_score);
  EXPECT_TRUE(testing_support::max_difference(found.out, expected.out) <= out_bound)
      << testing_support::max_difference(found.out, expected.out) << " > " << out_bound;
  EXPECT_TRUE(testing_support::max_difference(found.lse, expected.lse) <= lse_bound)
      << testing_support::max_difference(found.lse, expected.lse) << " > " << lse_bound;
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

class AgainstFloat64 : public ::testing::TestWithParam<testing_support::KernelCase> {};

TEST_P(AgainstFloat64, OutputAndLseAgree) {
  const auto& [kernel, dtype, shape] = GetParam();
  const Mask mask = shape.global_mask();
  testing_support::Call call(
      shape.queries(dtype), shape.keys(dtype), shape.values(dtype),
      testing_support::dense_schedule(kernel, mask, shape.q.length, shape.m));
  const std::vector<std::int64_t> rows = all_rows(shape.q.length);
  const ReferenceRows expected =
      reference_rows(call.q.view(), call.k.view(), call.v.view(), mask, call.scale, rows, 2);
  const ReferenceRows naive =
      naive_rows(call.q.view(), call.k.view(), call.v.view(), mask, call.scale, rows, 2);
  expect_close(call.run(kernel, 2), {expected.out, expected.lse}, {naive.out, naive.lse},
               largest_magnitude(testing_support::values(call.v.view())),
               largest_magnitude(expected.lse));
}

INSTANTIATE_TEST_SUITE_P(Shapes, AgainstFloat64, testing_support::every_kernel_case(),
                         testing_support::kernel_case_name);

TEST(Attention, EveryKernelFollowsRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 200);
    const auto m = static_cast<std::int64_t>(1 + engine() % 600);
    // Tiles larger than the kernels' own must also work.
    const std::int64_t query_tile = seed % 2 == 0 ? 500 : 64;
    testing_support::Call call(
        testing_support::random_tensor(DType::f32, {1, 2, n, 16}, seed),
        testing_support::random_tensor(DType::f32, {1, 1, m, 16}, seed + 100),
        testing_support::random_tensor(DType::f32, {1, 1, m, 24}, seed + 200),
        testing_support::random_schedule(n, m, query_tile, engine));
    const auto allowed = [&call](std::int64_t row, std::int64_t key) {
      return testing_support::schedule_allows(call.schedule, row, key);
    };
    const auto expected = testing_support::brute_force<double>(call.q.view(), call.k.view(),
                                                               call.v.view(), call.scale, allowed);
    const auto naive = testing_support::brute_force<float>(call.q.view(), call.k.view(),
                                                           call.v.view(), call.scale, allowed);
    for (const Kernel kernel : testing_support::kKernels) {
      SCOPED_TRACE(std::string(word(kernel)) + ", seed " + std::to_string(seed));
      expect_close(call.run(kernel), expected, naive, 4.0, 4.0);
    }
  }
}

TEST(Attention, RowsWithoutKeysAreZeroWithLseMinusInfinity) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    // Queries 0..9 see nothing: there are 40 queries and 30 keys, aligned to the last.
    testing_support::Call call(
        testing_support::random_tensor(DType::f32, {1, 1, 40, 8}, 1),
        testing_support::random_tensor(DType::f32, {1, 1, 30, 8}, 2),
        testing_support::random_tensor(DType::f32, {1, 1, 30, 8}, 3),
        testing_support::dense_schedule(kernel, Mask::causal(40, 30), 40, 30));
    const testing_support::Attended found = call.run(kernel);
    for (std::size_t row = 0; row < 10; ++row) {
      EXPECT_EQ(found.lse[row], -kInfinity);
      for (std::size_t x = 0; x < 8; ++x) EXPECT_EQ(found.out[row * 8 + x], 0.0);
    }
    EXPECT_TRUE(std::isfinite(found.lse[10]));
    call.schedule = TileSchedule{40, 30, {}, {}};
    EXPECT_THAT(call.run(kernel).out, ::testing::Each(0.0));
  }
}

TEST(Attention, NoKeysAtAllAndNoQueriesAtAll) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    testing_support::Call no_keys(testing_support::random_tensor(DType::f32, {1, 2, 5, 8}, 1),
                                  testing_support::random_tensor(DType::f32, {1, 2, 0, 8}, 2),
                                  testing_support::random_tensor(DType::f32, {1, 2, 0, 8}, 3),
                                  TileSchedule{5, 0, {}, {}});
    const testing_support::Attended found = no_keys.run(kernel);
    EXPECT_THAT(found.out, ::testing::Each(0.0));
    EXPECT_THAT(found.lse, ::testing::Each(-kInfinity));
    testing_support::Call no_queries(testing_support::random_tensor(DType::f32, {1, 2, 0, 8}, 1),
                                     testing_support::random_tensor(DType::f32, {1, 2, 5, 8}, 2),
                                     testing_support::random_tensor(DType::f32, {1, 2, 5, 8}, 3),
                                     TileSchedule{0, 5, {}, {}});
    EXPECT_THAT(no_queries.run(kernel).out, ::testing::IsEmpty());
  }
}

TEST(Attention, ARowWithOneKeyIsThatKeysValue) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    testing_support::Call call(
        testing_support::random_tensor(DType::f32, {1, 1, 3, 64}, 1, 100.0),
        testing_support::random_tensor(DType::f32, {1, 1, 600, 64}, 2, 100.0),
        testing_support::random_tensor(DType::f32, {1, 1, 600, 64}, 3),
        build_schedule(3, 600, {{0, 1, {599, 600}}, {1, 2, {0, 1}}, {2, 3, {300, 301}}}, 64));
    const testing_support::Attended found = call.run(kernel);
    const std::int64_t keys[] = {599, 0, 300};
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t x = 0; x < 64; ++x)
        EXPECT_EQ(found.out[row * 64 + x], testing_support::at(call.v.view(), 0, 0, keys[row],
                                                               static_cast<std::int64_t>(x)));
  }
}

testing_support::Call small_call(Kernel kernel, std::int64_t n_queries) {
  return {testing_support::random_tensor(DType::f32, {1, 1, n_queries, 16}, 1),
          testing_support::random_tensor(DType::f32, {1, 1, 300, 16}, 2),
          testing_support::random_tensor(DType::f32, {1, 1, 300, 16}, 3),
          testing_support::dense_schedule(kernel, Mask::full(), n_queries, 300)};
}

TEST(Attention, AConstantAddedToEveryScoreShiftsLseAndLeavesTheOutput) {
  // The constant comes from one coordinate that is 1 in every key and c in every query.
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    testing_support::Call call = small_call(kernel, 50);
    call.scale = 1.0;
    for (std::int64_t j = 0; j < 300; ++j) call.k.view().row_as<float>(0, 0, j)[0] = 1.0f;
    for (std::int64_t i = 0; i < 50; ++i) call.q.view().row_as<float>(0, 0, i)[0] = 0.0f;
    const testing_support::Attended before = call.run(kernel);
    for (std::int64_t i = 0; i < 50; ++i) call.q.view().row_as<float>(0, 0, i)[0] = 10000.0f;
    const testing_support::Attended after = call.run(kernel);
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_NEAR(after.lse[i], before.lse[i] + 10000.0, 10000.0 * 8.0 * 0x1.0p-24);
    // Scores near 10^4 have an error of about 10^4 2^-24, and so do the weights.
    EXPECT_LE(testing_support::max_difference(after.out, before.out),
              4.0 * 10000.0 * 8.0 * 0x1.0p-24);
  }
}

TEST(Attention, NegativeAndZeroScales) {
  for (const Kernel kernel : testing_support::kKernels)
    for (const double scale : {-0.5, 0.0}) {
      SCOPED_TRACE(std::string(word(kernel)) + ", scale " + std::to_string(scale));
      testing_support::Call call(testing_support::random_tensor(DType::f32, {1, 1, 20, 16}, 1),
                                 testing_support::random_tensor(DType::f32, {1, 1, 70, 16}, 2),
                                 testing_support::random_tensor(DType::f32, {1, 1, 70, 16}, 3),
                                 testing_support::dense_schedule(kernel, Mask::full(), 20, 70));
      call.scale = scale;
      const auto every_pair = [](std::int64_t, std::int64_t) { return true; };
      const auto expected = testing_support::brute_force<double>(call.q.view(), call.k.view(),
                                                                 call.v.view(), scale, every_pair);
      const auto naive = testing_support::brute_force<float>(call.q.view(), call.k.view(),
                                                             call.v.view(), scale, every_pair);
      expect_close(call.run(kernel), expected, naive, 4.0, 4.0);
    }
}

TEST(Attention, NanInAQueryShowsInItsRowOnly) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    testing_support::Call call = small_call(kernel, 30);
    call.q.view().row_as<float>(0, 0, 7)[3] = std::nanf("");
    const testing_support::Attended found = call.run(kernel);
    for (std::size_t row = 0; row < 30; ++row) {
      EXPECT_EQ(std::isnan(found.out[row * 16]), row == 7) << row;
      EXPECT_EQ(std::isnan(found.lse[row]), row == 7) << row;
    }
  }
}

// The row has exp(+inf - +inf); with the other sign the key has weight 0.
TEST(Attention, AScoreOfPlusInfinityMakesItsRowNan) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    testing_support::Call call = small_call(kernel, 30);
    call.k.view().row_as<float>(0, 0, 120)[3] = std::numeric_limits<float>::infinity();
    const testing_support::Attended found = call.run(kernel);
    for (std::int64_t row = 0; row < 30; ++row) {
      const bool is_infinite = testing_support::at(call.q.view(), 0, 0, row, 3) > 0.0;
      const auto i = static_cast<std::size_t>(row);
      EXPECT_EQ(std::isnan(found.out[i * 16]), is_infinite) << row;
      EXPECT_EQ(std::isnan(found.lse[i]), is_infinite) << row;
      EXPECT_FALSE(std::isinf(found.lse[i])) << row;
    }
  }
}

}  // namespace
}  // namespace qb
