// SPDX-License-Identifier: Apache-2.0
// Does on the host what kernel staged gives a GPU to do, its products and the softmax kernel's own
// source, one lane after another, and compares the result with brute force.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "kernels/cuda/blas/staged_softmax.cuh"
#include "kernels/cuda/blas/staged_work.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/merge.h"
#include "kernels/testing/mask_fixtures.h"
#include "kernels/testing/test_support.h"

namespace qb::cuda {
namespace {

const auto kExp = [](float x) { return std::exp(x); };

struct Bits16 {
  std::uint16_t bits;
};

// Holds a call whose output is poisoned.
struct StagedTrial {
  Tensor q, k, v, out, lse;
  TileSchedule schedule;
  double scale = 0.25;

  StagedTrial(DType dtype, const Extent& q_extent, std::int64_t kv_heads, std::int64_t n_keys,
              std::int64_t value_dim, TileSchedule of_call, std::uint64_t seed)
      : schedule(std::move(of_call)) {
    const Extent& x = q_extent;
    q = testing_support::random_tensor(dtype, x, seed, 1.0, 40);
    k = testing_support::random_tensor(dtype, {x.batch, kv_heads, n_keys, x.head_dim}, seed + 1,
                                       1.0, 40);
    v = testing_support::random_tensor(dtype, {x.batch, kv_heads, n_keys, value_dim}, seed + 2, 1.0,
                                       40);
    out = Tensor(heap_allocator(), DType::f32, {x.batch, x.heads, x.length, value_dim}, "out");
    lse = Tensor(heap_allocator(), DType::f32, {x.batch, x.heads, x.length, 1}, "lse");
    testing_support::fill(out.view(), std::nan(""));
    testing_support::fill(lse.view(), std::nan(""));
  }

  [[nodiscard]] AttentionArguments arguments() const {
    return {q.view(), k.view(), v.view(), &schedule, scale, out.view(), lse.view()};
  }
  // Returns how far a sum of rounded weights may lie from the exact one. Outliers make scores of
  // over a thousand, which float32 rounds by up to 1e-4, and weights with them.
  [[nodiscard]] double tolerance() const {
    double largest = 0.0;
    const TensorView view = v.view();
    for (std::int64_t i = 0; i < view.extent.elements(); ++i)
      largest = std::max(largest, std::abs(load_element(static_cast<const std::byte*>(view.data) +
                                                            i * size_of(view.dtype),
                                                        view.dtype)));
    return 1e-3 + (1e-4 + 3.0 * unit_roundoff(view.dtype)) * largest;
  }
};

// Computes C[i] = A[i] B[i] (or B[i]^T), or C[i] += of it, for matrices of any type at any address.
struct Product {
  std::int64_t n, m, k;
  DType dtype;
  std::int64_t a_stride, b_stride;
  bool transposed;
  std::int64_t c_stride;
  bool adds;

  void make(const void* a, const void* b, void* c) const {
    const std::vector<double> left = values(a, a_stride, n, k);
    const std::vector<double> right =
        transposed ? values(b, b_stride, m, k) : values(b, b_stride, k, m);
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j) {
        double sum = 0.0;
        for (std::int64_t x = 0; x < k; ++x)
          sum += left[at(i * k + x)] * right[at(transposed ? j * k + x : x * m + j)];
        float& target = static_cast<float*>(c)[i * c_stride + j];
        target = static_cast<float>(adds ? double{target} + sum : sum);
      }
  }

 private:
  [[nodiscard]] std::vector<double> values(const void* matrix, std::int64_t stride,
                                           std::int64_t rows, std::int64_t columns) const {
    std::vector<double> all;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        all.push_back(load_element(
            static_cast<const std::byte*>(matrix) + (i * stride + j) * size_of(dtype), dtype));
    return all;
  }
};

void soften_row(const StagedHead& head, const StagedTile& tile, std::int64_t row, int lanes,
                DType dtype, float* lse) {
  SoftmaxSum sum = sum_of_none();
  for (int lane = lanes - 1; lane >= 0; --lane)
    sum = join(sum, lane_sum(head, tile, row, lane, lanes, kExp), kExp);
  for_row(head, tile, row, lanes, [&](const StagedKeys& keys) {
    std::vector<float> weights;
    for (int lane = 0; lane < lanes; ++lane)
      weights.push_back(lane_weight(head, tile, row, keys, lane, sum, kExp));
    for (int lane = lanes - 1; lane >= 0; --lane) {
      const float weight = weights[static_cast<std::size_t>(lane)];
      if (dtype == DType::f32) {
        store_weight(head, tile, row, keys, lane, weight);
        continue;
      }
      Bits16 narrow{};
      store_element(&narrow, dtype, double{weight});
      store_weight(head, tile, row, keys, lane, narrow);
    }
  });
  *lse = lse_of(sum);
}

// Works as cuda::staged does, with memory that holds NaN before.
void play(const StagedTrial& trial) {
  const AttentionArguments a = trial.arguments();
  clear_partial(a.out, a.lse);
  const StagedWork work(a.q.extent, trial.schedule);
  if (work.workspace_bytes() == 0) return;
  std::vector<float> scores(work.scores_bytes() / sizeof(float), std::nanf(""));
  const std::vector<std::uintptr_t> addresses = work.addresses(a, scores.data());
  ASSERT_EQ(addresses.size() * sizeof(void*), work.addresses_bytes());
  const auto of_batch = [&](const StagedWork::Batch& batch, auto function) {
    const StagedWork::Addresses at = work.addresses_of(batch, addresses.data());
    for (std::size_t i = 0; i < batch.n_blocks * static_cast<std::size_t>(work.slices()); ++i)
      function(at, i);
  };
  for (const StagedWork::Batch& batch : work.batches()) {
    const Product product{batch.rows, batch.keys,       a.q.extent.head_dim,
                          a.q.dtype,  a.q.token_stride, a.k.token_stride,
                          true,       batch.stride,     false};
    of_batch(batch, [&](const StagedWork::Addresses& at, std::size_t i) {
      const auto* const first = static_cast<const float*>(at.scores[i]);
      ASSERT_GE(first, scores.data());
      ASSERT_LE(first + (batch.rows - 1) * batch.stride + batch.keys,
                scores.data() + scores.size());
      product.make(at.q[i], at.k[i], at.scores[i]);
    });
  }
  for (std::int64_t slice = 0; slice < work.slices(); ++slice) {
    const StagedHead head{trial.schedule.spans.data(), trial.schedule.words.data(),
                          scores.data() + slice * work.scores_of_a_head(),
                          static_cast<float>(a.scale)};
    for (std::size_t t = 0; t < work.tiles().size(); ++t)
      for (std::int64_t row = work.tiles()[t].begin; row < work.tiles()[t].end; ++row)
        soften_row(head, work.tiles()[t], row, t < work.n_short() ? 32 : 256, a.q.dtype,
                   a.lse.row_as<float>(slice / a.q.extent.heads, slice % a.q.extent.heads, row));
  }
  for (const StagedWork::Batch& batch : work.batches()) {
    const Product product{batch.rows,
                          a.v.extent.head_dim,
                          batch.keys,
                          a.q.dtype,
                          batch.stride * (4 / size_of(a.q.dtype)),
                          a.v.token_stride,
                          false,
                          a.out.token_stride,
                          batch.adds};
    of_batch(batch, [&](const StagedWork::Addresses& at, std::size_t i) {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at.weights[i]) % 16, 0u);
      product.make(at.weights[i], at.v[i], at.out[i]);
    });
  }
}

void expect_attention(const StagedTrial& trial,
                      const std::function<bool(std::int64_t, std::int64_t)>& allowed) {
  const auto expected = testing_support::brute_force<double>(trial.q.view(), trial.k.view(),
                                                             trial.v.view(), trial.scale, allowed);
  std::size_t row = 0;
  const TensorView out = trial.out.view();
  for (std::int64_t b = 0; b < out.extent.batch; ++b)
    for (std::int64_t h = 0; h < out.extent.heads; ++h)
      for (std::int64_t t = 0; t < out.extent.length; ++t, ++row) {
        const double lse = testing_support::at(trial.lse.view(), b, h, t, 0);
        if (std::isinf(expected.lse[row]))
          ASSERT_EQ(lse, expected.lse[row]) << "row " << t;
        else
          ASSERT_NEAR(lse, expected.lse[row], 1e-2) << "row " << t;
        for (std::int64_t x = 0; x < out.extent.head_dim; ++x)
          ASSERT_NEAR(testing_support::at(out, b, h, t, x),
                      expected.out[row * static_cast<std::size_t>(out.extent.head_dim) +
                                   static_cast<std::size_t>(x)],
                      trial.tolerance())
              << "row " << t;
      }
}

TEST(StagedOnGpu, IsAttentionOverAnyMask) {
  const auto first_seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(first_seed));
  std::mt19937_64 engine(first_seed);
  for (int round = 0; round < 40; ++round) {
    const auto n = static_cast<std::int64_t>(2 + engine() % 150);
    const std::int64_t q_len =
        engine() % 2 == 0 ? n : static_cast<std::int64_t>(1 + engine() % 150);
    const MaskSpec spec(mask_fixtures::random_pattern(engine, n));
    const Mask mask = spec.mask(q_len, n);
    const DType dtype = std::array{DType::f32, DType::f16, DType::bf16}[engine() % 3];
    SCOPED_TRACE(spec.text() + ", " + std::to_string(q_len) + " x " + std::to_string(n));
    const StagedTrial trial(dtype, {2, 2, q_len, 8}, 1, n, 12,
                            build_mask_schedule(mask, q_len, n, {{0, 0, {0, q_len, 1}, {0, n, 1}}},
                                                staged_tiles().query_tile),
                            engine());
    play(trial);
    if (HasFatalFailure()) return;
    expect_attention(trial, [&](std::int64_t i, std::int64_t j) { return mask.allows(i, j); });
    if (HasFatalFailure()) return;
  }
}

TEST(StagedOnGpu, SoftensLongRowsWithManyThreads) {
  constexpr std::int64_t kKeys = 4500;
  const MaskSpec spec(PatternNode{
      "random", {mask_fixtures::real("fraction", 0.3), mask_fixtures::number("seed", 5)}, {}});
  const Mask mask = spec.mask(3, kKeys);
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const StagedTrial trial(dtype, {1, 1, 3, 4}, 1, kKeys, 4,
                            build_mask_schedule(mask, 3, kKeys, {{0, 0, {0, 3, 1}, {0, kKeys, 1}}},
                                                staged_tiles().query_tile),
                            7);
    EXPECT_EQ(StagedWork(trial.q.view().extent, trial.schedule).n_short(), 0u);
    play(trial);
    expect_attention(trial, [&](std::int64_t i, std::int64_t j) { return mask.allows(i, j); });
  }
}

TEST(StagedOnGpu, DoesNotLookAtWhatKHoldsOfUnseenKeys) {
  constexpr std::int64_t kLength = 70;
  const auto sees = [](std::int64_t i, std::int64_t j) { return j <= i; };
  const StagedTrial trial(
      DType::f32, {1, 1, kLength, 8}, 1, kLength, 8,
      build_schedule(kLength, kLength, {{0, kLength, {0, kLength, SpanKind::causal, 0}}}, 64), 3);
  testing_support::fill(trial.k.view().tokens(kLength - 1, 1), std::nan(""));
  play(trial);
  for (std::int64_t i = 0; i < kLength; ++i)
    EXPECT_EQ(std::isnan(testing_support::at(trial.lse.view(), 0, 0, i, 0)), i == kLength - 1) << i;
  testing_support::fill(trial.k.view().tokens(kLength - 1, 1), 0.0);
  const auto expected = testing_support::brute_force<double>(trial.q.view(), trial.k.view(),
                                                             trial.v.view(), trial.scale, sees);
  for (std::int64_t i = 0; i + 1 < kLength; ++i)
    EXPECT_NEAR(testing_support::at(trial.out.view(), 0, 0, i, 0),
                expected.out[static_cast<std::size_t>(8 * i)], trial.tolerance());
}

TEST(StagedOnGpu, IsAHandfulOfBatchesForAWindowOfAnyLength) {
  for (const std::int64_t n : {2048, 20480}) {
    const Mask mask = mask_fixtures::mask_of(mask_fixtures::sliding_window(128, 127), n, n);
    const TileSchedule schedule =
        build_mask_schedule(mask, n, n, {{0, 0, {0, n, 1}, {0, n, 1}}}, staged_tiles().query_tile);
    const StagedWork work({1, 8, n, 64}, schedule);
    EXPECT_LE(work.batches().size(), 6u);
    EXPECT_EQ(work.n_short(), work.tiles().size());
    // The padding is less than eight keys in each row.
    EXPECT_GE(work.scores_of_a_head(), schedule.stored_pairs());
    EXPECT_LT(work.scores_of_a_head(), schedule.stored_pairs() + 8 * n);
    EXPECT_EQ(work.workspace_bytes(),
              static_cast<std::int64_t>((32 << 20) + work.scores_bytes() + work.schedule_bytes() +
                                        work.addresses_bytes()));
    EXPECT_EQ(work.scores_bytes(), static_cast<std::size_t>(4 * 8 * work.scores_of_a_head()));
  }
}

TEST(StagedOnGpu, IsSomeDozensOfBatchesForBigBird) {
  constexpr std::int64_t kLength = 16384;
  const Mask mask = mask_fixtures::mask_of(
      {"bigbird",
       {mask_fixtures::number("left", 128), mask_fixtures::number("right", 127),
        mask_fixtures::number("tokens", 64), mask_fixtures::number("random_blocks", 3),
        mask_fixtures::number("block", 64), mask_fixtures::number("seed", 1)},
       {}},
      kLength, kLength);
  const TileSchedule schedule =
      build_mask_schedule(mask, kLength, kLength, {{0, 0, {0, kLength, 1}, {0, kLength, 1}}},
                          staged_tiles().query_tile);
  EXPECT_LE(StagedWork({1, 8, kLength, 64}, schedule).batches().size(), 40u);
}

TEST(StagedOnGpu, TakesNothingWhereNoPairIsKept) {
  EXPECT_EQ(StagedWork({1, 8, 10, 64}, build_schedule(10, 10, {}, 64)).workspace_bytes(), 0);
  EXPECT_EQ(StagedWork({1, 8, 0, 64}, build_schedule(0, 10, {}, 64)).workspace_bytes(), 0);
}

TEST(SoftmaxSum, KeepsNanAndForgetsNothing) {
  SoftmaxSum sum = sum_of_none();
  EXPECT_TRUE(sum.empty());
  add(sum, -INFINITY, kExp);
  EXPECT_TRUE(sum.empty());
  EXPECT_EQ(lse_of(sum), -INFINITY);
  for (const float value : {-2e4f, 3.0f, 1.0f, 90.0f, 89.0f}) add(sum, value, kExp);
  EXPECT_NEAR(lse_of(sum), 90.0 + std::log1p(std::exp(-1.0)), 1e-5);
  EXPECT_NEAR(lse_of(join(sum, sum, kExp)), lse_of(sum) + std::log(2.0), 1e-5);
  EXPECT_EQ(lse_of(join(sum, sum_of_none(), kExp)), lse_of(sum));
  SoftmaxSum broken = sum_of_none();
  add(broken, std::nanf(""), kExp);
  EXPECT_FALSE(broken.empty());
  EXPECT_TRUE(std::isnan(lse_of(join(broken, sum, kExp))));
  EXPECT_TRUE(std::isnan(lse_of(join(sum_of_none(), broken, kExp))));
}

TEST(SoftmaxSum, OfInfinityIsNanAsInAnyOtherKernel) {
  for (const float before : {-INFINITY, 3.0f}) {
    SoftmaxSum sum = sum_of_none();
    add(sum, before, kExp);
    add(sum, INFINITY, kExp);
    EXPECT_TRUE(std::isnan(lse_of(sum)));
    add(sum, 7.0f, kExp);
    EXPECT_TRUE(std::isnan(lse_of(sum)));
  }
}

// Kernel materialized adds them up in this way.
TEST(SoftmaxSum, TakesSeveralAtOnce) {
  const float groups[][4] = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY},
                             {-INFINITY, 2.0f, 1.0f, -3.0f},
                             {90.0f, -INFINITY, 89.0f, 4.0f},
                             {-INFINITY, -INFINITY, 3.0f, -INFINITY}};
  SoftmaxSum of_groups = sum_of_none();
  SoftmaxSum of_each = sum_of_none();
  for (const auto& group : groups) {
    add(of_groups, group, kExp);
    EXPECT_EQ(of_groups.empty(), &group == &groups[0]);
    for (const float value : group) add(of_each, value, kExp);
    EXPECT_EQ(of_groups.largest, of_each.largest);
    EXPECT_NEAR(of_groups.sum, of_each.sum, 1e-6);
  }
  const float nan = std::nanf("");
  for (const auto& group : {std::array{nan, nan, nan, nan}, std::array{-INFINITY, nan, 1.0f, 2.0f},
                            std::array{-INFINITY, -INFINITY, nan, -INFINITY},
                            std::array{INFINITY, 1.0f, -INFINITY, 2.0f}}) {
    const float values[4] = {group[0], group[1], group[2], group[3]};
    SoftmaxSum first = sum_of_none();
    add(first, values, kExp);
    EXPECT_FALSE(first.empty());
    EXPECT_TRUE(std::isnan(lse_of(first)));
    add(first, groups[1], kExp);
    EXPECT_TRUE(std::isnan(lse_of(first)));
    SoftmaxSum later = of_groups;
    add(later, values, kExp);
    EXPECT_TRUE(std::isnan(lse_of(later)));
  }
}

}  // namespace
}  // namespace qb::cuda
