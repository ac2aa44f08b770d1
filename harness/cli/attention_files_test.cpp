#include "harness/cli/attention_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/base/status.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

NamedArray named(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  NpyArray array{dtype, std::move(shape),
                 std::vector<std::byte>(static_cast<std::size_t>(n * size_of(dtype)))};
  for (std::int64_t i = 0; i < n; ++i)
    store_element(array.data.data() + i * size_of(dtype), dtype, static_cast<double>(i));
  return {name, std::move(array)};
}

NamedArray f32(const std::string& name, std::vector<std::int64_t> shape) {
  return named(name, DType::f32, std::move(shape));
}

// The message of the UsageError that `f` throws.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
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
  const NamedArray half = named("v.npy", DType::f16, {2, 2});
  EXPECT_EQ(common_dtype(half, half, half), DType::f16);
  EXPECT_EQ(refusal([&] {
              (void)common_dtype(f32("q.npy", {2, 2}), f32("k.npy", {2, 2}), half);
            }),
            "q.npy is f32 and v.npy is f16; convert them to one type");
}

TEST(TensorOf, NamesTheIndexOfWhatIsNotFinite) {
  NamedArray array = f32("k.npy", {2, 3, 4});
  const Extent extent{1, 2, 3, 4};
  const Tensor tensor = tensor_of(array, DType::f16, extent, heap_allocator(), "k");
  EXPECT_EQ(load_element(tensor.view().row(0, 1, 2), DType::f16), 20.0);

  store_element(array.array.data.data() + 4 * 21, DType::f32,
                std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refusal([&] { (void)tensor_of(array, DType::f32, extent, heap_allocator(), "k"); }),
            "k.npy holds nan at [1, 2, 1]; attention needs finite numbers");
  store_element(array.array.data.data() + 4 * 2, DType::f32,
                -std::numeric_limits<double>::infinity());
  EXPECT_EQ(refusal([&] { (void)tensor_of(array, DType::f32, extent, heap_allocator(), "k"); }),
            "k.npy holds -inf at [0, 0, 2]; attention needs finite numbers");
}

TEST(TensorOf, RefusesNumbersThatRoundToInfinity) {
  NamedArray array = named("q.npy", DType::f64, {1, 2});
  store_element(array.array.data.data() + 8, DType::f64, 1e300);
  EXPECT_EQ(refusal([&] {
              (void)tensor_of(array, DType::f32, {1, 1, 1, 2}, heap_allocator(), "q");
            }),
            "q.npy holds 1e+300 at [0, 1], which is infinite as f32");
}

TEST(NpyOf, RoundTripsAndRefusesWhatTheTypeCannotHold) {
  float values[] = {1.5f, -2.0f, 70000.0f, -std::numeric_limits<float>::infinity()};
  const TensorView view = contiguous_view(values, DType::f32, {1, 1, 2, 2});
  const NpyArray back = parse_npy(npy_of(view, DType::f64, {2, 2}, "O"), "o.npy");
  EXPECT_EQ(back.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(load_element(back.data.data() + 16, DType::f64), 70000.0);
  EXPECT_EQ(load_element(back.data.data() + 24, DType::f64),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(refusal([&] {
              (void)npy_of(view, DType::f16, {2, 2}, "O");
            }),
            "O holds 70000 at [1, 0], which is infinite as f16; choose a wider --out-dtype");
}

}  // namespace
}  // namespace qb
