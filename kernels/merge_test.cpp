// SPDX-License-Identifier: Apache-2.0
#include "kernels/merge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "kernels/cpu/instruction_set.h"
#include "kernels/testing/test_support.h"

namespace qb {
namespace {

constexpr double kDoubleInfinity = std::numeric_limits<double>::infinity();

struct Partial {
  Tensor out;
  Tensor lse;
};

Partial identity(const Extent& extent) {
  Extent statistics = extent;
  statistics.head_dim = 1;
  Partial partial{Tensor(heap_allocator(), DType::f32, extent, "out"),
                  Tensor(heap_allocator(), DType::f32, statistics, "lse")};
  clear_partial(partial.out.view(), partial.lse.view());
  return partial;
}

void merge_into(const Partial& acc, const Partial& part) {
  merge_partial(acc.out.view(), acc.lse.view(), part.out.view(), part.lse.view());
}

// Returns the partial of keys [begin, end), computed in double and stored as f32.
Partial partial_of(const Tensor& q, const Tensor& k, const Tensor& v, std::int64_t begin,
                   std::int64_t end) {
  const testing_support::Attended exact = testing_support::brute_force<double>(
      q.view(), k.view(), v.view(), 0.3,
      [&](std::int64_t, std::int64_t key) { return begin <= key && key < end; });
  Extent extent = q.view().extent;
  extent.head_dim = v.view().extent.head_dim;
  Partial partial = identity(extent);
  for (std::size_t i = 0; i < exact.out.size(); ++i)
    static_cast<float*>(partial.out.view().data)[i] = static_cast<float>(exact.out[i]);
  for (std::size_t i = 0; i < exact.lse.size(); ++i)
    static_cast<float*>(partial.lse.view().data)[i] = static_cast<float>(exact.lse[i]);
  return partial;
}

TEST(Merge, PartsOfTheKeysMakeTheWholeInAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Extent extent{1, 2, 9, 5};
    const double deviation = seed % 2 == 0 ? 1.0 : 20.0;
    const Tensor q = testing_support::random_tensor(DType::f32, extent, seed, deviation);
    const Tensor k =
        testing_support::random_tensor(DType::f32, {1, 2, 40, 5}, seed + 50, deviation);
    const Tensor v = testing_support::random_tensor(DType::f32, {1, 2, 40, 5}, seed + 90);
    std::vector<std::int64_t> cuts = {0, 1, 7, 7, 31, 40};  // one part without keys
    std::vector<std::size_t> order = {0, 1, 2, 3, 4};
    std::mt19937_64 engine(seed);
    std::shuffle(order.begin(), order.end(), engine);
    const Partial merged = identity(extent);
    for (const std::size_t i : order) merge_into(merged, partial_of(q, k, v, cuts[i], cuts[i + 1]));
    const Partial whole = partial_of(q, k, v, 0, 40);
    const double u = unit_roundoff(DType::f32);
    const double largest_lse = deviation * deviation * 10.0;
    EXPECT_LE(testing_support::max_difference(testing_support::values(merged.lse.view()),
                                              testing_support::values(whole.lse.view())),
              8.0 * u * largest_lse);
    EXPECT_LE(testing_support::max_difference(testing_support::values(merged.out.view()),
                                              testing_support::values(whole.out.view())),
              4.0 * 8.0 * u * std::max(1.0, largest_lse));
  }
}

TEST(Merge, TheIdentityChangesNothingOnEitherSide) {
  const Extent extent{2, 2, 3, 4};
  const Tensor q = testing_support::random_tensor(DType::f32, extent, 1);
  const Partial part = partial_of(q, q, q, 0, 3);
  const std::vector<double> out = testing_support::values(part.out.view());
  const std::vector<double> lse = testing_support::values(part.lse.view());
  const Partial empty = identity(extent);
  merge_into(part, empty);
  EXPECT_EQ(testing_support::values(part.out.view()), out);
  merge_into(empty, part);
  EXPECT_EQ(testing_support::values(empty.out.view()), out);
  EXPECT_EQ(testing_support::values(empty.lse.view()), lse);
  const Partial nothing = identity(extent);
  merge_into(nothing, identity(extent));
  for (const double value : testing_support::values(nothing.lse.view()))
    EXPECT_EQ(value, -kDoubleInfinity);
  for (const double value : testing_support::values(nothing.out.view())) EXPECT_EQ(value, 0.0);
}

TEST(Merge, LargeLogSumExpsNeitherOverflowNorVanish) {
  const Extent extent{1, 1, 2, 1};
  const Partial a = identity(extent);
  const Partial b = identity(extent);
  testing_support::fill(a.out.view(), 1.0);
  testing_support::fill(b.out.view(), 3.0);
  *a.lse.view().row_as<float>(0, 0, 0) = 5000.0f;
  *b.lse.view().row_as<float>(0, 0, 0) = 5000.0f;
  *a.lse.view().row_as<float>(0, 0, 1) = -5000.0f;
  *b.lse.view().row_as<float>(0, 0, 1) = -4000.0f;
  merge_into(a, b);
  EXPECT_FLOAT_EQ(*a.out.view().row_as<float>(0, 0, 0), 2.0f);
  EXPECT_FLOAT_EQ(*a.lse.view().row_as<float>(0, 0, 0), 5000.0f + std::log(2.0f));
  EXPECT_FLOAT_EQ(*a.out.view().row_as<float>(0, 0, 1), 3.0f);
  EXPECT_FLOAT_EQ(*a.lse.view().row_as<float>(0, 0, 1), -4000.0f);
}

// NaN shows beside a number and beside no keys at all, whichever comes first.
TEST(Merge, NanOfAPartShows) {
  const float nan = std::nanf("");
  for (const InstructionSet set : available_instruction_sets())
    for (const float other : {0.0f, -std::numeric_limits<float>::infinity(), nan})
      for (const bool nan_first : {false, true}) {
        use_instruction_set(set);
        SCOPED_TRACE(std::string(word(set)) + " " + std::to_string(other));
        const Partial a = identity({1, 1, 1, 1});
        const Partial b = identity({1, 1, 1, 1});
        const Partial& broken = nan_first ? a : b;
        *(nan_first ? b : a).lse.view().row_as<float>(0, 0, 0) = other;
        *broken.lse.view().row_as<float>(0, 0, 0) = nan;
        *broken.out.view().row_as<float>(0, 0, 0) = nan;
        merge_into(a, b);
        EXPECT_TRUE(std::isnan(*a.out.view().row_as<float>(0, 0, 0)));
        EXPECT_TRUE(std::isnan(*a.lse.view().row_as<float>(0, 0, 0)));
      }
  use_instruction_set(available_instruction_sets().front());
}

TEST(Merge, AStridedGroupMergesStraightIntoTheWhole) {
  const Partial whole = identity({1, 1, 6, 2});
  const Partial part = identity({1, 1, 3, 2});
  testing_support::fill(part.out.view(), 7.0);
  testing_support::fill(part.lse.view(), 0.5);
  merge_partial(whole.out.view().tokens(1, 3, 2), whole.lse.view().tokens(1, 3, 2), part.out.view(),
                part.lse.view());
  EXPECT_EQ(testing_support::values(whole.out.view()),
            (std::vector<double>{0, 0, 7, 7, 0, 0, 7, 7, 0, 0, 7, 7}));
}

TEST(CopyRows, GathersAndScattersStridedGroups) {
  for (const DType dtype : {DType::f16, DType::f32, DType::f64}) {
    const Tensor whole = testing_support::random_tensor(dtype, {2, 3, 10, 5}, 1);
    const TensorView group = whole.view().tokens(2, 4, 2);
    const Tensor gathered(heap_allocator(), dtype, group.extent, "gathered");
    copy_rows(group, gathered.view());
    EXPECT_EQ(testing_support::values(gathered.view()), testing_support::values(group));
    const Tensor scattered(heap_allocator(), dtype, {2, 3, 10, 5}, "scattered");
    testing_support::fill(scattered.view(), 0.0);
    copy_rows(gathered.view(), scattered.view().tokens(2, 4, 2));
    EXPECT_EQ(testing_support::values(scattered.view().tokens(2, 4, 2)),
              testing_support::values(group));
    EXPECT_EQ(testing_support::at(scattered.view(), 1, 2, 3, 4), 0.0);
    copy_rows(whole.view(), scattered.view());  // contiguous on both sides
    EXPECT_EQ(testing_support::values(scattered.view()), testing_support::values(whole.view()));
  }
}

TEST(CopyRows, ConvertsWithAnyNumberOfThreads) {
  for (const DType narrow : {DType::f16, DType::bf16})
    for (const int threads : {1, 3})
      for (const std::int64_t stride : {1, 2}) {
        const Tensor whole = testing_support::random_tensor(DType::f32, {2, 3, 200, 5}, 1);
        const TensorView rows = whole.view().tokens(0, 100, stride);
        const Tensor rounded(heap_allocator(), narrow, rows.extent, "rounded");
        copy_rows(rows, rounded.view(), threads);
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t h = 0; h < 3; ++h)
            for (std::int64_t t = 0; t < 100; ++t) {
              std::uint16_t expected[5];
              convert(rows.row(b, h, t), DType::f32, expected, narrow, 5);
              ASSERT_EQ(0, std::memcmp(rounded.view().row(b, h, t), expected, sizeof(expected)));
            }
        copy_rows(rounded.view(), rows, threads);
        EXPECT_EQ(testing_support::values(rows), testing_support::values(rounded.view()));
      }
}

TEST(Merge, ViewsThatDoNotFitAreRefused) {
  const Partial a = identity({1, 1, 4, 2});
  const Partial b = identity({1, 1, 5, 2});
  EXPECT_THROW(merge_into(a, b), std::invalid_argument);
  EXPECT_THROW(clear_partial(a.out.view(), b.lse.view()), std::invalid_argument);
  EXPECT_THROW(copy_rows(a.out.view(), b.out.view()), std::invalid_argument);
}

}  // namespace
}  // namespace qb
