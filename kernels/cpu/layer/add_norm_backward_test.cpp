// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/cpu/layer/layer_parts.h"
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

// A norm whose rows have an outlier a thousand times as large as the rest, or a large common
// offset, and sums that hold something already.
struct NormTrial {
  std::int64_t rows;
  std::int64_t width;
  std::vector<float> x = normal(size(rows * width), 1);
  std::vector<float> bias = normal(size(width), 2);
  std::vector<float> residual = normal(size(rows * width), 3);
  std::vector<float> scale = normal(size(width), 4);
  std::vector<float> d_y = normal(size(rows * width), 5);
  std::vector<float> d_scale = normal(size(width), 6);
  std::vector<float> d_shift = normal(size(width), 7);

  NormTrial(std::int64_t n_rows, std::int64_t n) : rows(n_rows), width(n) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (row % 3 == 1) x[size(row * width + width / 2)] = 1000.0f;
      if (row % 3 == 2)
        for (std::int64_t j = 0; j < width; ++j) x[size(row * width + j)] += 50.0f;
    }
  }

  [[nodiscard]] NormBackwardCall call() {
    return {.dtype = DType::f32,
            .rows = rows,
            .width = width,
            .x = x.data(),
            .bias = bias.data(),
            .residual = residual.data(),
            .scale = scale.data(),
            .d_y = d_y.data(),
            .d_scale = d_scale.data(),
            .d_shift = d_shift.data()};
  }
};

// One row of the norm in float64: its deviations over the standard deviation.
struct ExactRow {
  std::vector<double> normal;
  double deviation = 0.0;
  double largest = 0.0;  // of the sums

  ExactRow(const NormTrial& trial, std::int64_t row) : normal(size(trial.width)) {
    const auto n = static_cast<double>(trial.width);
    double mean = 0.0;
    for (std::int64_t j = 0; j < trial.width; ++j) {
      const std::size_t at = size(row * trial.width + j);
      double& sum = normal[size(j)];
      sum = double{trial.x[at]} + double{trial.bias[size(j)]} + double{trial.residual[at]};
      largest = std::max(largest, std::abs(sum));
      mean += sum / n;
    }
    double square = 0.0;
    for (double& value : normal) {
      value -= mean;
      square += value * value / n;
    }
    deviation = std::sqrt(square + 1e-12);
    for (double& value : normal) value /= deviation;
  }
};

TEST(AddNormBackward, IsThatOfFloat64) {
  with_every_instruction_set([] {
    for (const std::int64_t width : {1, 7, 16, 67, 768}) {
      constexpr int kRows = 33;
      const NormTrial before(kRows, width);
      NormTrial after(kRows, width);
      add_norm_backward(after.call(), 2, heap_allocator());
      const auto n = static_cast<double>(width);
      std::vector<double> d_scale(before.d_scale.begin(), before.d_scale.end());
      std::vector<double> d_shift(before.d_shift.begin(), before.d_shift.end());
      double coarsest = 1.0;  // roundings of the norm's elements
      for (std::int64_t row = 0; row < kRows; ++row) {
        const ExactRow exact(before, row);
        double mean = 0.0;
        double slope = 0.0;
        double largest = 0.0;
        double furthest = 1.0;
        for (std::int64_t j = 0; j < width; ++j) {
          const double gradient = double{before.d_y[size(row * width + j)]};
          const double g = gradient * double{before.scale[size(j)]};
          d_scale[size(j)] += gradient * exact.normal[size(j)];
          d_shift[size(j)] += gradient;
          mean += g / n;
          slope += g * exact.normal[size(j)] / n;
          largest = std::max(largest, std::abs(g));
          furthest = std::max(furthest, std::abs(exact.normal[size(j)]));
        }
        const double coarse = exact.largest / exact.deviation + 1.0;
        if (width > 1) coarsest = std::max(coarsest, coarse);
        // A row of one is its own mean, and its gradient is 0.
        const double tolerance =
            width == 1 ? 0.0
                       : 32 * kRoundoff * coarse * (1.0 + furthest) * largest / exact.deviation;
        for (std::int64_t j = 0; j < width; ++j) {
          const double g =
              double{before.d_y[size(row * width + j)]} * double{before.scale[size(j)]};
          ASSERT_NEAR(after.d_y[size(row * width + j)],
                      (g - mean - exact.normal[size(j)] * slope) / exact.deviation, tolerance)
              << row << ' ' << j;
        }
      }
      for (std::int64_t j = 0; j < width; ++j) {
        ASSERT_NEAR(after.d_scale[size(j)], d_scale[size(j)],
                    16 * kRoundoff * kRows * 4.0 * coarsest);
        ASSERT_NEAR(after.d_shift[size(j)], d_shift[size(j)], 16 * kRoundoff * kRows);
      }
    }
  });
}

TEST(AddNormBackward, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const std::int64_t rows : {1, 15, 1100}) {
    NormTrial one(rows, 67);
    add_norm_backward(one.call(), 1, heap_allocator());
    for (const int threads : {2, 5}) {
      NormTrial several(rows, 67);
      add_norm_backward(several.call(), threads, heap_allocator());
      EXPECT_EQ(several.d_y, one.d_y);
      EXPECT_EQ(several.d_scale, one.d_scale);
      EXPECT_EQ(several.d_shift, one.d_shift);
    }
  }
}

TEST(AddNormBackward, EpsilonStandsUnderTheRootBesideTheVariance) {
  // With deviations of 1e-6 the variance is epsilon, and the norm is +-1 / sqrt 2.
  std::vector<float> x = {1e-6f, -1e-6f, 1e-6f, -1e-6f};
  const std::vector<float> zero(4, 0.0f);
  const std::vector<float> one(4, 1.0f);
  std::vector<float> d_y = {1.0f, 0.0f, 0.0f, -1.0f};
  std::vector<float> d_scale(4);
  std::vector<float> d_shift(4);
  add_norm_backward({DType::f32, 1, 4, x.data(), zero.data(), zero.data(), one.data(), d_y.data(),
                     d_scale.data(), d_shift.data()},
                    1, heap_allocator());
  const double root = 1.0 / std::sqrt(2.0);
  const double slope = 2.0 * root / 4.0;  // the mean of d_y times the norm
  const double factor = root * 1e6;
  EXPECT_NEAR(d_y[0], factor * (1.0 - root * slope), 1.0);
  EXPECT_NEAR(d_y[1], factor * (root * slope), 1.0);
  EXPECT_NEAR(d_scale[0], root, 1e-6);
  EXPECT_NEAR(d_scale[3], root, 1e-6);
  EXPECT_EQ(d_shift[3], -1.0f);
}

TEST(AddNormBackward, OfSixteenBitsIsThatOfFloat32Rounded) {
  constexpr std::int64_t kWidth = 37;
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::int64_t rows : {1, 16, 1100})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << word(dtype) << ' ' << rows << ' ' << threads);
        const Typed x(dtype, rows * kWidth, 1);
        const Typed bias(dtype, kWidth, 2);
        const Typed residual(dtype, rows * kWidth, 3);
        const Typed scale(dtype, kWidth, 4);
        Typed d_y(dtype, rows * kWidth, 5);
        std::vector<float> wanted(2 * kWidth);
        std::vector<float> sums(2 * kWidth);
        add_norm_backward(
            {DType::f32, rows, kWidth, x.values.data(), bias.values.data(), residual.values.data(),
             scale.values.data(), d_y.values.data(), wanted.data(), wanted.data() + kWidth},
            threads, heap_allocator());
        const NormBackwardCall call{.dtype = dtype,
                                    .rows = rows,
                                    .width = kWidth,
                                    .x = x.kept.data(),
                                    .bias = bias.kept.data(),
                                    .residual = residual.kept.data(),
                                    .scale = scale.kept.data(),
                                    .d_y = d_y.kept.data(),
                                    .d_scale = sums.data(),
                                    .d_shift = sums.data() + kWidth};
        CountingAllocator workspace;
        add_norm_backward(call, threads, workspace);
        d_y.expect_rounded();
        EXPECT_EQ(sums, wanted);
        EXPECT_EQ(static_cast<std::int64_t>(workspace.peak()),
                  add_norm_backward_workspace_bytes(call));
      }
}

}  // namespace
}  // namespace qb::cpu
