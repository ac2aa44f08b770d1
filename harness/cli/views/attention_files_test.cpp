// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/tensor_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/execute/testing/npy_fakes.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using testing_support::named;
using testing_support::refusal;

NpyArray f32(const std::string& name, std::vector<std::int64_t> shape) {
  return named(name, DType::f32, std::move(shape));
}

TEST(ShapeOf, FillsMissingLeadingDimensionsWithOne) {
  EXPECT_EQ(shape_of(f32("q", {5, 8}), f32("k", {7, 8}), f32("v", {7, 3})),
            (Shape{1, 1, 1, 5, 7, 8, 3}));
  EXPECT_EQ(shape_of(f32("q", {6, 5, 8}), f32("k", {2, 7, 8}), f32("v", {2, 7, 8})),
            (Shape{1, 6, 2, 5, 7, 8, 8}));
  EXPECT_EQ(shape_of(f32("q", {3, 4, 5, 8}), f32("k", {3, 4, 5, 8}), f32("v", {3, 4, 5, 8})),
            (Shape{3, 4, 4, 5, 5, 8, 8}));
}

TEST(ShapeOf, NamesTheFilesThatDoNotFitAndBothSizes) {
  const auto refused = [](std::vector<std::int64_t> q, std::vector<std::int64_t> k,
                          std::vector<std::int64_t> v) {
    return refusal([&] {
      (void)shape_of(f32("q.npy", std::move(q)), f32("k.npy", std::move(k)),
                     f32("v.npy", std::move(v)));
    });
  };
  EXPECT_EQ(refused({5}, {5, 8}, {5, 8}),
            "q.npy has shape [5]; it must be [n, d], [h, n, d] or [b, h, n, d]");
  EXPECT_EQ(refused({5, 8}, {1, 1, 1, 5, 8}, {5, 8}),
            "k.npy has shape [1, 1, 1, 5, 8]; it must be [n, d], [h, n, d] or [b, h, n, d]");
  EXPECT_EQ(refused({0, 8}, {5, 8}, {5, 8}), "q.npy has shape [0, 8]: it is empty");
  EXPECT_EQ(refused({5, 8}, {5, 4}, {5, 8}),
            "q.npy [5, 8] has 8 elements a token and k.npy [5, 4] has 4; they must be equal");
  EXPECT_EQ(refused({5, 8}, {5, 8}, {6, 8}),
            "k.npy [5, 8] has 5 tokens and v.npy [6, 8] has 6; they must be equal");
  EXPECT_THAT(refused({2, 4, 5, 8}, {4, 5, 8}, {4, 5, 8}), HasSubstr("2 batches"));
  EXPECT_THAT(refused({4, 5, 8}, {4, 5, 8}, {2, 5, 8}), HasSubstr("4 heads"));
  EXPECT_EQ(refused({3, 5, 8}, {2, 5, 8}, {2, 5, 8}),
            "q.npy has 3 heads and k.npy has 2; query heads must be a multiple of key-value heads, "
            "which they share evenly");
}

TEST(CommonDtype, NamesTheFileOfAnotherType) {
  const NpyArray half = named("v.npy", DType::f16, {2, 2});
  EXPECT_EQ(common_dtype(half, half, half), DType::f16);
  EXPECT_EQ(refusal([&] {
              (void)common_dtype(f32("q.npy", {2, 2}), f32("k.npy", {2, 2}), half);
            }),
            "q.npy is f32 and v.npy is f16; convert them to one type");
}

}  // namespace
}  // namespace qb
