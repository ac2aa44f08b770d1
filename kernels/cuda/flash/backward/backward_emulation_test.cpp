// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of the backward pass on the CPU over emulated instructions, and compares them
// with float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/cuda/testing/backward_emulation.h"

namespace qb::cuda {
namespace {

using backward_support::all_ways;
using backward_support::causal;
using backward_support::expect_float64;
using backward_support::forward_call;
using backward_support::make_call;
using backward_support::name_of;
using backward_support::pair_by_pair;
using backward_support::run;
using backward_support::run_over;
using backward_support::set_forward;
using backward_support::Way;
using qb::testing_support::BackwardCall;
using qb::testing_support::Gradients;
using qb::testing_support::random_tensor;

TEST(BackwardEmulation, EveryCompiledKernelAgreesWithFloat64) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (const std::int64_t d : {64, 128, 256}) {
      SCOPED_TRACE(std::string(word(dtype)) + " " + std::to_string(d));
      expect_float64(
          forward_call({.dtype = dtype, .q = {1, 1, 70, d}, .n_keys = 140}, causal(70, 140)));
    }
}

// There are several blocks of both sides, so that stages of rings and both kinds of steps follow
// one another.
TEST(BackwardEmulation, LongerSequencesGoAroundTheRings) {
  for (const std::int64_t d : {64, 128}) {
    expect_float64(forward_call({.q = {1, 1, 260, d}, .n_keys = 200},
                                build_schedule(260, 200, {{0, 260, {0, 200}}}, 192)));
    expect_float64(forward_call({.q = {1, 1, 260, d}, .n_keys = 260}, causal(260, 260)));
  }
}

// The problems have gaps, bands, bits, rows without keys, grouped heads, and head dimensions
// between the compiled ones.
TEST(BackwardEmulation, RandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 150);
    const auto m = static_cast<std::int64_t>(1 + engine() % 200);
    expect_float64(
        forward_call({.dtype = seed % 2 == 0 ? DType::bf16 : DType::f16,
                      .q = {1 + static_cast<std::int64_t>(seed % 2), 2, n, seed == 3 ? 72 : 40},
                      .kv_heads = 1 + static_cast<std::int64_t>(seed % 2),
                      .n_keys = m,
                      .value_dim = seed % 3 == 0 ? 24 : 64},
                     qb::testing_support::random_schedule(n, m, 100, engine), seed));
  }
}

TEST(BackwardEmulation, GroupsOfHeadsWindowsAndPackedSequences) {
  const BackwardCall grouped =
      forward_call({.q = {2, 6, 70, 32}, .kv_heads = 2, .n_keys = 70}, causal(70, 70));
  const BackwardCall window =
      forward_call({.q = {1, 1, 200, 64}, .n_keys = 200},
                   build_schedule(200, 200, {{0, 200, {0, 200, SpanKind::band, 0, -40}}}, 128));
  const BackwardCall packed =
      forward_call({.q = {1, 2, 150, 64}, .kv_heads = 2, .n_keys = 170},
                   build_schedule(150, 170,
                                  {{0, 50, {0, 50, SpanKind::causal}},
                                   {50, 51, {50, 90}},
                                   {51, 150, {90, 170, SpanKind::causal, 20}}},
                                  128));
  for (const BackwardCall* const call : {&grouped, &window, &packed}) expect_float64(*call);
}

TEST(BackwardEmulation, OutliersAndOneTokenAndLargeScores) {
  expect_float64(
      forward_call({.q = {1, 1, 70, 64}, .n_keys = 100, .outlier_every = 60}, causal(70, 100)));
  expect_float64(
      forward_call({.q = {1, 1, 70, 64}, .n_keys = 100, .deviation = 5.0}, causal(70, 100)));
  expect_float64(forward_call({.q = {1, 1, 1, 8}, .n_keys = 1}, causal(1, 1)));
}

TEST(BackwardEmulation, NegativeAndZeroScales) {
  for (const double scale : {-0.3, 0.0}) {
    BackwardCall call = make_call({.q = {1, 1, 70, 16}, .n_keys = 80}, causal(70, 80));
    call.scale = scale;
    set_forward(call);
    expect_float64(call);
  }
}

TEST(BackwardEmulation, NoKeysAndNoQueriesAndNoPairs) {
  for (const Way& way : all_ways()) {
    const BackwardCall none =
        forward_call({.q = {1, 2, 20, 16}, .n_keys = 20}, build_schedule(20, 20, {}, 128));
    EXPECT_THAT(run(none, way).d_q, ::testing::Each(0.0));
    const BackwardCall no_keys =
        forward_call({.q = {1, 2, 20, 16}, .n_keys = 0}, TileSchedule{20, 0, {}, {}});
    EXPECT_THAT(run(no_keys, way).d_q, ::testing::Each(0.0));
    const BackwardCall no_queries =
        forward_call({.q = {1, 2, 0, 16}, .n_keys = 20}, TileSchedule{0, 20, {}, {}});
    EXPECT_THAT(run(no_queries, way).d_k, ::testing::Each(0.0));
  }
}

// Rows and keys without a pair keep their value, and others are added to.
TEST(BackwardEmulation, AddsToWhatTheSumsHold) {
  const BackwardCall call = forward_call({.q = {1, 2, 100, 24}, .kv_heads = 1, .n_keys = 100},
                                         build_schedule(100, 100, {{30, 80, {10, 60}}}, 128));
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(name_of(way));
    const Gradients once = run(call, way);
    for (const Tensor* const sum : {&call.d_q, &call.d_k, &call.d_v})
      qb::testing_support::fill(sum->view(), 5.0);
    run_over(call.arguments(), way);
    Gradients raised = call.gradients();
    EXPECT_EQ(raised.d_q[0], 5.0);
    EXPECT_EQ(raised.d_k[99 * 24], 5.0);
    for (std::vector<double>* const of : {&raised.d_q, &raised.d_k, &raised.d_v})
      for (double& value : *of) value -= 5.0;
    EXPECT_LE(qb::testing_support::max_difference(raised.d_q, once.d_q), 1e-5);
    EXPECT_LE(qb::testing_support::max_difference(raised.d_k, once.d_k), 1e-5);
    EXPECT_LE(qb::testing_support::max_difference(raised.d_v, once.d_v), 1e-5);
  }
}

// Returns every third of 300 tokens, which lie as [token, head, d].
TensorView every_third(const Tensor& whole) {
  TensorView view = whole.view();
  view.extent = {1, 2, 300, 16};
  view.head_stride = 16;
  view.token_stride = 32;
  return view.tokens(1, 99, 3);
}

TEST(BackwardEmulation, StridedViewsGiveTheSameAsCopies) {
  const BackwardCall call =
      forward_call({.q = {1, 2, 99, 16}, .kv_heads = 2, .n_keys = 99}, causal(99, 99));
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(name_of(way));
    const Gradients expected = run(call, way);
    BackwardArguments a = call.arguments();
    std::vector<Tensor> whole;
    for (TensorView* const view : {&a.q, &a.k, &a.v, &a.d_out, &a.d_q, &a.d_k, &a.d_v}) {
      const TensorView contiguous = *view;
      whole.push_back(random_tensor(contiguous.dtype, {1, 1, 300, 32}, 10));
      *view = every_third(whole.back());
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::int64_t t = 0; t < 99; ++t)
          std::copy_n(contiguous.row(0, h, t), 16 * size_of(view->dtype), view->row(0, h, t));
    }
    for (const TensorView& sum : {a.d_q, a.d_k, a.d_v}) qb::testing_support::fill(sum, 0.0);
    run_over(a, way);
    using qb::testing_support::values;
    EXPECT_EQ(values(a.d_q), expected.d_q);
    EXPECT_EQ(values(a.d_k), expected.d_k);
    EXPECT_EQ(values(a.d_v), expected.d_v);
    // Tokens between the strides are not changed.
    for (const Tensor& tensor : whole) {
      const Tensor before = random_tensor(tensor.view().dtype, {1, 1, 300, 32}, 10);
      for (std::int64_t token = 0; token < 300; token += 3)
        EXPECT_EQ(qb::testing_support::at(tensor.view(), 0, 0, token, 5),
                  qb::testing_support::at(before.view(), 0, 0, token, 5));
    }
  }
}

// Only the additions to dQ depend on the order of blocks.
TEST(BackwardEmulation, GivesTheSameBitsInAnyOrderOfBlocks) {
  const BackwardCall call =
      forward_call({.q = {1, 2, 90, 40}, .kv_heads = 1, .n_keys = 140}, causal(90, 140));
  for (Way way : all_ways()) {
    SCOPED_TRACE(name_of(way));
    const Gradients in_order = run(call, way);
    EXPECT_TRUE(run(call, way) == in_order);
    way.shuffled = true;
    way.seed = 2;
    const Gradients shuffled = run(call, way);
    EXPECT_EQ(shuffled.d_k, in_order.d_k);
    EXPECT_EQ(shuffled.d_v, in_order.d_v);
  }
}

// ---- NaN and infinity appear where they belong --------------------------------------------------

void spoil(const Tensor& tensor, std::int64_t token, double value) {
  const TensorView& view = tensor.view();
  store_element(view.row(0, 0, token) + 3 * size_of(view.dtype), view.dtype, value);
}

// Exactly the elements that are NaN pair by pair are NaN, and the others are as close as ever.
void expect_nan_of_pairs(const BackwardCall& call, const Way& way) {
  SCOPED_TRACE(name_of(way));
  Gradients found = run(call, way);
  Gradients expected = pair_by_pair(call, false);
  Gradients naive = pair_by_pair(call, true);
  const auto compare = [](std::vector<double>& a, std::vector<double>& b, std::vector<double>& c) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::isnan(a[i]), std::isnan(b[i])) << "element " << i;
      if (std::isnan(a[i])) a[i] = b[i] = c[i] = 0.0;
    }
  };
  compare(found.d_q, expected.d_q, naive.d_q);
  compare(found.d_k, expected.d_k, naive.d_k);
  compare(found.d_v, expected.d_v, naive.d_v);
  qb::testing_support::expect_close(call, found, expected, naive);
}

// The rows lie in blocks with masks and, in the first call, in one of which every pair is allowed.
TEST(BackwardEmulation, NanOfARowReachesThePairsThatItHas) {
  std::mt19937_64 engine(7);
  const TileSchedule schedules[] = {build_schedule(128, 192, {{0, 128, {0, 192}}}, 128),
                                    causal(100, 120),
                                    qb::testing_support::random_schedule(90, 150, 64, engine)};
  for (const TileSchedule& schedule : schedules)
    for (const auto tensor :
         {&BackwardCall::q, &BackwardCall::k, &BackwardCall::v, &BackwardCall::d_out}) {
      const BackwardCall call = forward_call(
          {.q = {1, 1, schedule.n_queries, 16}, .n_keys = schedule.n_keys, .value_dim = 24},
          schedule);
      spoil(call.*tensor, 70, std::nan(""));
      for (const Way& way : all_ways()) expect_nan_of_pairs(call, way);
    }
}

// Rows 3 and 70 have LSE = -inf although the schedule gives them keys, and hold NaN.
TEST(BackwardEmulation, RowsWithoutKeysAddNothingWhateverTheyHold) {
  for (const bool full : {true, false})
    for (const auto tensor : {&BackwardCall::k, &BackwardCall::q}) {
      const BackwardCall call = forward_call(
          {.q = {1, 1, 128, 16}, .n_keys = 128},
          full ? build_schedule(128, 128, {{0, 128, {0, 128}}}, 128) : causal(128, 128));
      for (const std::int64_t row : {3, 70}) {
        *call.lse.view().row_as<float>(0, 0, row) = -std::numeric_limits<float>::infinity();
        spoil(call.d_out, row, std::nan(""));
      }
      spoil(call.*tensor, 70, std::nan(""));
      for (const Way& way : all_ways()) {
        const Gradients found = run(call, way);
        for (std::size_t x = 0; x < 16; ++x) EXPECT_EQ(found.d_q[3 * 16 + x], 0.0);
        expect_nan_of_pairs(call, way);
      }
    }
}

// Tokens behind the last one that a block reads may hold anything: here NaN.
TEST(BackwardEmulation, NothingOutsideTheViewsReachesTheSums) {
  const BackwardCall call = forward_call({.q = {1, 1, 90, 64}, .n_keys = 100}, causal(90, 100));
  for (const Way& way : all_ways()) {
    SCOPED_TRACE(name_of(way));
    const Gradients expected = run(call, way);
    BackwardArguments a = call.arguments();
    std::vector<Tensor> longer;
    for (TensorView* const view : {&a.q, &a.k, &a.v, &a.d_out}) {
      const TensorView tight = *view;
      Extent extent = tight.extent;
      extent.length += 80;
      longer.emplace_back(heap_allocator(), tight.dtype, extent, "test");
      qb::testing_support::fill(longer.back().view(), std::nan(""));
      *view = longer.back().view().tokens(0, tight.extent.length);
      for (std::int64_t t = 0; t < tight.extent.length; ++t)
        std::copy_n(tight.row(0, 0, t), 64 * size_of(tight.dtype), view->row(0, 0, t));
    }
    call.clear();
    run_over(a, way);
    EXPECT_TRUE(call.gradients() == expected);
  }
}

}  // namespace
}  // namespace qb::cuda
