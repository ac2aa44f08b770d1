// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/allocator.h"
#include "kernels/cuda/merge/reduction_rows.h"
#include "kernels/merge.h"

namespace qb {
namespace {

constexpr float kNoKey = -std::numeric_limits<float>::infinity();

struct Rows {
  Rows(std::int64_t n, std::int64_t width)
      : out(heap_allocator(), DType::f32, {1, 2, n, width}, "out"),
        lse(heap_allocator(), DType::f32, {1, 2, n, 1}, "lse") {}

  // LSEs are far apart, and some rows have no key.
  void fill(std::mt19937_64& random) {
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < out.view().extent.elements(); ++i) values(out)[i] = normal(random);
    for (std::int64_t i = 0; i < lse.view().extent.elements(); ++i) {
      values(lse)[i] = random() % 4 == 0 ? kNoKey : 200.0f * normal(random);
      if (values(lse)[i] != kNoKey) continue;
      const std::int64_t width = out.view().extent.head_dim;
      for (std::int64_t x = 0; x < width; ++x) values(out)[i * width + x] = 0.0f;
    }
  }
  static float* values(const Tensor& tensor) { return static_cast<float*>(tensor.view().data); }
  static std::vector<float> copy(const Tensor& tensor) {
    return {values(tensor), values(tensor) + tensor.view().extent.elements()};
  }

  Tensor out;
  Tensor lse;
};

// These are the all-reduces of several workers, as in tree decoding.
TEST(Reduction, OfPartialsIsTheirMerge) {
  std::mt19937_64 random(7);
  for (const int workers : {1, 2, 5}) {
    Rows merged(9, 5);
    clear_partial(merged.out.view(), merged.lse.view());
    std::vector<Rows> partials;
    const Tensor maximum(heap_allocator(), DType::f32, {1, 2, 9, 1}, "maximum");
    for (int w = 0; w < workers; ++w) {
      partials.emplace_back(9, 5);
      partials.back().fill(random);
      merge_partial(merged.out.view(), merged.lse.view(), partials.back().out.view(),
                    partials.back().lse.view());
      if (w == 0)
        copy_rows(partials[0].lse.view(), maximum.view());
      else
        combine(maximum.view(), partials.back().lse.view(), Combine::maximum);
    }
    const Tensor sum(heap_allocator(), DType::f32, {1, 2, 9, 1}, "sum");
    const Tensor share(heap_allocator(), DType::f32, {1, 2, 9, 1}, "share");
    for (int w = 0; w < workers; ++w) {
      const Rows& own = partials[static_cast<std::size_t>(w)];
      weigh_partial(own.out.view(), own.lse.view(), maximum.view(), share.view());
      if (w == 0) {
        copy_rows(share.view(), sum.view());
      } else {
        combine(sum.view(), share.view(), Combine::sum);
        combine(partials[0].out.view(), own.out.view(), Combine::sum);
      }
    }
    normalise_partial(partials[0].out.view(), partials[0].lse.view(), maximum.view(), sum.view());
    const std::vector<float> out = Rows::copy(merged.out);
    const std::vector<float> lse = Rows::copy(merged.lse);
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_NEAR(double{Rows::values(partials[0].out)[i]}, double{out[i]}, 1e-5) << workers;
    for (std::size_t i = 0; i < lse.size(); ++i) {
      if (lse[i] == kNoKey)
        EXPECT_EQ(Rows::values(partials[0].lse)[i], kNoKey);
      else
        EXPECT_NEAR(double{Rows::values(partials[0].lse)[i]}, double{lse[i]}, 1e-3);
    }
  }
}

// Runs the kernels' own source, one lane after another and the last lane first.
TEST(Reduction, TheLanesOfAWarpDoWhatTheHostDoes) {
  std::mt19937_64 random(8);
  for (const std::int64_t width : {1, 31, 32, 33, 128}) {
    Rows host(7, width);
    host.fill(random);
    Rows device(7, width);
    copy_rows(host.out.view(), device.out.view());
    copy_rows(host.lse.view(), device.lse.view());
    const Tensor maximum(heap_allocator(), DType::f32, {1, 2, 7, 1}, "maximum");
    copy_rows(host.lse.view(), maximum.view());
    Rows::values(maximum)[3] = 500.0f;  // another worker's
    const Tensor of_host(heap_allocator(), DType::f32, {1, 2, 7, 1}, "denominator");
    const Tensor of_device(heap_allocator(), DType::f32, {1, 2, 7, 1}, "denominator");
    const ReductionRows rows(device.out.view(), device.lse.view(), maximum.view(),
                             of_device.view());
    const auto all_lanes = [&](void (*work)(const ReductionRows&, std::int64_t, int)) {
      for (std::int64_t row = 15; row >= 0; --row)  // a grid has more than there are
        for (int lane = kReductionLanes - 1; lane >= 0; --lane) work(rows, row, lane);
    };
    weigh_partial(host.out.view(), host.lse.view(), maximum.view(), of_host.view());
    all_lanes(weigh_lane);
    EXPECT_EQ(Rows::copy(host.out), Rows::copy(device.out)) << width;
    EXPECT_EQ(Rows::copy(of_host), Rows::copy(of_device)) << width;
    normalise_partial(host.out.view(), host.lse.view(), maximum.view(), of_host.view());
    all_lanes(normalise_lane);
    EXPECT_EQ(Rows::copy(host.out), Rows::copy(device.out)) << width;
    EXPECT_EQ(Rows::copy(host.lse), Rows::copy(device.lse)) << width;
  }
}

// Of three workers one has NaN for row 0, and none has a key for row 1.
TEST(Reduction, KeepsTheNanOfOneWorker) {
  const float lse[3][3] = {
      {2.0f, kNoKey, 1.0f}, {std::nanf(""), kNoKey, 3.0f}, {5.0f, kNoKey, kNoKey}};
  float sum[3] = {};
  float numerator[3] = {};
  const float maximum[3] = {5.0f, kNoKey, 3.0f};
  for (const auto& worker : lse)
    for (std::size_t row = 0; row < 3; ++row) {
      sum[row] += row_weight(worker[row], maximum[row]);
      numerator[row] += row_weight(worker[row], maximum[row]) * 7.0f;
    }
  EXPECT_TRUE(std::isnan(row_lse(maximum[0], sum[0])));
  EXPECT_TRUE(std::isnan(row_output(numerator[0], sum[0])));
  EXPECT_EQ(row_lse(maximum[1], sum[1]), kNoKey);
  EXPECT_EQ(row_output(numerator[1], sum[1]), 0.0f);
  EXPECT_FLOAT_EQ(row_output(numerator[2], sum[2]), 7.0f);
}

}  // namespace
}  // namespace qb
