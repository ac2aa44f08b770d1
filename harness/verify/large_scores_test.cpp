// SPDX-License-Identifier: Apache-2.0
// Scores of any size: what is right is called so, and nothing that is wrong is. Ties show it best,
// since their weights follow from their number alone, whatever the score.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/sanitized.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/verify/verify_gradients.h"
#include "harness/verify/worst_error.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

constexpr Kernel kScoreKernels[] = {Kernel::flash, Kernel::materialized, Kernel::reference};

void fill(const TensorView& view, const std::function<double(std::int64_t token, int x)>& value) {
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t)
        for (int x = 0; x < view.extent.head_dim; ++x)
          store_element(view.row(b, h, t) + x * size_of(view.dtype), view.dtype, value(t, x));
}

double element(const TensorView& view, std::int64_t token, int x = 0) {
  return load_element(view.row(0, 0, token) + x * size_of(view.dtype), view.dtype);
}

// Both passes of an algorithm, where it has them, on tensors of its own.
struct BothPasses {
  BothPasses(std::string_view algorithm, const Problem& problem, int workers)
      : forward(make_plan(std::string(algorithm), problem, {workers, std::nullopt}),
                heap_allocator()),
        d_out(make_input(problem, TensorRole::d_out, heap_allocator(), 1, "d_out")),
        d_q(heap_allocator(), DType::f32, problem.shape.q(), "d_q"),
        d_k(heap_allocator(), DType::f32, problem.shape.k(), "d_k"),
        d_v(heap_allocator(), DType::f32, problem.shape.v(), "d_v") {
    if (algorithm == "pass_q") return;  // it has no backward pass
    StrategyOptions options{workers, std::nullopt};
    options.pass = Pass::backward;
    backward = make_plan(std::string(algorithm), problem, options);
  }

  void run(Kernel kernel, Ranks ranks = Ranks::serial) {
    poison(forward.out.view(), forward.lse.view());
    (void)forward.run(ranks, kernel, 1, heap_allocator());
    if (!backward) return;
    for (const Tensor* const tensor : {&d_q, &d_k, &d_v}) poison(tensor->view());
    ExecutionArguments arguments = forward.with_tensors({});
    arguments.d_out = d_out.view();
    arguments.d_q = d_q.view();
    arguments.d_k = d_k.view();
    arguments.d_v = d_v.view();
    arguments.kernel = kernel;
    arguments.allocator = &heap_allocator();
    (void)execute(ranks, *backward, arguments);
  }

  [[nodiscard]] GradientProblem gradients() const {
    const Problem& problem = forward.plan.problem;
    return {forward.inputs.q.view(),
            forward.inputs.k.view(),
            forward.inputs.v.view(),
            d_out.view(),
            problem.mask,
            problem.scale};
  }

  [[nodiscard]] Verification verify() const {
    const Problem& problem = forward.plan.problem;
    Verification verification = forward.verify();
    if (!verification.correct || !backward) return verification;
    verify_gradients(gradients(), {d_q.view(), d_k.view(), d_v.view()},
                     rows_to_verify(forward.plan, problem.shape.q_len),
                     keys_to_verify(forward.plan, problem.shape.kv_len), 1, verification, 0.0,
                     rounds());
    return verification;
  }

  [[nodiscard]] bool rounds() const {
    return rounds_lse(forward.plan) || (backward && rounds_lse(*backward));
  }

  Trial forward;
  std::optional<Plan> backward;
  Tensor d_out;
  Tensor d_q;
  Tensor d_k;
  Tensor d_v;
};

Problem tied_problem(std::int64_t n, int lse_sent) {
  Problem problem = make_problem({1, 1, 1, n, n, 4, 4}, MaskKind::full, DType::f32, 3);
  problem.scale = 1.0;
  problem.lse_kept = 2;
  problem.lse_sent = lse_sent;
  return problem;
}

// All keys have this score with every query; V[j] = j.
void tie(BothPasses& passes, double score) {
  const double root = std::sqrt(std::abs(score));
  fill(passes.forward.inputs.q.view(), [&](std::int64_t, int x) { return x == 0 ? root : 0.0; });
  fill(passes.forward.inputs.k.view(),
       [&](std::int64_t, int x) { return x == 0 ? std::copysign(root, score) : 0.0; });
  fill(passes.forward.inputs.v.view(),
       [](std::int64_t token, int) { return static_cast<double>(token); });
}

template <class Body>
void on_each_instruction_set(Body body) {
  for (const InstructionSet set : available_instruction_sets()) {
    SCOPED_TRACE(std::string(word(set)));
    use_instruction_set(set);
    body();
  }
  use_instruction_set(available_instruction_sets().front());
}

constexpr double kScores[] = {1e-30, 1.0, 1e3,          -1e4, 1e5,   1e6,
                              -1e7,  1e8, 2147483648.0, 1e12, -1e20, 1e30};

TEST(LargeScores, TiedKeysShareTheWeightAtAnyScore) {
  on_each_instruction_set([] {
    for (const Kernel kernel : kScoreKernels)
      for (const double score : kScores)
        for (const std::int64_t n : {2, 3, 37}) {
          SCOPED_TRACE(fmt::format("{}, score {}, {} keys", word(kernel), score, n));
          BothPasses passes("dense", tied_problem(n, 1), 1);
          tie(passes, score);
          passes.run(kernel);
          const double mean = static_cast<double>(n - 1) / 2.0;
          EXPECT_NEAR(element(passes.forward.out.view(), 1), mean, 1e-5 * mean);
          // The reference kernel works in float64, of which two floats hold 48 bits.
          if (kernel == Kernel::reference && std::abs(score) > 1e10) continue;
          double sum = 0.0;
          for (std::int64_t i = 0; i < n; ++i) sum += element(passes.d_out.view(), i);
          EXPECT_NEAR(element(passes.d_v.view(), n - 1), sum / static_cast<double>(n), 1e-5);
          const Verification verification = passes.verify();
          EXPECT_TRUE(verification.correct) << verification.message;
        }
  });
}

// Four tied keys lie 3:1 on two workers, or otherwise on three.
TEST(LargeScores, TwoNumbersKeepTheWeightsOfPartialsAndOneDoesWhileItCan) {
  constexpr double kOneLasts = 2e4;  // to here one number costs no more than a tolerance allows
  for (const char* algorithm : {"ring", "zigzag", "pass_q", "cqs", "cqs_sharded", "all_gather_kv"})
    for (const int sent : {1, 2})
      for (const double score : kScores) {
        SCOPED_TRACE(fmt::format("{}, {} sent, score {}", algorithm, sent, score));
        const int workers = std::string_view(algorithm).starts_with("cqs") ? 3 : 2;
        BothPasses passes(algorithm, tied_problem(7, sent), workers);
        tie(passes, score);
        for (const Ranks ranks : {Ranks::serial, Ranks::threads}) {
          passes.run(Kernel::flash, ranks);
          const Verification verification = passes.verify();
          const bool is_rounded = passes.rounds();
          if (!is_rounded || std::abs(score) <= kOneLasts) {
            EXPECT_TRUE(verification.correct) << verification.message;
            EXPECT_NEAR(element(passes.forward.out.view(), 2), 3.0, is_rounded ? 0.05 : 1e-5);
          } else if (!verification.correct) {
            EXPECT_THAT(verification.message, HasSubstr("lse: two"));
          }
        }
      }
}

TEST(LargeScores, OneNumberLosesTheWeightsOfPartials) {
  for (const char* algorithm : {"pass_q", "cqs"}) {
    BothPasses passes(algorithm, tied_problem(7, 1), 3);
    tie(passes, 1e8);
    passes.run(Kernel::flash);
    EXPECT_GT(std::abs(element(passes.forward.out.view(), 2) - 3.0), 0.01) << algorithm;
    EXPECT_THAT(passes.verify().message, HasSubstr("lse: two")) << algorithm;
  }
}

// A row whose winner has all the weight has the value of the winner, bit for bit.
TEST(LargeScores, TheOnlyKeyThatCountsHasWeightOne) {
  on_each_instruction_set([] {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
      for (const double score : {1e3, 2147483648.0, 1e20}) {
        if (dtype == DType::f16 && score > 1e9) continue;
        SCOPED_TRACE(fmt::format("{}, score {}", word(dtype), score));
        Problem problem = make_problem({1, 1, 1, 5, 70, 4, 4}, MaskKind::full, dtype, 9);
        problem.lse_kept = 2;
        problem.scale = 1.7;
        Trial trial(dense_plan(problem), heap_allocator());
        const double root = std::sqrt(score);
        fill(trial.inputs.q.view(), [&](std::int64_t, int x) { return x == 0 ? root : 0.3; });
        fill(trial.inputs.k.view(), [&](std::int64_t token, int x) {
          return x > 0 ? 0.1 : (token == 41 ? root : 0.3 * root);
        });
        (void)trial.run(Ranks::serial, Kernel::flash, 1, heap_allocator());
        for (int x = 0; x < 4; ++x)
          EXPECT_EQ(element(trial.out.view(), 3, x), element(trial.inputs.v.view(), 41, x));
        EXPECT_TRUE(trial.verify().correct) << trial.verify().message;
      }
  });
}

// A random problem of both passes: scores from 1e-30 to 1e30, ties, one key above all, tiny and
// huge values, rows without keys, any width.
BothPasses random_passes(Random& random) {
  Shape shape{1, 1, 1, between(random, 1, 40), between(random, 1, 60), between(random, 1, 70), 1};
  if (random() % 8 == 0) shape.head_dim = between(random, 100, 256);
  shape.value_dim = random() % 2 == 0 ? shape.head_dim : between(random, 1, 70);
  if (random() % 3 == 0) shape.q_heads = 2;
  const DType dtypes[] = {DType::f32, DType::f32, DType::f16, DType::bf16};
  const DType dtype = dtypes[random() % 4];
  Problem problem =
      make_problem(shape, random() % 2 == 0 ? MaskKind::full : MaskKind::causal, dtype, random());
  problem.lse_kept = 2;
  const char* const algorithms[] = {"dense", "dense", "ring", "zigzag", "cqs"};
  const char* algorithm = algorithms[random() % 5];
  problem.lse_sent = random() % 2 == 0 ? 1 : 2;
  const auto most =
      static_cast<int>(std::min<std::int64_t>(4, std::min(shape.q_len, shape.kv_len)));
  if (most < 3) algorithm = "dense";
  BothPasses passes(
      algorithm, problem,
      std::string_view(algorithm) == "dense" ? 1 : static_cast<int>(between(random, 3, most)));
  // The exponents of the inputs; f16 has few.
  const auto factor = [&](int least, int largest) {
    const bool narrow = dtype == DType::f16;
    return std::pow(10.0, static_cast<double>(between(random, narrow ? std::max(least, -7) : least,
                                                      narrow ? std::min(largest, 3) : largest)));
  };
  const auto scaled = [](const TensorView& view, double by) {
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 0; t < view.extent.length; ++t)
        for (int x = 0; x < view.extent.head_dim; ++x) {
          std::byte* const at = view.row(0, h, t) + x * size_of(view.dtype);
          store_element(at, view.dtype, by * load_element(at, view.dtype));
        }
  };
  const Inputs& inputs = passes.forward.inputs;
  scaled(inputs.q.view(), factor(-15, 15));
  scaled(inputs.k.view(), factor(-15, 15));
  scaled(inputs.v.view(), factor(-12, 12));
  scaled(passes.d_out.view(), factor(-12, 12));
  const std::int64_t n = shape.kv_len;
  const auto copy_key = [&](std::int64_t to, std::int64_t from) {
    for (int x = 0; x < shape.head_dim; ++x)
      store_element(inputs.k.view().row(0, 0, to) + x * size_of(dtype), dtype,
                    element(inputs.k.view(), from, x));
  };
  if (random() % 2 == 0)  // ties of two, three or all
    for (std::int64_t more = random() % 3 == 0 ? n : between(random, 1, 2); more > 0; --more)
      copy_key(between(random, 0, n - 1), 0);
  if (random() % 4 == 0) scaled(inputs.k.view().tokens(between(random, 0, n - 1), 1), 10.0);
  return passes;
}

std::vector<double> values_of(const TensorView& view) {
  std::vector<double> values;
  for (std::int64_t h = 0; h < view.extent.heads; ++h)
    for (std::int64_t t = 0; t < view.extent.length; ++t)
      for (int x = 0; x < view.extent.head_dim; ++x)
        values.push_back(load_element(view.row(0, h, t) + x * size_of(view.dtype), view.dtype));
  return values;
}

double norm_of(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

double mean_size(const TensorView& view) {
  return norm_of(values_of(view)) / std::sqrt(static_cast<double>(view.extent.elements()));
}

// How much further a gradient is from float64 than naive ones in its precision may bring it,
// relative to its norm. Where terms cancel, roundings are all there is, and so it is relative to a
// part of `size` too, which a gradient has without that.
double relative_error(const TensorView& found, const std::vector<double>& exact,
                      const std::vector<double>& naive, double size, bool rounds_lse) {
  std::vector<double> error = values_of(found);
  std::vector<double> of_naive = naive;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error[i] -= exact[i];
    of_naive[i] = std::isfinite(naive[i]) ? naive[i] - exact[i] : 0.0;
  }
  const double noise = rounds_lse ? 8.0 * kMostLseRounding : 1e-3;
  const double beyond = norm_of(error) - 2.0 * norm_of(of_naive);
  if (beyond <= 0.0) return 0.0;
  return beyond / (norm_of(exact) + noise * size * std::sqrt(static_cast<double>(exact.size())));
}

// QB_RANDOM_GRADIENTS sets how many are drawn.
TEST(LargeScores, NoWrongGradientIsCalledOk) {
  const char* const asked = std::getenv("QB_RANDOM_GRADIENTS");
  const int draws = asked != nullptr ? std::atoi(asked) : (testing_support::kSanitized ? 100 : 600);
  int correct = 0;
  const std::vector<InstructionSet> sets = available_instruction_sets();
  for (int draw = 0; draw < draws; ++draw) {
    Random random(static_cast<std::uint64_t>(draw) + 1);
    use_instruction_set(sets[random() % sets.size()]);
    BothPasses passes = random_passes(random);
    const Kernel kernel = kScoreKernels[random() % std::size(kScoreKernels)];
    passes.run(kernel);
    const Verification verification = passes.verify();
    if (!verification.correct) continue;
    ++correct;
    const ReferenceGradients exact = reference_gradients(passes.gradients());
    SCOPED_TRACE(fmt::format("draw {}, {}, {}, {}, largest score {}", draw, word(kernel),
                             passes.forward.plan.algorithm, word(passes.forward.plan.problem.dtype),
                             exact.largest_score));
    constexpr double kWrong = 0.1;
    const GradientProblem problem = passes.gradients();
    const ReferenceGradients naive = naive_gradients(problem);
    const double of_d_out = mean_size(problem.d_out);
    const double of_scores = problem.scale * of_d_out * mean_size(problem.v) *
                             std::sqrt(static_cast<double>(problem.v.extent.head_dim));
    EXPECT_LT(relative_error(passes.d_q.view(), exact.d_q, naive.d_q,
                             of_scores * mean_size(problem.k), passes.rounds()),
              kWrong);
    EXPECT_LT(relative_error(passes.d_k.view(), exact.d_k, naive.d_k,
                             of_scores * mean_size(problem.q), passes.rounds()),
              kWrong);
    EXPECT_LT(relative_error(passes.d_v.view(), exact.d_v, naive.d_v, of_d_out, passes.rounds()),
              kWrong);
  }
  use_instruction_set(sets.front());
  EXPECT_GT(correct, draws / 3) << "most problems are within float32";
}

}  // namespace
}  // namespace qb
