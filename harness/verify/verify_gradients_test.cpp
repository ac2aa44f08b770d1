// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/verify_gradients.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "harness/run/testing/inputs_of.h"
#include "kernels/reference.h"

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::int64_t> all_of(std::int64_t count) {
  std::vector<std::int64_t> every(static_cast<std::size_t>(count));
  std::iota(every.begin(), every.end(), 0);
  return every;
}

void store(const std::vector<double>& values, const TensorView& view) {
  for (std::size_t i = 0; i < values.size(); ++i)
    static_cast<float*>(view.data)[i] = static_cast<float>(values[i]);
}

// A problem, and the gradients that a backward pass in float64 would leave.
struct Solved {
  // d_out is multiplied by `factor` in the first row of each head.
  explicit Solved(const Problem& given, double factor = 1.0)
      : problem(given),
        inputs(make_inputs(problem, heap_allocator(), 1)),
        d_out(make_input(problem, TensorRole::d_out, heap_allocator(), 1, "d_out")),
        out(heap_allocator(), DType::f32, problem.shape.out(), "out"),
        lse(heap_allocator(), DType::f32, problem.shape.lse(), "lse"),
        d_q(heap_allocator(), DType::f32, problem.shape.q(), "d_q"),
        d_k(heap_allocator(), DType::f32, problem.shape.k(), "d_k"),
        d_v(heap_allocator(), DType::f32, problem.shape.v(), "d_v") {
    const TensorView& view = d_out.view();
    for (std::int64_t i = 0; i < view.extent.elements(); ++i) {
      if (i % (view.extent.length * view.extent.head_dim) >= view.extent.head_dim) continue;
      std::byte* const element = static_cast<std::byte*>(view.data) + i * size_of(view.dtype);
      store_element(element, view.dtype, factor * load_element(element, view.dtype));
    }
    const ReferenceRows forward =
        reference_rows(inputs.q.view(), inputs.k.view(), inputs.v.view(), problem.mask,
                       problem.scale, all_of(problem.shape.q_len), 2);
    store(forward.out, out.view());
    store(forward.lse, lse.view());
    const ReferenceGradients exact = reference_gradients(gradient_problem(), 2);
    store(exact.d_q, d_q.view());
    store(exact.d_k, d_k.view());
    store(exact.d_v, d_v.view());
  }

  [[nodiscard]] GradientProblem gradient_problem() const {
    return {inputs.q.view(), inputs.k.view(), inputs.v.view(), d_out.view(),
            problem.mask,    problem.scale,   out.view(),      lse.view()};
  }
  [[nodiscard]] Verification verify(const std::vector<std::int64_t>& rows,
                                    const std::vector<std::int64_t>& keys,
                                    std::int64_t most_pairs = kMostGradientPairs) const {
    Verification verification;
    verification.correct = true;  // as the forward pass was
    verify_gradients(gradient_problem(), {d_q.view(), d_k.view(), d_v.view()}, rows, keys, 2,
                     verification, 0.0, false, most_pairs);
    return verification;
  }
  [[nodiscard]] Verification verify() const {
    return verify(all_of(problem.shape.q_len), all_of(problem.shape.kv_len));
  }

  Problem problem;
  Inputs inputs;
  Tensor d_out;
  Tensor out;
  Tensor lse;
  Tensor d_q;
  Tensor d_k;
  Tensor d_v;
};

Problem problem_of(std::int64_t n, MaskKind mask, DType dtype) {
  return make_problem({2, 4, 2, n, n, 8, 8}, mask, dtype, 5);
}

TEST(VerifyGradients, AcceptsRightOnesAndSaysByHowMuch) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32})
    for (const MaskKind mask : {MaskKind::full, MaskKind::causal}) {
      const Verification verification = Solved(problem_of(40, mask, dtype)).verify();
      EXPECT_TRUE(verification.correct) << verification.message;
      EXPECT_EQ(verification.keys, 40);
      ASSERT_EQ(verification.gradients.size(), 3u);
      const TensorRole order[] = {TensorRole::d_q, TensorRole::d_k, TensorRole::d_v};
      for (std::size_t i = 0; i < 3; ++i) {
        const GradientErrors& errors = verification.gradients[i];
        EXPECT_EQ(errors.what, order[i]);
        EXPECT_GT(errors.naive_error, 0.0);
        EXPECT_GT(errors.tolerance, 1e-4);
        EXPECT_LE(errors.max_error, errors.tolerance);
        EXPECT_LT(errors.relative_l2_error, 1e-6) << "they are the exact ones in float32";
      }
    }
}

TEST(VerifyGradients, FindsASinkWhoseGradientIsWrong) {
  const Problem problem = problem_of(40, MaskKind::causal, DType::bf16);
  const Solved solved(problem);
  std::vector<float> sinks = {0.5F, -1.0F, 2.0F, 0.0F};
  const GradientProblem asked{solved.inputs.q.view(),
                              solved.inputs.k.view(),
                              solved.inputs.v.view(),
                              solved.d_out.view(),
                              problem.mask,
                              problem.scale,
                              {},
                              {},
                              sinks};
  const ReferenceGradients exact = reference_gradients(asked, 2);
  store(exact.d_q, solved.d_q.view());
  store(exact.d_k, solved.d_k.view());
  store(exact.d_v, solved.d_v.view());
  const Tensor d_sinks(heap_allocator(), DType::f32, problem.shape.d_sinks(), "d_sinks");
  const auto verify = [&](double factor) {
    std::vector<double> found = exact.d_sinks;
    found[6] *= factor;
    store(found, d_sinks.view());
    Verification verification;
    verification.correct = true;
    verify_gradients(asked,
                     {solved.d_q.view(), solved.d_k.view(), solved.d_v.view(), d_sinks.view()},
                     all_of(40), all_of(40), 2, verification);
    return verification;
  };
  EXPECT_TRUE(verify(1.0).correct) << verify(1.0).message;
  EXPECT_EQ(verify(1.0).gradients.back().what, TensorRole::d_sinks);
  for (const double wrong : {0.0, -1.0, 2.0, std::nan("")}) {
    EXPECT_FALSE(verify(wrong).correct);
    EXPECT_THAT(verify(wrong).message, StartsWith("dSinks at batch 1, head 2"));
  }
}

TEST(VerifyGradients, FindsAnElementThatWasNeverWrittenInARowThatIsNotCompared) {
  const Solved solved(problem_of(40, MaskKind::full, DType::f32));
  for (const auto& [tensor, start] :
       {std::pair{&solved.d_q, "dQ at batch 1, head 1, row 33, element 7 is nan"},
        std::pair{&solved.d_k, "dK at batch 1, head 1, key 33, element 7 is nan"},
        std::pair{&solved.d_v, "dV at batch 1, head 1, key 33, element 7 is nan"}}) {
    float& element = tensor->view().row_as<float>(1, 1, 33)[7];
    const float right = element;
    element = std::numeric_limits<float>::quiet_NaN();
    const Verification verification = solved.verify({0}, {0});
    EXPECT_FALSE(verification.correct);
    EXPECT_THAT(verification.message, StartsWith(start));
    EXPECT_TRUE(verification.gradients.empty());
    element = right;
  }
  EXPECT_TRUE(solved.verify({0}, {0}).correct);
}

TEST(VerifyGradients, NamesThePlaceOfAWrongElementAndItsError) {
  const Solved solved(problem_of(40, MaskKind::causal, DType::bf16));
  float& element = solved.d_k.view().row_as<float>(0, 1, 21)[2];
  element += 0.5f;
  const Verification verification = solved.verify();
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message, StartsWith("dK at batch 0, head 1, key 21, element 2 is "));
  EXPECT_THAT(verification.message, HasSubstr("error 0.5, tolerance "));
  EXPECT_NEAR(verification.gradients[1].max_error, 0.5, 1e-6);
}

TEST(VerifyGradients, ComparesTheGivenRowsAndKeysOnly) {
  const Solved solved(problem_of(40, MaskKind::full, DType::f32));
  solved.d_q.view().row_as<float>(0, 0, 3)[0] += 1.0f;
  solved.d_v.view().row_as<float>(0, 0, 5)[0] += 1.0f;
  EXPECT_TRUE(solved.verify({0, 39}, {0, 39}).correct);
  EXPECT_THAT(solved.verify({0, 3}, {0, 39}).message, StartsWith("dQ at batch 0, head 0, row 3"));
  EXPECT_THAT(solved.verify({0, 39}, {5}).message, StartsWith("dV at batch 0, head 0, key 5"));
}

// Here the inputs are large where no gradient follows from them: the first row sees one key. A part
// of 5 % of dK that was lost stays below what the largest error may be.
TEST(VerifyGradients, APartThatWasLostShowsInTheNormHoweverSmallTheGradientsAre) {
  const Solved solved(problem_of(40, MaskKind::causal, DType::f32), 1e4);
  ASSERT_TRUE(solved.verify().correct) << solved.verify().message;
  const TensorView& d_k = solved.d_k.view();
  for (std::int64_t i = 0; i < d_k.extent.elements(); ++i)
    static_cast<float*>(d_k.data)[i] *= 0.95f;
  const Verification verification = solved.verify();
  EXPECT_LT(verification.gradients[1].max_error, verification.gradients[1].tolerance);
  EXPECT_NEAR(verification.gradients[1].relative_l2_error, 0.05, 1e-5);
  EXPECT_FALSE(verification.correct);
  EXPECT_THAT(verification.message,
              StartsWith("dK has a relative L2 error of 0.05 over 40 keys of a head"));
}

// The softmax over one key is 1 whatever the score is.
TEST(VerifyGradients, AllowsRoundingsWhereAGradientIsNothing) {
  const Solved solved(problem_of(1, MaskKind::full, DType::f32));
  solved.d_q.view().row_as<float>(0, 0, 0)[0] = 3e-6f;
  EXPECT_TRUE(solved.verify().correct) << solved.verify().message;
  solved.d_q.view().row_as<float>(0, 0, 0)[0] = 3e-5f;
  EXPECT_THAT(solved.verify().message, StartsWith("dQ has a relative L2 error of "));
}

// There are two batches of two heads of keys, each for two query heads, and work for two of them.
TEST(VerifyGradients, ComparesSomeHeadsOfALargeProblemAndLooksAtAll) {
  constexpr std::int64_t kMostPairs = 2 * 2 * 40 * 40;
  const Solved solved(problem_of(40, MaskKind::causal, DType::bf16));
  const auto verify = [&] { return solved.verify(all_of(40), all_of(40), kMostPairs); };
  ASSERT_THAT(groups_to_verify(solved.gradient_problem(), kMostPairs), ElementsAre(1, 3));
  EXPECT_TRUE(verify().correct) << verify().message;
  for (const std::int64_t batch : {0, 1})
    for (const std::int64_t head : {0, 1, 2, 3})
      for (const auto& [tensor, name, word] : {std::tuple{&solved.d_q, "dQ", "row"},
                                               {&solved.d_k, "dK", "key"},
                                               {&solved.d_v, "dV", "key"}}) {
        const std::int64_t heads = tensor->view().extent.heads;
        if (head >= heads) continue;
        const bool is_compared = head >= heads / 2;
        float& element = tensor->view().row_as<float>(batch, head, 39)[2];
        const float right = element;
        element += 0.5f;
        const std::string place = fmt::format("batch {}, head {}, {} 39", batch, head, word);
        EXPECT_EQ(verify().correct, !is_compared) << place;
        EXPECT_THAT(verify().message,
                    StartsWith(is_compared ? fmt::format("{} at {}", name, place) : ""));
        element = std::numeric_limits<float>::infinity();
        EXPECT_THAT(verify().message,
                    StartsWith(fmt::format("{} at {}, element 2 is inf", name, place)));
        element = right;
      }
}

TEST(GroupsToVerify, AreAllWhereTheyFitAndElseAsManyInEvenStepsToTheLast) {
  for (const std::int64_t batch : {1, 3})
    for (const std::int64_t kv_heads : {1, 2, 5, 16})
      for (const std::int64_t shared : {1, 4})
        for (const std::int64_t fit : {0, 1, 2, 3, 7, 48, 100}) {
          GradientProblem problem;
          problem.q.extent = {batch, kv_heads * shared, 30, 8};
          problem.k.extent = {batch, kv_heads, 50, 8};
          const std::int64_t groups = batch * kv_heads;
          const std::vector<std::int64_t> chosen =
              groups_to_verify(problem, fit * shared * 30 * 50 + 1);
          const std::int64_t count = std::clamp<std::int64_t>(fit, 1, groups);
          ASSERT_EQ(std::ssize(chosen), count);
          EXPECT_EQ(chosen.back(), groups - 1);
          std::int64_t before = -1;
          for (const std::int64_t group : chosen) {
            EXPECT_GE(group - before, groups / count);
            EXPECT_LE(group - before, groups / count + 1);
            before = group;
          }
        }
}

TEST(VerifyGradients, WhatWasWrongBeforeStaysWrong) {
  const Solved solved(problem_of(10, MaskKind::full, DType::f32));
  Verification verification;
  verification.message = "O at batch 0";
  verify_gradients(solved.gradient_problem(),
                   {solved.d_q.view(), solved.d_k.view(), solved.d_v.view()}, all_of(10),
                   all_of(10), 1, verification);
  EXPECT_FALSE(verification.correct);
  EXPECT_EQ(verification.message, "O at batch 0");
}

}  // namespace
}  // namespace qb
