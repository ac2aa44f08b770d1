// SPDX-License-Identifier: Apache-2.0
// Compares the backward pass of every CPU kernel with the gradients of the global mask in float64.
#include "kernels/attention_backward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/testing/sanitized.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/testing/backward_support.h"
#include "kernels/testing/mask_fixtures.h"
#include "kernels/testing/schedule_fixtures.h"
#include "kernels/testing/shape_cases.h"

namespace qb {
namespace {

using testing_support::BackwardCall;
using testing_support::Gradients;
using testing_support::random_tensor;

class BackwardAgainstFloat64 : public ::testing::TestWithParam<testing_support::KernelCase> {};

TEST_P(BackwardAgainstFloat64, GradientsAgree) {
  const auto& [kernel, dtype, shape] = GetParam();
  const Mask mask = shape.global_mask();
  BackwardCall call(
      shape.queries(dtype), shape.keys(dtype), shape.values(dtype),
      random_tensor(dtype, {shape.q.batch, shape.q.heads, shape.q.length, shape.e}, 4),
      testing_support::dense_schedule(kernel, mask, shape.q.length, shape.m));
  testing_support::set_forward(call, mask);
  const GradientProblem problem = testing_support::problem_of(call, mask);
  testing_support::expect_close(call, call.run(kernel, 2),
                                testing_support::gradients_of(reference_gradients(problem, 2)),
                                testing_support::gradients_of(naive_gradients(problem, 2)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, BackwardAgainstFloat64, testing_support::every_kernel_case(),
                         testing_support::kernel_case_name);

TEST(AttentionBackward, EveryKernelFollowsRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 200);
    const auto m = static_cast<std::int64_t>(1 + engine() % 600);
    BackwardCall call(random_tensor(DType::f32, {1, 2, n, 16}, seed),
                      random_tensor(DType::f32, {1, 1, m, 16}, seed + 100),
                      random_tensor(DType::f32, {1, 1, m, 24}, seed + 200),
                      random_tensor(DType::f32, {1, 2, n, 24}, seed + 300),
                      testing_support::random_schedule(n, m, seed % 2 == 0 ? 500 : 64, engine));
    const auto allowed = [&call](std::int64_t row, std::int64_t key) {
      return testing_support::schedule_allows(call.schedule, row, key);
    };
    const auto forward = testing_support::brute_force<double>(call.q.view(), call.k.view(),
                                                              call.v.view(), call.scale, allowed);
    call.set_forward(forward.out, forward.lse);
    const Gradients exact = testing_support::brute_force_gradients<double>(call, allowed);
    const Gradients naive = testing_support::brute_force_gradients<float>(call, allowed);
    for (const Kernel kernel : testing_support::kKernels) {
      SCOPED_TRACE(std::string(word(kernel)) + ", seed " + std::to_string(seed));
      testing_support::expect_close(call, call.run(kernel), exact, naive);
    }
  }
}

// Sequences lie one after the other; queries see only keys of their own.
TEST(AttentionBackward, PackedSequences) {
  Mask mask = Mask::causal(1, 1);
  mask.segments = {{0, 70, 0, 70}, {70, 71, 70, 140}, {71, 200, 140, 269}};
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    std::vector<ScheduleBlock> blocks;
    for (const Segment& s : mask.segments)
      blocks.push_back(
          {s.q_begin, s.q_end, {s.k_begin, s.k_end, SpanKind::causal, s.k_end - s.q_end}});
    BackwardCall call(
        random_tensor(DType::f32, {1, 2, 200, 32}, 1),
        random_tensor(DType::f32, {1, 1, 269, 32}, 2),
        random_tensor(DType::f32, {1, 1, 269, 32}, 3),
        random_tensor(DType::f32, {1, 2, 200, 32}, 4),
        build_schedule(200, 269, std::move(blocks), kernel_tiles(kernel, 32).query_tile));
    testing_support::set_forward(call, mask);
    const GradientProblem problem = testing_support::problem_of(call, mask);
    testing_support::expect_close(call, call.run(kernel, 2),
                                  testing_support::gradients_of(reference_gradients(problem)),
                                  testing_support::gradients_of(naive_gradients(problem)));
  }
}

TEST(AttentionBackward, RandomPatterns) {
  int with_classes = 0;
  const std::uint64_t seeds = testing_support::kSanitized ? 15 : 40;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 engine(seed);
    const std::int64_t n = 2 + static_cast<std::int64_t>(engine() % 200);
    const Mask mask = mask_fixtures::mask_of(mask_fixtures::random_pattern(engine, n), n, n);
    SCOPED_TRACE(to_string(mask) + ", seed " + std::to_string(seed));
    const DType dtypes[] = {DType::f32, DType::f32, DType::f16, DType::bf16};
    const DType dtype = dtypes[engine() % 4];
    for (const Kernel kernel : testing_support::kKernels) {
      SCOPED_TRACE(word(kernel));
      const KernelTiles tiles = kernel_tiles(kernel, 16);
      BackwardCall call(random_tensor(dtype, {1, 4, n, 16}, seed),
                        random_tensor(dtype, {1, 2, n, 16}, seed + 1),
                        random_tensor(dtype, {1, 2, n, 24}, seed + 2),
                        random_tensor(dtype, {1, 4, n, 24}, seed + 3),
                        build_mask_schedule(mask, n, n, {{0, 0, {0, n, 1}, {0, n, 1}}},
                                            tiles.query_tile, {tiles.residue_classes, 1}));
      with_classes += call.schedule.classes.empty() ? 0 : 1;
      testing_support::set_forward(call, mask);
      const GradientProblem problem = testing_support::problem_of(call, mask);
      testing_support::expect_close(call, call.run(kernel, 2),
                                    testing_support::gradients_of(reference_gradients(problem)),
                                    testing_support::gradients_of(naive_gradients(problem)));
    }
  }
  EXPECT_GT(with_classes, 0);
}

// Given LSE and D, any exact cover of the pairs gives the gradient: here the keys in two calls.
TEST(AttentionBackward, DisjointPairsAddUp) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    const Mask mask = Mask::causal(90, 200);
    BackwardCall call(
        random_tensor(DType::f32, {1, 2, 90, 24}, 1), random_tensor(DType::f32, {1, 2, 200, 24}, 2),
        random_tensor(DType::f32, {1, 2, 200, 24}, 3), random_tensor(DType::f32, {1, 2, 90, 24}, 4),
        testing_support::dense_schedule(kernel, mask, 90, 200));
    testing_support::set_forward(call, mask);
    const GradientProblem problem = testing_support::problem_of(call, mask);
    const std::int64_t tile = kernel_tiles(kernel, 24).query_tile;
    call.clear();
    for (const KeySpan& keys : {KeySpan{0, 77}, KeySpan{77, 200, SpanKind::causal, 110}}) {
      call.schedule = build_schedule(90, 200, {{0, 90, keys}}, tile);
      attention_backward(kernel, call.arguments(), {heap_allocator(), 1, 0});
    }
    testing_support::expect_close(call, call.gradients(),
                                  testing_support::gradients_of(reference_gradients(problem)),
                                  testing_support::gradients_of(naive_gradients(problem)));
  }
}

TEST(AttentionBackward, NegativeAndZeroScales) {
  for (const Kernel kernel : testing_support::kKernels)
    for (const double scale : {-0.5, 0.0}) {
      SCOPED_TRACE(std::string(word(kernel)) + ", scale " + std::to_string(scale));
      const Mask mask = Mask::causal(60, 70);
      BackwardCall call(random_tensor(DType::f32, {1, 1, 60, 16}, 1),
                        random_tensor(DType::f32, {1, 1, 70, 16}, 2),
                        random_tensor(DType::f32, {1, 1, 70, 16}, 3),
                        random_tensor(DType::f32, {1, 1, 60, 16}, 4),
                        testing_support::dense_schedule(kernel, mask, 60, 70));
      call.scale = scale;
      testing_support::set_forward(call, mask);
      const GradientProblem problem = testing_support::problem_of(call, mask);
      const Gradients found = call.run(kernel);
      testing_support::expect_close(call, found,
                                    testing_support::gradients_of(reference_gradients(problem)),
                                    testing_support::gradients_of(naive_gradients(problem)));
      if (scale == 0.0) {
        EXPECT_THAT(found.d_q, ::testing::Each(0.0));
      }
    }
}

// Rows 0 to 9 see nothing: there are 40 queries and 30 keys, aligned to the last. Whatever they
// hold must not matter, also where a schedule gives them keys.
TEST(AttentionBackward, RowsWithoutKeysAddNothing) {
  for (const Kernel kernel : testing_support::kKernels)
    for (const DType dtype : {DType::f32, DType::bf16}) {
      SCOPED_TRACE(std::string(word(kernel)) + " " + std::string(word(dtype)));
      const Mask mask = Mask::causal(40, 30);
      BackwardCall call(
          random_tensor(dtype, {1, 1, 40, 8}, 1), random_tensor(dtype, {1, 1, 30, 8}, 2),
          random_tensor(dtype, {1, 1, 30, 8}, 3), random_tensor(dtype, {1, 1, 40, 8}, 4),
          testing_support::dense_schedule(kernel, mask, 40, 30));
      testing_support::set_forward(call, mask);
      const Gradients found = call.run(kernel);
      for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(found.d_q[i], 0.0);
      EXPECT_NE(found.d_q[39 * 8], 0.0);
      for (std::int64_t row = 0; row < 10; ++row)
        for (const TensorView& view : {call.q.view(), call.d_out.view()})
          store_element(view.row(0, 0, row) + 3 * size_of(dtype), dtype, std::nan(""));
      call.schedule =
          build_schedule(40, 30, {{0, 10, {0, 30}}, {10, 40, {0, 30, SpanKind::causal, -10}}}, 64);
      const Gradients spoilt = call.run(kernel);
      EXPECT_LE(testing_support::max_difference(spoilt.d_q, found.d_q), 1e-2);
      EXPECT_LE(testing_support::max_difference(spoilt.d_k, found.d_k), 1e-2);
      EXPECT_LE(testing_support::max_difference(spoilt.d_v, found.d_v), 1e-2);
    }
}

TEST(AttentionBackward, NoKeysAtAllAndNoQueriesAtAll) {
  for (const Kernel kernel : testing_support::kKernels) {
    SCOPED_TRACE(word(kernel));
    BackwardCall no_keys(random_tensor(DType::f32, {1, 2, 5, 8}, 1),
                         random_tensor(DType::f32, {1, 2, 0, 8}, 2),
                         random_tensor(DType::f32, {1, 2, 0, 8}, 3),
                         random_tensor(DType::f32, {1, 2, 5, 8}, 4), TileSchedule{5, 0, {}, {}});
    testing_support::fill(no_keys.lse.view(), -std::numeric_limits<double>::infinity());
    testing_support::fill(no_keys.delta.view(), 0.0);
    EXPECT_THAT(no_keys.run(kernel).d_q, ::testing::Each(0.0));
    BackwardCall no_queries(random_tensor(DType::f32, {1, 2, 0, 8}, 1),
                            random_tensor(DType::f32, {1, 2, 5, 8}, 2),
                            random_tensor(DType::f32, {1, 2, 5, 8}, 3),
                            random_tensor(DType::f32, {1, 2, 0, 8}, 4), TileSchedule{0, 5, {}, {}});
    const Gradients found = no_queries.run(kernel);
    EXPECT_THAT(found.d_k, ::testing::Each(0.0));
    EXPECT_THAT(found.d_v, ::testing::Each(0.0));
  }
}

}  // namespace
}  // namespace qb
