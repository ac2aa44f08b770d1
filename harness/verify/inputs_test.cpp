// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "harness/run/testing/inputs_of.h"

namespace qb {
namespace {

Problem problem_of(std::int64_t n, DType dtype, std::uint64_t seed) {
  Problem problem;
  problem.shape.q_len = n;
  problem.shape.kv_len = n;
  problem.shape.head_dim = 16;
  problem.shape.value_dim = 16;
  problem.dtype = dtype;
  problem.seed = seed;
  return problem;
}

std::string bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.view().data),
          static_cast<std::size_t>(tensor.view().bytes())};
}

double element(const Tensor& tensor, std::int64_t i) {
  return load_element(
      static_cast<const std::byte*>(tensor.view().data) + i * size_of(tensor.view().dtype),
      tensor.view().dtype);
}

TEST(MakeInputs, GivesTheShapesAndDtypeOfTheProblem) {
  Problem problem = problem_of(5, DType::bf16, 1);
  problem.shape.batch = 2;
  problem.shape.q_heads = 6;
  problem.shape.kv_heads = 3;
  problem.shape.kv_len = 9;
  problem.shape.value_dim = 4;
  const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
  EXPECT_EQ(inputs.q.view().extent, (Extent{2, 6, 5, 16}));
  EXPECT_EQ(inputs.k.view().extent, (Extent{2, 3, 9, 16}));
  EXPECT_EQ(inputs.v.view().extent, (Extent{2, 3, 9, 4}));
  EXPECT_EQ(inputs.v.view().dtype, DType::bf16);
}

// Checks the normal distribution by its moments and its tail, to 4 standard errors each.
TEST(MakeInputs, AreStandardNormal) {
  const Inputs inputs = make_inputs(problem_of(1 << 16, DType::f32, 3), heap_allocator(), 2);
  for (const Tensor* tensor : {&inputs.q, &inputs.k, &inputs.v}) {
    const auto n = static_cast<double>(tensor->view().extent.elements());
    double sum = 0.0;
    double square = 0.0;
    double fourth = 0.0;
    double beyond_two = 0.0;
    double neighbours = 0.0;
    double last = 0.0;
    for (std::int64_t i = 0; i < tensor->view().extent.elements(); ++i) {
      const double x = element(*tensor, i);
      ASSERT_LT(std::abs(x), 9.0);
      sum += x;
      square += x * x;
      fourth += x * x * x * x;
      beyond_two += std::abs(x) > 2.0 ? 1.0 : 0.0;
      neighbours += x * last;
      last = x;
    }
    EXPECT_NEAR(sum / n, 0.0, 4 * std::sqrt(1.0 / n));
    EXPECT_NEAR(square / n, 1.0, 4 * std::sqrt(2.0 / n));
    EXPECT_NEAR(fourth / n, 3.0, 4 * std::sqrt(96.0 / n));
    EXPECT_NEAR(beyond_two / n, 0.0455003, 4 * std::sqrt(0.0455 / n));
    EXPECT_NEAR(neighbours / n, 0.0, 4 * std::sqrt(1.0 / n));
  }
}

TEST(MakeInputs, DifferBetweenTensorsAndSeeds) {
  const Inputs one = make_inputs(problem_of(64, DType::f32, 1), heap_allocator(), 1);
  const Inputs two = make_inputs(problem_of(64, DType::f32, 2), heap_allocator(), 1);
  EXPECT_NE(bytes_of(one.q), bytes_of(two.q));
  EXPECT_NE(bytes_of(one.q), bytes_of(one.k));
  EXPECT_NE(bytes_of(one.k), bytes_of(one.v));
}

TEST(MakeInputsThreads, GiveTheSameBitsWhateverTheirNumber) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const Inputs one = make_inputs(problem_of(4099, dtype, 7), heap_allocator(), 1);
    const Inputs many = make_inputs(problem_of(4099, dtype, 7), heap_allocator(), 5);
    EXPECT_EQ(bytes_of(one.q), bytes_of(many.q)) << word(dtype);
    EXPECT_EQ(bytes_of(one.k), bytes_of(many.k)) << word(dtype);
    EXPECT_EQ(bytes_of(one.v), bytes_of(many.v)) << word(dtype);
  }
}

TEST(MakeInputs, OfAShorterSequenceAreAPrefix) {
  const Inputs shorter = make_inputs(problem_of(100, DType::f32, 5), heap_allocator(), 1);
  const Inputs longer = make_inputs(problem_of(1000, DType::f32, 5), heap_allocator(), 1);
  EXPECT_EQ(bytes_of(longer.v).substr(0, bytes_of(shorter.v).size()), bytes_of(shorter.v));
}

TEST(MakeInputs, OfANarrowTypeAreTheWideOnesRounded) {
  const Inputs wide = make_inputs(problem_of(100, DType::f64, 5), heap_allocator(), 1);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const Inputs narrow = make_inputs(problem_of(100, dtype, 5), heap_allocator(), 1);
    for (std::int64_t i = 0; i < narrow.q.view().extent.elements(); ++i) {
      const double x = element(wide.q, i);
      // It is rounded twice (through float), so the error may slightly exceed half a unit.
      EXPECT_NEAR(element(narrow.q, i), x, 1.001 * unit_roundoff(dtype) * std::abs(x) + 1e-7)
          << word(dtype) << " element " << i;
    }
  }
}

// Every published number depends on the inputs of its seed: they must not change by accident.
TEST(MakeInputs, OfASeedNeverChange) {
  const Inputs inputs = make_inputs(problem_of(1, DType::f64, 1), heap_allocator(), 1);
  // The values come from a few lines of Python with libm functions, which agree to the last bits.
  EXPECT_NEAR(element(inputs.q, 0), -1.0258920611897648, 4e-16);
  EXPECT_NEAR(element(inputs.q, 1), -0.5686606535911056, 4e-16);
  EXPECT_NEAR(element(inputs.v, 15), 0.5754838813374473, 4e-16);
}

TEST(MakeInput, GivesEachTensorItsOwnStream) {
  const Problem problem = problem_of(40, DType::f32, 7);
  const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
  const auto made = [&](TensorRole what) {
    return bytes_of(make_input(problem, what, heap_allocator(), 1, "one"));
  };
  EXPECT_EQ(made(TensorRole::q), bytes_of(inputs.q));
  EXPECT_EQ(made(TensorRole::v), bytes_of(inputs.v));
  const std::string d_out = made(TensorRole::d_out);
  for (const Tensor* tensor : {&inputs.q, &inputs.k, &inputs.v})
    EXPECT_NE(d_out, bytes_of(*tensor));
}

TEST(MakeInput, GivesDOTheShapeOfTheOutputAndTheTypeOfTheInputs) {
  const Problem problem = make_problem({2, 6, 3, 17, 23, 5, 7}, MaskKind::full, DType::bf16, 11);
  const Tensor d_out = make_input(problem, TensorRole::d_out, heap_allocator(), 2, "d_out");
  EXPECT_EQ(d_out.view().extent, (Extent{2, 6, 17, 7}));
  EXPECT_EQ(d_out.view().dtype, DType::bf16);
}

TEST(MakeShard, GivesTheRowsOfTheWholeInputsByAnyNumberOfThreads) {
  Problem problem = make_problem({2, 6, 3, 1210, 1300, 5, 7}, MaskKind::full, DType::bf16, 11);
  const TokenGroup tokens{2, 400, 3};
  const Range heads{1, 3};
  for (const InputKind inputs : {InputKind::random, InputKind::tied, InputKind::peaked})
    for (const TensorRole what : {TensorRole::q, TensorRole::k, TensorRole::v, TensorRole::d_out}) {
      problem.inputs = inputs;
      const Tensor whole = make_input(problem, what, heap_allocator(), 2, "whole");
      const TensorView& of_whole = whole.view();
      for (const int threads : {1, 4}) {
        const Tensor shard(heap_allocator(), DType::bf16, {2, 2, 400, of_whole.extent.head_dim},
                           "shard");
        make_shard(problem, what, tokens, heads, shard.view(), threads);
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t h = 0; h < 2; ++h)
            for (std::int64_t t = 0; t < 400; ++t)
              EXPECT_EQ(
                  std::memcmp(shard.view().row(b, h, t), of_whole.row(b, h + 1, tokens.token(t)),
                              static_cast<std::size_t>(of_whole.extent.head_dim * 2)),
                  0);
      }
    }
}

TEST(MakeInputs, AreTiedToTheFirstKeyWhereTheyAreTied) {
  Problem problem = make_problem({2, 4, 2, 9, 9, 5, 5}, MaskKind::full, DType::f32, 3);
  const Inputs random = make_inputs(problem, heap_allocator(), 1);
  problem.inputs = InputKind::tied;
  const Inputs tied = make_inputs(problem, heap_allocator(), 1);
  EXPECT_EQ(bytes_of(tied.q), bytes_of(random.q));
  EXPECT_EQ(bytes_of(tied.v), bytes_of(random.v));
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < 2; ++h)
      for (std::int64_t t = 0; t < 9; ++t)
        EXPECT_EQ(*tied.k.view().row_as<float>(b, h, t), *random.k.view().row_as<float>(b, h, 0));
}

// Every query is 4 times a key of its head that a causal mask lets it see, so that four keys have
// nine tenths of the weight of a row in the median, and random inputs give them a twentieth.
TEST(MakeInputs, GiveFewKeysMostOfTheWeightWhereTheyArePeaked) {
  Problem problem = make_problem({2, 4, 2, 1024, 1024, 64, 64}, MaskKind::causal, DType::f32, 5);
  const auto weight_of_four = [&](const Inputs& inputs, std::int64_t h, std::int64_t row) {
    std::vector<double> weights;
    for (std::int64_t j = 0; j <= row; ++j) {
      double score = 0.0;
      for (std::int64_t x = 0; x < 64; ++x)
        score += double{inputs.q.view().row_as<float>(1, h, row)[x]} *
                 double{inputs.k.view().row_as<float>(1, h / 2, j)[x]};
      weights.push_back(std::exp(score * problem.scale));
    }
    std::ranges::sort(weights, std::greater<>());
    return std::accumulate(weights.begin(), weights.begin() + 4, 0.0) /
           std::accumulate(weights.begin(), weights.end(), 0.0);
  };
  const auto median_weight = [&](const Inputs& inputs) {
    std::vector<double> of_rows;
    for (std::int64_t h = 0; h < 4; ++h)
      for (std::int64_t row = 511; row < 1024; row += 32)
        of_rows.push_back(weight_of_four(inputs, h, row));
    std::ranges::sort(of_rows);
    return of_rows[of_rows.size() / 2];
  };
  const Inputs random = make_inputs(problem, heap_allocator(), 1);
  problem.inputs = InputKind::peaked;
  const Inputs peaked = make_inputs(problem, heap_allocator(), 1);
  EXPECT_EQ(bytes_of(peaked.k), bytes_of(random.k));
  EXPECT_LT(median_weight(random), 0.1);
  EXPECT_GT(median_weight(peaked), 0.9);
  for (std::int64_t row = 0; row < 1024; row += 31) {
    const float* const q = peaked.q.view().row_as<float>(0, 3, row);
    bool is_of_key = false;
    for (std::int64_t j = 0; j <= row; ++j) {
      const float* const k = peaked.k.view().row_as<float>(0, 1, j);
      is_of_key |= std::equal(q, q + 64, k, [](float a, float b) { return a == 4.0f * b; });
    }
    EXPECT_TRUE(is_of_key) << row;
  }
}

}  // namespace
}  // namespace qb
