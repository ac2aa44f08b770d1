// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/layer/layer_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/testing/layer_support.h"
#include "kernels/testing/test_support.h"

namespace qb::cpu {
namespace {

using qb::testing_support::CountingAllocator;
using qb::testing_support::kRoundoff;
using qb::testing_support::normal;
using qb::testing_support::size;
using qb::testing_support::Typed;
using qb::testing_support::with_every_instruction_set;

// A product with rows of d_y that lie apart, in float32, and sums that hold something already.
struct LinearTrial {
  static constexpr std::int64_t kIn = 11;
  static constexpr std::int64_t kOut = 5;
  static constexpr std::int64_t kStride = 7;
  std::int64_t rows;
  std::vector<float> x = normal(size(rows * kIn), 1);
  std::vector<float> weight = normal(kIn * kOut, 2);
  std::vector<float> d_y = normal(size(rows * kStride), 3);
  std::vector<float> d_x = normal(size(rows * kIn), 4);
  std::vector<float> d_weight = normal(kIn * kOut, 5);
  std::vector<float> d_bias = normal(kOut, 6);

  explicit LinearTrial(std::int64_t n_rows) : rows(n_rows) {}

  [[nodiscard]] LinearBackwardCall call(bool adds) {
    return {.dtype = DType::f32,
            .rows = rows,
            .in = kIn,
            .out = kOut,
            .x = x.data(),
            .weight = weight.data(),
            .d_y_dtype = DType::f32,
            .d_y = d_y.data(),
            .d_y_stride = kStride,
            .d_x = d_x.data(),
            .adds_to_d_x = adds,
            .d_weight = d_weight.data(),
            .d_bias = d_bias.data()};
  }
};

TEST(LayerPartsBackward, LinearAddsToTheGradientsOfWeightAndBiasAndMakesThatOfItsInput) {
  for (const std::int64_t rows : {1, 5, 513, 1100})
    for (const int threads : {1, 2, 3, 8})
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(testing::Message() << rows << ' ' << threads << ' ' << adds);
        const LinearTrial before(rows);
        LinearTrial after(rows);
        linear_backward(after.call(adds), threads, heap_allocator());
        constexpr std::int64_t kIn = LinearTrial::kIn;
        const auto d_y = [&](std::int64_t i, std::int64_t o) {
          return double{before.d_y[size(i * LinearTrial::kStride + o)]};
        };
        for (std::int64_t o = 0; o < LinearTrial::kOut; ++o) {
          double bias = double{before.d_bias[size(o)]};
          for (std::int64_t i = 0; i < rows; ++i) bias += d_y(i, o);
          ASSERT_NEAR(after.d_bias[size(o)], bias, 5e-4);
          for (std::int64_t k = 0; k < kIn; ++k) {
            double weight = double{before.d_weight[size(o * kIn + k)]};
            for (std::int64_t i = 0; i < rows; ++i)
              weight += d_y(i, o) * double{before.x[size(i * kIn + k)]};
            ASSERT_NEAR(after.d_weight[size(o * kIn + k)], weight, 5e-4);
          }
        }
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t k = 0; k < kIn; ++k) {
            double state = adds ? double{before.d_x[size(i * kIn + k)]} : 0.0;
            for (std::int64_t o = 0; o < LinearTrial::kOut; ++o)
              state += d_y(i, o) * double{before.weight[size(o * kIn + k)]};
            ASSERT_NEAR(after.d_x[size(i * kIn + k)], state, 1e-5);
          }
      }
}

TEST(LayerPartsBackward, LinearMayWriteItsInputsGradientOverTheInput) {
  for (const std::int64_t rows : {5, 1100}) {
    LinearTrial apart(rows);
    linear_backward(apart.call(false), 2, heap_allocator());
    LinearTrial in_place(rows);
    LinearBackwardCall call = in_place.call(false);
    call.d_x = in_place.x.data();
    linear_backward(call, 2, heap_allocator());
    EXPECT_EQ(in_place.x, apart.d_x);
    EXPECT_EQ(in_place.d_weight, apart.d_weight);
    EXPECT_EQ(in_place.d_bias, apart.d_bias);
  }
}

TEST(LayerPartsBackward, LinearOfSixteenBitsIsThatOfFloat32Rounded) {
  constexpr std::int64_t kIn = 11;
  constexpr std::int64_t kOut = 37;
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::int64_t rows : {1, 16, 513, 1100})
      for (const bool adds : {false, true})
        for (const bool wide : {false, true}) {  // d_y is float32
          SCOPED_TRACE(testing::Message() << word(dtype) << ' ' << rows << adds << wide);
          const Typed x(dtype, rows * kIn, 1);
          const Typed weight(dtype, kOut * kIn, 2);
          const Typed d_y(dtype, rows * kOut, 3);
          Typed d_x(dtype, rows * kIn, 4);
          std::vector<float> d_weight(kOut * kIn);
          std::vector<float> d_bias(kOut);
          LinearBackwardCall call{.dtype = DType::f32,
                                  .rows = rows,
                                  .in = kIn,
                                  .out = kOut,
                                  .x = x.values.data(),
                                  .weight = weight.values.data(),
                                  .d_y_dtype = DType::f32,
                                  .d_y = d_y.values.data(),
                                  .d_y_stride = kOut,
                                  .d_x = d_x.values.data(),
                                  .adds_to_d_x = adds,
                                  .d_weight = d_weight.data(),
                                  .d_bias = d_bias.data()};
          CountingAllocator none;
          linear_backward(call, 3, none);
          EXPECT_EQ(none.peak(), 0u);
          EXPECT_EQ(linear_backward_workspace_bytes(call), 0);
          const std::vector<float> wanted = d_weight;
          const std::vector<float> wanted_bias = d_bias;
          std::ranges::fill(d_weight, 0.0f);
          std::ranges::fill(d_bias, 0.0f);
          call.dtype = dtype;
          call.x = x.kept.data();
          call.weight = weight.kept.data();
          call.d_x = d_x.kept.data();
          if (!wide) {
            call.d_y_dtype = dtype;
            call.d_y = d_y.kept.data();
          }
          CountingAllocator workspace;
          linear_backward(call, 3, workspace);
          d_x.expect_rounded();
          EXPECT_EQ(static_cast<std::int64_t>(workspace.peak()),
                    linear_backward_workspace_bytes(call));
          for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(d_weight[i], wanted[i], 5e-4);
          for (std::size_t i = 0; i < wanted_bias.size(); ++i)
            ASSERT_NEAR(d_bias[i], wanted_bias[i], 5e-4);
        }
}

double share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double density(double x) { return std::exp(-x * x / 2.0) / std::sqrt(2.0 * std::numbers::pi); }

TEST(LayerPartsBackward, GelusDerivativeIsExactToRoundingOverTheWholeLine) {
  with_every_instruction_set([] {
    std::vector<float> x;
    for (double value = -16.0; value <= 16.0; value += 1.0 / 512) x.push_back(float(value));
    for (const float value : {1e-30f, -1e-30f, 1e-4f, -1e-4f, 80.0f, -80.0f, 3e38f, -3e38f, 0.0f})
      x.push_back(value);
    const std::vector<float> bias(x.size(), 0.0f);
    std::vector<float> d_y(x.size(), 1.0f);
    bias_gelu_backward({DType::f32, 1, std::ssize(x), x.data(), bias.data(), d_y.data()}, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = double{x[i]};
      // The two terms have different signs for x < 0, and the error is that of the larger one.
      const double size_of_terms = share(at) + std::abs(at) * density(at);
      const double tolerance = (10.0 + at * at) * kRoundoff * size_of_terms + 1e-36;
      ASSERT_LE(std::abs(double{d_y[i]} - (share(at) + at * density(at))), tolerance) << x[i];
    }
  });
}

TEST(LayerPartsBackward, GeluKeepsNaN) {
  const std::vector<float> x(37, std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> bias(37, 0.0f);
  std::vector<float> d_y(37, 1.0f);
  bias_gelu_backward({DType::f32, 1, 37, x.data(), bias.data(), d_y.data()}, 1);
  for (const float value : d_y) EXPECT_TRUE(std::isnan(value));
}

TEST(LayerPartsBackward, GeluMultipliesByTheDerivativeAtTheSumWithTheBias) {
  constexpr std::int64_t kRows = 35;
  constexpr std::int64_t kWidth = 19;
  const std::vector<float> x = normal(kRows * kWidth, 1);
  const std::vector<float> bias = normal(kWidth, 2);
  const std::vector<float> gradient = normal(kRows * kWidth, 3);
  std::vector<float> d_y = gradient;
  bias_gelu_backward({DType::f32, kRows, kWidth, x.data(), bias.data(), d_y.data()}, 3);
  for (std::size_t i = 0; i < d_y.size(); ++i) {
    const double at = double{x[i]} + double{bias[i % kWidth]};
    EXPECT_NEAR(d_y[i], double{gradient[i]} * (share(at) + at * density(at)), 3e-6);
  }
}

TEST(LayerPartsBackward, GeluOfSixteenBitsIsThatOfFloat32Rounded) {
  constexpr std::int64_t kWidth = 37;
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::int64_t rows : {1, 16, 1100})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << word(dtype) << ' ' << rows << ' ' << threads);
        const Typed x(dtype, rows * kWidth, 1);
        const Typed bias(dtype, kWidth, 2);
        Typed d_y(dtype, rows * kWidth, 3);
        bias_gelu_backward(
            {DType::f32, rows, kWidth, x.values.data(), bias.values.data(), d_y.values.data()},
            threads);
        bias_gelu_backward({dtype, rows, kWidth, x.kept.data(), bias.kept.data(), d_y.kept.data()},
                           threads);
        d_y.expect_rounded();
      }
}

}  // namespace
}  // namespace qb::cpu
