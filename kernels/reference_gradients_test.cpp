// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "kernels/testing/backward_support.h"

namespace qb {
namespace {

using testing_support::BackwardCall;
using testing_support::Gradients;

constexpr double kScale = 0.4;

// The loss sum dO * O has dO as its gradient with respect to O.
double loss(const GradientProblem& problem) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < problem.q.extent.length; ++row) rows.push_back(row);
  const std::vector<double> out = reference_rows(problem.q, problem.k, problem.v, problem.mask,
                                                 problem.scale, rows, 1, 0.0, problem.sinks)
                                      .out;
  const std::vector<double> d_out = testing_support::values(problem.d_out);
  double sum = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * d_out[i];
  return sum;
}

// Returns the central differences of the loss for each element of one of the problem's tensors,
// which is contiguous and f64.
std::vector<double> differences(const GradientProblem& problem, const TensorView& input) {
  constexpr double kStep = 1e-5;
  std::vector<double> found;
  for (std::int64_t i = 0; i < input.extent.elements(); ++i) {
    double& element = static_cast<double*>(input.data)[i];
    const double before = element;
    element = before + kStep;
    const double above = loss(problem);
    element = before - kStep;
    const double below = loss(problem);
    element = before;
    found.push_back((above - below) / (2.0 * kStep));
  }
  return found;
}

TEST(ReferenceGradients, AgreeWithFiniteDifferences) {
  for (const auto& [n, m] : {std::pair{5, 7}, {7, 5}, {1, 1}, {3, 1}})
    for (const bool causal : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + " queries, " + std::to_string(m) + " keys, causal " +
                   std::to_string(causal));
      const Tensor q = testing_support::random_tensor(DType::f64, {2, 4, n, 3}, 1);
      const Tensor k = testing_support::random_tensor(DType::f64, {2, 2, m, 3}, 2);
      const Tensor v = testing_support::random_tensor(DType::f64, {2, 2, m, 2}, 3);
      const Tensor d_out = testing_support::random_tensor(DType::f64, {2, 4, n, 2}, 4);
      const GradientProblem problem{
          q.view(), k.view(), v.view(), d_out.view(), causal ? Mask::causal(n, m) : Mask::full(),
          kScale};
      const ReferenceGradients found = reference_gradients(problem);
      EXPECT_LE(testing_support::max_difference(found.d_q, differences(problem, problem.q)), 1e-8);
      EXPECT_LE(testing_support::max_difference(found.d_k, differences(problem, problem.k)), 1e-8);
      EXPECT_LE(testing_support::max_difference(found.d_v, differences(problem, problem.v)), 1e-8);
    }
}

TEST(ReferenceGradients, OfSinksAndBesideThemAgreeWithFiniteDifferences) {
  for (const auto& [n, m] : {std::pair{5, 7}, {7, 5}}) {
    const Tensor q = testing_support::random_tensor(DType::f64, {2, 4, n, 3}, 1);
    const Tensor k = testing_support::random_tensor(DType::f64, {2, 2, m, 3}, 2);
    const Tensor v = testing_support::random_tensor(DType::f64, {2, 2, m, 2}, 3);
    const Tensor d_out = testing_support::random_tensor(DType::f64, {2, 4, n, 2}, 4);
    std::vector<float> sinks = {-2.0F, 0.5F, 1.0F, 3.0F};
    const GradientProblem problem{q.view(), k.view(), v.view(), d_out.view(), Mask::causal(n, m),
                                  kScale,   {},       {},       sinks};
    const ReferenceGradients found = reference_gradients(problem);
    EXPECT_LE(testing_support::max_difference(found.d_q, differences(problem, problem.q)), 1e-8);
    EXPECT_LE(testing_support::max_difference(found.d_k, differences(problem, problem.k)), 1e-8);
    EXPECT_LE(testing_support::max_difference(found.d_v, differences(problem, problem.v)), 1e-8);
    ASSERT_EQ(found.d_sinks.size(), 8u);
    for (std::size_t h = 0; h < 4; ++h) {
      constexpr float kStep = 1.0F / 1024.0F;
      const float before = sinks[h];
      sinks[h] = before + kStep;
      const double above = loss(problem);
      sinks[h] = before - kStep;
      const double below = loss(problem);
      sinks[h] = before;
      EXPECT_NEAR(found.d_sinks[h] + found.d_sinks[4 + h], (above - below) / (2.0 * kStep), 1e-6);
      EXPECT_LE(std::abs(found.d_sinks[h]), std::sqrt(n) * found.sink_size);
    }
  }
}

BackwardCall random_call(DType dtype, std::int64_t n, std::int64_t m) {
  BackwardCall call(testing_support::random_tensor(dtype, {2, 4, n, 9}, 1),
                    testing_support::random_tensor(dtype, {2, 2, m, 9}, 2),
                    testing_support::random_tensor(dtype, {2, 2, m, 5}, 3),
                    testing_support::random_tensor(dtype, {2, 4, n, 5}, 4), {});
  call.scale = kScale;
  return call;
}

TEST(ReferenceGradients, AgreeWithBruteForceOverTheMask) {
  for (const Mask& mask : {Mask::full(), Mask::causal(23, 700), Mask::causal(23, 10)})
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16})
      for (const int threads : {1, 2}) {
        const BackwardCall call =
            random_call(dtype, 23, mask.kind == MaskKind::full ? 600 : mask.offset + 23);
        const ReferenceGradients found =
            reference_gradients(testing_support::problem_of(call, mask), threads);
        const Gradients expected = testing_support::brute_force_gradients<double>(
            call, [&mask](std::int64_t row, std::int64_t key) { return mask.allows(row, key); });
        EXPECT_LE(testing_support::max_difference(found.d_q, expected.d_q), 1e-12);
        EXPECT_LE(testing_support::max_difference(found.d_k, expected.d_k), 1e-12);
        EXPECT_LE(testing_support::max_difference(found.d_v, expected.d_v), 1e-12);
      }
}

// Returns rows of width numbers of a [heads, n, width] vector.
std::vector<double> pick(const std::vector<double>& all, std::int64_t n, std::int64_t width,
                         const std::vector<std::int64_t>& rows) {
  std::vector<double> picked;
  const auto of_head = static_cast<std::size_t>(n * width);
  for (std::size_t head = 0; head < all.size() / of_head; ++head)
    for (const std::int64_t row : rows)
      for (std::int64_t x = 0; x < width; ++x)
        picked.push_back(all[head * of_head + static_cast<std::size_t>(row * width + x)]);
  return picked;
}

TEST(ReferenceGradients, OfSomeTokensAreThoseOfAll) {
  const Mask mask = Mask::causal(23, 40);
  const BackwardCall call = random_call(DType::f32, 23, 40);
  const GradientProblem problem = testing_support::problem_of(call, mask);
  const std::vector<std::int64_t> rows = {0, 3, 4, 22};
  const std::vector<std::int64_t> keys = {39, 17, 0};
  const ReferenceGradients all = reference_gradients(problem);
  const ReferenceGradients some = reference_gradients(problem, rows, keys, 2);
  EXPECT_EQ(some.d_q, pick(all.d_q, 23, 9, rows));
  EXPECT_EQ(some.d_k, pick(all.d_k, 40, 9, keys));
  EXPECT_EQ(some.d_v, pick(all.d_v, 40, 5, keys));
  // Without keys only the rows' own statistics are made.
  EXPECT_EQ(reference_gradients(problem, rows, {}).d_q, some.d_q);
  EXPECT_TRUE(reference_gradients(problem, rows, {}).d_k.empty());
}

TEST(ReferenceGradients, TakeOAndLseOfAForwardPass) {
  const Mask mask = Mask::causal(23, 40);
  BackwardCall call = random_call(DType::f32, 23, 40);
  testing_support::set_forward(call, mask);
  GradientProblem problem = testing_support::problem_of(call, mask);
  const ReferenceGradients computed = reference_gradients(problem);
  problem.out = call.out.view();
  problem.lse = call.lse.view();
  const ReferenceGradients given = reference_gradients(problem);
  EXPECT_LE(testing_support::max_difference(given.d_k, computed.d_k), 1e-5);
  EXPECT_GT(testing_support::max_difference(given.d_k, computed.d_k), 0.0);
  // LSE + 1 makes every weight e times as small.
  testing_support::BackwardCall shifted = random_call(DType::f32, 23, 40);
  testing_support::set_forward(shifted, mask);
  for (std::int64_t i = 0; i < shifted.lse.view().extent.elements(); ++i)
    static_cast<float*>(shifted.lse.view().data)[i] += 1.0f;
  problem.lse = shifted.lse.view();
  EXPECT_NEAR(reference_gradients(problem).d_v[7] * std::exp(1.0), computed.d_v[7], 1e-5);
}

TEST(NaiveGradients, AreOffByTheRoundingOfTheInputsType) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const BackwardCall call = random_call(dtype, 40, 200);
    const GradientProblem problem = testing_support::problem_of(call, Mask::full());
    const ReferenceGradients exact = reference_gradients(problem);
    const ReferenceGradients naive = naive_gradients(problem);
    for (const auto& [of_naive, of_exact] :
         {std::pair{&naive.d_q, &exact.d_q}, {&naive.d_k, &exact.d_k}, {&naive.d_v, &exact.d_v}}) {
      const double error = testing_support::max_difference(*of_naive, *of_exact);
      EXPECT_GT(error, 0.005 * unit_roundoff(dtype)) << word(dtype);
      EXPECT_LT(error, 20.0 * unit_roundoff(dtype)) << word(dtype);
    }
  }
}

TEST(ReferenceGradients, TokensOutsideAreRefused) {
  const BackwardCall call = random_call(DType::f32, 4, 6);
  const GradientProblem problem = testing_support::problem_of(call, Mask::full());
  const std::vector<std::int64_t> four = {4};
  const std::vector<std::int64_t> minus_one = {-1};
  EXPECT_THROW((void)reference_gradients(problem, four, {}), std::invalid_argument);
  EXPECT_THROW((void)reference_gradients(problem, {}, minus_one), std::invalid_argument);
  EXPECT_NO_THROW((void)reference_gradients(problem, {}, four));
}

}  // namespace
}  // namespace qb
