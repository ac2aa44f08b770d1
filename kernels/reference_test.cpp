// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/integers.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

// Returns rows of a [b, h, n, width] vector, in the order of ReferenceRows.
std::vector<double> pick(const std::vector<double>& all, std::int64_t heads, std::int64_t n,
                         std::int64_t width, const std::vector<std::int64_t>& rows) {
  std::vector<double> picked;
  for (std::int64_t head = 0; head < heads; ++head)
    for (const std::int64_t row : rows)
      for (std::int64_t x = 0; x < width; ++x)
        picked.push_back(all[static_cast<std::size_t>((head * n + row) * width + x)]);
  return picked;
}

TEST(ReferenceRows, AgreeWithBruteForceOverTheMask) {
  for (const Mask& mask : {Mask::full(), Mask::causal(23, 700), Mask::causal(23, 10)})
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16})
      for (const int threads : {1, 2}) {
        const std::int64_t m = mask.kind == MaskKind::full ? 600 : mask.offset + 23;
        const Tensor q = testing_support::random_tensor(dtype, {2, 4, 23, 9}, 1);
        const Tensor k = testing_support::random_tensor(dtype, {2, 2, m, 9}, 2);
        const Tensor v = testing_support::random_tensor(dtype, {2, 2, m, 5}, 3);
        const std::vector<std::int64_t> rows = {0, 1, 2, 5, 9, 10, 11, 12, 13, 17, 22};
        const ReferenceRows found =
            reference_rows(q.view(), k.view(), v.view(), mask, 0.4, rows, threads);
        const testing_support::Attended expected = testing_support::brute_force<double>(
            q.view(), k.view(), v.view(), 0.4,
            [&mask](std::int64_t row, std::int64_t key) { return mask.allows(row, key); });
        EXPECT_EQ(found.rows, rows);
        EXPECT_LE(testing_support::max_difference(found.out, pick(expected.out, 8, 23, 5, rows)),
                  1e-13);
        EXPECT_LE(testing_support::max_difference(found.lse, pick(expected.lse, 8, 23, 1, rows)),
                  1e-13);
      }
}

// LSE := log(exp(LSE) + exp(sink)), and O shrinks as the sum of its weights does.
TEST(ReferenceRows, ASinkTakesPartInTheSumOfEachRowAndHasNoValue) {
  const Mask mask = Mask::causal(23, 10);  // rows without keys among them
  const Tensor q = testing_support::random_tensor(DType::f64, {2, 4, 23, 9}, 1);
  const Tensor k = testing_support::random_tensor(DType::f64, {2, 2, 10, 9}, 2);
  const Tensor v = testing_support::random_tensor(DType::f64, {2, 2, 10, 5}, 3);
  const std::vector<std::int64_t> rows = integers_below(std::int64_t{23});
  const std::vector<float> sinks = {-3.0F, 0.0F, 1.5F, 90.0F};
  const ReferenceRows without = reference_rows(q.view(), k.view(), v.view(), mask, 0.4, rows);
  const ReferenceRows with =
      reference_rows(q.view(), k.view(), v.view(), mask, 0.4, rows, 2, 0.0, sinks);
  for (std::size_t i = 0; i < with.lse.size(); ++i) {
    const double sink = sinks[i / 23 % 4];
    const double shift = std::max(sink, without.lse[i]);
    const double lse = shift + std::log(std::exp(sink - shift) + std::exp(without.lse[i] - shift));
    EXPECT_NEAR(with.lse[i], lse, 1e-12);
    EXPECT_NEAR(with.maximum[i] + with.log_sum[i], lse, 1e-12);
    for (std::size_t x = 5 * i; x < 5 * i + 5; ++x)
      EXPECT_NEAR(with.out[x], without.out[x] * std::exp(without.lse[i] - lse), 1e-13);
  }
}

// The tolerances of committed runs follow from these numbers.
TEST(ReferenceRows, OfARowAreTheSameBitsWhateverOthersAndThreadsThereAre) {
  const Mask mask = Mask::causal(50, 150);
  const Tensor q = testing_support::random_tensor(DType::bf16, {1, 6, 50, 33}, 1);
  const Tensor k = testing_support::random_tensor(DType::bf16, {1, 2, 150, 33}, 2);
  const Tensor v = testing_support::random_tensor(DType::bf16, {1, 2, 150, 20}, 3);
  for (const bool naive : {false, true}) {
    const auto compute = [naive](const auto&... arguments) {
      return naive ? naive_rows(arguments...) : reference_rows(arguments...);
    };
    const std::vector<std::int64_t> every = integers_below(std::int64_t{50});
    const ReferenceRows all = compute(q.view(), k.view(), v.view(), mask, 0.2, every, 3);
    for (const std::int64_t row : every) {
      const std::vector<std::int64_t> one = {row};
      const ReferenceRows alone = compute(q.view(), k.view(), v.view(), mask, 0.2, one, 1);
      EXPECT_EQ(alone.out, pick(all.out, 6, 50, 20, one));
      EXPECT_EQ(alone.lse, pick(all.lse, 6, 50, 1, one));
    }
  }
}

TEST(NaiveRows, AreOffByTheRoundingOfTheInputsType) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Tensor q = testing_support::random_tensor(dtype, {1, 1, 40, 64}, 1);
    const Tensor k = testing_support::random_tensor(dtype, {1, 1, 200, 64}, 2);
    const Tensor v = testing_support::random_tensor(dtype, {1, 1, 200, 64}, 3);
    const std::vector<std::int64_t> rows = {0, 20, 39};
    const ReferenceRows exact =
        reference_rows(q.view(), k.view(), v.view(), Mask::full(), 0.125, rows);
    const ReferenceRows naive = naive_rows(q.view(), k.view(), v.view(), Mask::full(), 0.125, rows);
    const double error = testing_support::max_difference(naive.out, exact.out);
    EXPECT_GT(error, 0.005 * unit_roundoff(dtype)) << word(dtype);
    EXPECT_LT(error, 20.0 * unit_roundoff(dtype)) << word(dtype);
  }
}

TEST(ReferenceRows, RowsOutsideAreRefused) {
  const Tensor q = testing_support::random_tensor(DType::f32, {1, 1, 4, 2}, 1);
  const std::vector<std::int64_t> rows = {4};
  EXPECT_THROW((void)reference_rows(q.view(), q.view(), q.view(), Mask::full(), 1.0, rows),
               std::invalid_argument);
}

// Scores of a few units in f16 are off by up to 2^-10, and so is the LSE of a row with one key.
TEST(NaiveRows, OfAnEagerFrameworkAlsoRoundTheScores) {
  const Tensor q = testing_support::random_tensor(DType::f16, {1, 1, 8, 64}, 1);
  const Tensor k = testing_support::random_tensor(DType::f16, {1, 1, 8, 64}, 2);
  const Tensor v = testing_support::random_tensor(DType::f16, {1, 1, 8, 64}, 3);
  const std::vector<std::int64_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto lse_error = [&](bool eager) {
    const ReferenceRows exact = reference_rows(q.view(), k.view(), v.view(), Mask::full(), 1, rows);
    const ReferenceRows naive =
        naive_rows(q.view(), k.view(), v.view(), Mask::full(), 1, rows, 1, eager);
    double worst = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      worst = std::max(worst, std::abs(exact.lse[i] - naive.lse[i]));
    return worst;
  };
  EXPECT_LT(lse_error(false), 1e-5);
  EXPECT_GT(lse_error(true), 1e-4);
  EXPECT_LT(lse_error(true), 1e-1);
}

}  // namespace
}  // namespace qb
