// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/layer/layer_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/testing/layer_support.h"
#include "kernels/testing/test_support.h"

namespace qb::cpu {
namespace {

using qb::testing_support::CountingAllocator;
using qb::testing_support::kRoundoff;
using qb::testing_support::normal;
using qb::testing_support::Typed;
using qb::testing_support::with_every_instruction_set;

std::vector<float> zeros(std::size_t n) { return std::vector<float>(n, 0.0f); }

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

TEST(LayerParts, GeluIsExactToRoundingOverTheWholeLine) {
  with_every_instruction_set([] {
    std::vector<float> x;
    for (double value = -16.0; value <= 16.0; value += 1.0 / 512) x.push_back(float(value));
    for (const float value : {1e-30f, -1e-30f, 1e-4f, -1e-4f, 80.0f, -80.0f, 3e38f, -3e38f, 0.0f})
      x.push_back(value);
    std::vector<float> y = x;
    bias_gelu({DType::f32, 1, std::ssize(y), y.data(), zeros(y.size()).data()}, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      // The exponential's argument is rounded too; below 2^-126 the exponential may be 0.
      const double exact = exact_gelu(double{x[i]});
      const double tolerance =
          (8.0 + double{x[i]} * double{x[i]}) * kRoundoff * std::abs(exact) + 1e-36;
      ASSERT_LE(std::abs(double{y[i]} - exact), tolerance) << x[i];
    }
  });
}

TEST(LayerParts, GeluKeepsNaN) {
  std::vector<float> y(37, std::numeric_limits<float>::quiet_NaN());
  bias_gelu({DType::f32, 1, 37, y.data(), zeros(37).data()}, 1);
  for (const float value : y) EXPECT_TRUE(std::isnan(value));
}

TEST(LayerParts, GeluAddsTheBiasOfItsColumnFirst) {
  constexpr std::int64_t kRows = 35;
  constexpr std::int64_t kWidth = 19;
  const std::vector<float> x = normal(kRows * kWidth, 1);
  const std::vector<float> bias = normal(kWidth, 2);
  std::vector<float> y = x;
  bias_gelu({DType::f32, kRows, kWidth, y.data(), bias.data()}, 3);
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], exact_gelu(double{x[i]} + double{bias[i % kWidth]}), 1e-6);
}

// The rows have an outlier a thousand times as large as the rest, and a large common offset.
TEST(LayerParts, NormOfASumIsThatOfFloat64) {
  with_every_instruction_set([] {
    for (const std::int64_t width : {1, 7, 16, 67, 768}) {
      constexpr std::int64_t kRows = 33;
      const auto n = static_cast<std::size_t>(width);
      std::vector<float> y = normal(kRows * n, 3);
      for (std::size_t row = 0; row < kRows; ++row) {
        if (row % 3 == 1) y[row * n + n / 2] = 1000.0f;
        if (row % 3 == 2)
          for (std::size_t j = 0; j < n; ++j) y[row * n + j] += 50.0f;
      }
      const std::vector<float> bias = normal(n, 4);
      const std::vector<float> residual = normal(kRows * n, 5);
      const std::vector<float> scale = normal(n, 6);
      const std::vector<float> shift = normal(n, 7);
      std::vector<double> sum(kRows * n);
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = double{y[i]} + double{bias[i % n]} + double{residual[i]};
      add_norm({DType::f32, kRows, width, y.data(), bias.data(), residual.data(), scale.data(),
                shift.data()},
               2);
      for (std::size_t row = 0; row < kRows; ++row) {
        double mean = 0.0;
        double square = 0.0;
        double largest = 0.0;
        for (std::size_t j = 0; j < n; ++j) mean += sum[row * n + j] / double(n);
        for (std::size_t j = 0; j < n; ++j) {
          square += std::pow(sum[row * n + j] - mean, 2) / double(n);
          largest = std::max(largest, std::abs(sum[row * n + j]));
        }
        const double deviation = std::sqrt(square + 1e-12);
        for (std::size_t j = 0; j < n; ++j) {
          const double exact =
              (sum[row * n + j] - mean) / deviation * double{scale[j]} + double{shift[j]};
          // It is a rounding of the largest element, in deviations; a row of one is its own mean.
          const double tolerance =
              width == 1 ? 0.0
                         : (largest / deviation + 1.0) * 16 * kRoundoff *
                               (std::abs(double{scale[j]}) + std::abs(double{shift[j]}));
          ASSERT_NEAR(y[row * n + j], exact, tolerance) << row << ' ' << j;
        }
      }
    }
  });
}

TEST(LayerParts, EpsilonStandsUnderTheRootBesideTheVariance) {
  const std::vector<float> one(4, 1.0f);
  std::vector<float> y = {1e-6f, -1e-6f, 1e-6f, -1e-6f};  // variance 1e-12
  const std::vector<float> zero = zeros(4);
  add_norm({DType::f32, 1, 4, y.data(), zero.data(), zero.data(), one.data(), zero.data()}, 1);
  EXPECT_NEAR(y[0], 1.0 / std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(y[1], -1.0 / std::sqrt(2.0), 1e-6);
  std::vector<float> constant(4, 3.0f);
  add_norm({DType::f32, 1, 4, constant.data(), zero.data(), zero.data(), one.data(), one.data()},
           1);
  for (const float value : constant) EXPECT_EQ(value, 1.0f) << "no deviation: the shift alone";
}

TEST(LayerParts, LinearIsTheProductWithTheTransposedWeightPlusBias) {
  for (const std::int64_t rows : {1, 5, 513, 1100}) {
    for (const int threads : {1, 2, 3, 8}) {
      constexpr std::int64_t kIn = 11;
      constexpr std::int64_t kOut = 5;
      constexpr std::int64_t kStride = 7;
      const std::vector<float> x = normal(static_cast<std::size_t>(rows * kIn), 8);
      const std::vector<float> weight = normal(kIn * kOut, 9);
      const std::vector<float> bias = normal(kOut, 10);
      std::vector<float> y(static_cast<std::size_t>(rows * kStride), -7.0f);
      for (const bool biased : {true, false}) {
        linear({DType::f32, rows, kIn, kOut, x.data(), weight.data(),
                biased ? bias.data() : nullptr, y.data(), kStride},
               threads, heap_allocator());
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < kOut; ++j) {
            double exact = biased ? double{bias[std::size_t(j)]} : 0.0;
            for (std::int64_t k = 0; k < kIn; ++k)
              exact +=
                  double{x[std::size_t(i * kIn + k)]} * double{weight[std::size_t(j * kIn + k)]};
            ASSERT_NEAR(y[std::size_t(i * kStride + j)], exact, 1e-5) << rows << ' ' << threads;
          }
          ASSERT_EQ(y[std::size_t(i * kStride + kOut)], -7.0f) << "between the rows";
        }
      }
    }
  }
}

TEST(LayerParts, OfSixteenBitsAreThoseOfFloat32Rounded) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::int64_t rows : {1, 16, 513, 1100})
      for (const int threads : {1, 3}) {
        constexpr std::int64_t kIn = 11;
        constexpr std::int64_t kOut = 37;
        constexpr std::int64_t kStride = 40;
        const Typed x(dtype, rows * kIn, 1);
        const Typed weight(dtype, kOut * kIn, 2);
        const Typed bias(dtype, kOut, 3);
        const Typed scale(dtype, kOut, 4);
        const Typed shift(dtype, kOut, 5);
        const Typed residual(dtype, rows * kOut, 6);
        SCOPED_TRACE(testing::Message() << word(dtype) << ' ' << rows << ' ' << threads);
        for (const bool biased : {true, false}) {
          Typed y(dtype, rows * kStride, 7);
          linear({DType::f32, rows, kIn, kOut, x.values.data(), weight.values.data(),
                  biased ? bias.values.data() : nullptr, y.values.data(), kStride},
                 threads, heap_allocator());
          const LinearCall call{dtype,
                                rows,
                                kIn,
                                kOut,
                                x.kept.data(),
                                weight.kept.data(),
                                biased ? bias.kept.data() : nullptr,
                                y.kept.data(),
                                kStride};
          CountingAllocator workspace;
          linear(call, threads, workspace);
          y.expect_rounded();
          EXPECT_EQ(static_cast<std::int64_t>(workspace.peak()), linear_workspace_bytes(call));
        }
        Typed y(dtype, rows * kOut, 8);
        bias_gelu({DType::f32, rows, kOut, y.values.data(), bias.values.data()}, threads);
        bias_gelu({dtype, rows, kOut, y.kept.data(), bias.kept.data()}, threads);
        y.expect_rounded();
        Typed z(dtype, rows * kOut, 9);
        add_norm({DType::f32, rows, kOut, z.values.data(), bias.values.data(),
                  residual.values.data(), scale.values.data(), shift.values.data()},
                 threads);
        add_norm({dtype, rows, kOut, z.kept.data(), bias.kept.data(), residual.kept.data(),
                  scale.kept.data(), shift.kept.data()},
                 threads);
        z.expect_rounded();
      }
}

}  // namespace
}  // namespace qb::cpu
