// SPDX-License-Identifier: Apache-2.0
// Runs the kernels' own source, one lane after another, and compares with float64.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/cuda/blas/layer_parts.cuh"
#include "kernels/dtype.h"

namespace qb::cuda {
namespace {

template <DType kDType>
struct Element;
template <>
struct Element<DType::f32> {
  float bits;
};
template <>
struct Element<DType::f16> {
  std::uint16_t bits;
};
template <>
struct Element<DType::bf16> {
  std::uint16_t bits;
};

template <DType kElement, int kWidth>
struct FakeGroup {
  static constexpr DType kDType = kElement;
  static constexpr int kSize = kWidth;
  Element<kElement> at[std::size_t{kWidth}];

  [[nodiscard]] float load(int i) const {
    return static_cast<float>(load_element(&at[i], kElement));
  }
  void store(int i, float value) { store_element(&at[i], kElement, double{value}); }
};

template <class Group>
struct Rows {
  std::vector<Group> groups;

  Rows(std::int64_t n, std::mt19937_64& random, float deviation = 1.0f, float middle = 0.0f) {
    std::normal_distribution<float> normal(middle, deviation);
    groups.resize(static_cast<std::size_t>(n));
    for (Group& group : groups)
      for (int i = 0; i < Group::kSize; ++i) group.store(i, normal(random));
  }
  [[nodiscard]] double value(std::int64_t element) const {
    return double{groups[static_cast<std::size_t>(element / Group::kSize)].load(
        static_cast<int>(element % Group::kSize))};
  }
};

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

template <class Group>
class LayerPasses : public testing::Test {
 protected:
  std::mt19937_64 random_{std::random_device{}()};
  static constexpr double kRoundoff = unit_roundoff(Group::kDType);
};
using Groups =
    testing::Types<FakeGroup<DType::f32, 1>, FakeGroup<DType::f32, 4>, FakeGroup<DType::f16, 1>,
                   FakeGroup<DType::f16, 8>, FakeGroup<DType::bf16, 8>>;
TYPED_TEST_SUITE(LayerPasses, Groups);

TEST(LayerGelu, IsExactToRoundingOverTheWholeLine) {
  for (double x = -13.0; x <= 13.0; x += 1.0 / 128) {
    const double exact = exact_gelu(x);
    EXPECT_NEAR(double{gelu(static_cast<float>(x))}, exact,
                (8.0 + 2.0 * x * x) * unit_roundoff(DType::f32) * std::abs(exact) + 1e-37)
        << x;
  }
  for (const float x : {-1e4f, -3e38f}) EXPECT_EQ(gelu(x), 0.0f);
  for (const float x : {1e4f, 3e38f}) EXPECT_EQ(gelu(x), x);
  EXPECT_TRUE(std::isnan(gelu(std::nanf(""))));
}

// The grid has more columns than there are groups, and fewer row steps than rows, or more.
TYPED_TEST(LayerPasses, AddTheBiasOfTheirColumnAndLeaveWhatIsBetweenRows) {
  for (const std::int64_t row_steps : {1, 3, 40}) {
    constexpr std::int64_t kRows = 13;
    constexpr std::int64_t kGroups = 5;
    constexpr std::int64_t kStride = 7;
    for (const bool with_gelu : {false, true}) {
      Rows<TypeParam> y(kRows * kStride, this->random_);
      const Rows<TypeParam> before = y;
      const Rows<TypeParam> bias(kGroups, this->random_);
      const BiasRows<TypeParam> p{y.groups.data(), bias.groups.data(), kRows, kGroups, kStride};
      for (std::int64_t row = row_steps - 1; row >= 0; --row)
        for (std::int64_t column = 8; column >= 0; --column)
          if (with_gelu)
            bias_column<true>(p, column, row, row_steps);
          else
            bias_column<false>(p, column, row, row_steps);
      const std::int64_t stride = kStride * TypeParam::kSize;
      for (std::int64_t i = 0; i < kRows * stride; ++i) {
        const std::int64_t column = i % stride;
        const bool between = column >= kGroups * TypeParam::kSize;
        double exact = before.value(i);
        if (!between) exact += bias.value(column);
        if (!between && with_gelu) exact = exact_gelu(exact);
        EXPECT_NEAR(y.value(i), exact, between ? 0.0 : 2 * this->kRoundoff * std::abs(exact) + 1e-6)
            << i;
      }
    }
  }
}

// The rows have an outlier a thousand times as large as the rest, and a large common offset.
TYPED_TEST(LayerPasses, NormOfASumIsThatOfFloat64) {
  for (const std::int64_t groups : {1, 3, 32, 33, 96}) {
    constexpr std::int64_t kRows = 7;
    const std::int64_t width = groups * TypeParam::kSize;
    Rows<TypeParam> y(kRows * groups, this->random_);
    for (std::int64_t row = 0; row < kRows; ++row) {
      if (row % 3 == 1) y.groups[static_cast<std::size_t>(row * groups)].store(0, 1000.0f);
      for (std::int64_t g = 0; row % 3 == 2 && g < groups; ++g)
        for (int i = 0; i < TypeParam::kSize; ++i) {
          TypeParam& group = y.groups[static_cast<std::size_t>(row * groups + g)];
          group.store(i, group.load(i) + 50.0f);
        }
    }
    const Rows<TypeParam> before = y;
    const Rows<TypeParam> bias(groups, this->random_);
    const Rows<TypeParam> residual(kRows * groups, this->random_);
    const Rows<TypeParam> scale(groups, this->random_, 0.1f, 1.0f);
    const Rows<TypeParam> shift(groups, this->random_);
    const NormRows<TypeParam> p{y.groups.data(),
                                bias.groups.data(),
                                residual.groups.data(),
                                scale.groups.data(),
                                shift.groups.data(),
                                kRows,
                                groups,
                                1e-12f};
    for (std::int64_t row = 0; row < kRows; ++row) {
      float sum = 0.0f;
      for (int lane = 0; lane < kNormLanes; ++lane) sum += lane_sum(p, row, lane);
      const float mean = sum / static_cast<float>(width);
      float squares = 0.0f;
      for (int lane = 0; lane < kNormLanes; ++lane) squares += lane_squares(p, row, lane, mean);
      for (int lane = kNormLanes - 1; lane >= 0; --lane)
        normalise_groups(p, row, lane, mean, squares);

      std::vector<double> sums;
      double exact_mean = 0.0;
      double largest = 0.0;
      for (std::int64_t j = 0; j < width; ++j) {
        sums.push_back(before.value(row * width + j) + bias.value(j) +
                       residual.value(row * width + j));
        exact_mean += sums.back() / static_cast<double>(width);
        largest = std::max(largest, std::abs(sums.back()));
      }
      double variance = 0.0;
      for (const double value : sums)
        variance += std::pow(value - exact_mean, 2) / static_cast<double>(width);
      const double deviation = std::sqrt(variance + 1e-12);
      for (std::int64_t j = 0; j < width; ++j) {
        const double normal = (sums[static_cast<std::size_t>(j)] - exact_mean) / deviation;
        const double exact = normal * scale.value(j) + shift.value(j);
        // A row of one is its own mean; for others it is a rounding of the largest element, in
        // deviations.
        const double summed =
            width == 1 ? 0.0 : (largest / deviation + 1.0) * 32 * unit_roundoff(DType::f32);
        EXPECT_NEAR(y.value(row * width + j), exact,
                    summed + this->kRoundoff * std::abs(exact) + 1e-7)
            << row << ' ' << j;
      }
    }
  }
}

}  // namespace
}  // namespace qb::cuda
