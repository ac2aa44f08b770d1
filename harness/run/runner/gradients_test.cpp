// SPDX-License-Identifier: Apache-2.0
// Compares the gradients of every strategy that has a backward pass, under every executor in this
// process, with float64, with each other, and with the predicted memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/testing/sanitized.h"
#include "harness/plan/rotation.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/gradient_trial.h"

namespace qb {
namespace {

constexpr Kernel kGradientKernels[] = {Kernel::reference, Kernel::flash, Kernel::materialized};
constexpr Ranks kRanks[] = {Ranks::serial, Ranks::threads};

template <class Attempt>
std::size_t for_backward_plans(int rounds, Attempt attempt) {
  return testing_support::for_random_plans(rounds, attempt, std::random_device{}(), Pass::backward);
}

TEST(Gradients, AgreeWithFloat64UnderEveryExecutorBitForBit) {
  const std::size_t seen = for_backward_plans(
      testing_support::kSanitized ? 60 : 300, [](const Plan& drawn, Random& random) {
        const Plan plan = testing_support::in_random_type(drawn, random);
        const Kernel kernel = kGradientKernels[random() % std::size(kGradientKernels)];
        SCOPED_TRACE(fmt::format("{} {}", word(plan.problem.dtype), word(kernel)));
        std::string first;
        for (const Ranks ranks : kRanks) {
          const GradientTrial trial(plan);
          (void)trial.run(ranks, kernel, 1, heap_allocator());
          trial.expect_exact();
          ASSERT_FALSE(testing::Test::HasFailure()) << word(ranks);
          if (first.empty()) first = trial.gradient_bytes();
          ASSERT_EQ(first == trial.gradient_bytes(), true) << word(ranks);
        }
      });
  EXPECT_GE(seen, testing_support::kSanitized ? 5u : 10u);
}

// Random grids of up to 64 workers: tokens and heads that do not divide, and key-value heads that
// several workers need, in both passes.
TEST(Gradients, AndOutputsOfGridsOfUpTo64WorkersAreThoseOfFloat64) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (int planned = 0; planned < (testing_support::kSanitized ? 3 : 18);) {
    using testing_support::draw;
    GridShape grid{static_cast<int>(draw(random, 1, 8)), static_cast<int>(draw(random, 1, 8)), 1};
    grid.columns = static_cast<int>(draw(random, 1, 64 / (grid.heads * grid.rows)));
    const int workers = grid.heads * grid.rows * grid.columns;
    Shape shape{1, 1, draw(random, 1, 4), 0, 0, 8, 8};
    shape.q_heads = shape.kv_heads * draw(random, 1, 4);
    shape.q_len = random() % 2 == 0 ? draw(random, 1, 300) : 2 * workers * draw(random, 1, 2);
    shape.kv_len = shape.q_len + (random() % 3 == 0 ? draw(random, 0, 90) : 0);
    const Problem problem = make_problem(
        shape, random() % 3 == 0 ? MaskKind::full : MaskKind::causal, DType::f32, random());
    const auto plan_of = [&](Pass pass) {
      return make_plan("grid", problem,
                       {.workers = workers, .keys = grid_keys(grid), .pass = pass});
    };
    if (grid.heads > shape.q_heads || !shares_fit(shape, grid.heads)) continue;
    const Ranks ranks = kRanks[planned++ % 2];
    SCOPED_TRACE(fmt::format("{} x {} x {}, {} of {} tokens, {} of {} heads", grid.heads, grid.rows,
                             grid.columns, shape.q_len, shape.kv_len, shape.q_heads,
                             shape.kv_heads));
    Trial forward(plan_of(Pass::forward), heap_allocator());
    (void)forward.run(ranks, Kernel::flash, 1, heap_allocator());
    ASSERT_TRUE(forward.verify().correct) << forward.verify().message;
    const GradientTrial backward(plan_of(Pass::backward));
    (void)backward.run(ranks, Kernel::flash, 1, heap_allocator());
    backward.expect_exact();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(Gradients, HoldExactlyTheMemoryThatIsPredicted) {
  (void)for_backward_plans(
      testing_support::kSanitized ? 60 : 250, [](const Plan& drawn, Random& random) {
        const Plan plan = testing_support::in_random_type(drawn, random);
        const Kernel kernel = kGradientKernels[random() % std::size(kGradientKernels)];
        const Ranks ranks = kRanks[random() % 2];
        SCOPED_TRACE(fmt::format("{} {} {}", word(plan.problem.dtype), word(kernel), word(ranks)));
        const GradientTrial trial(plan);
        MemoryLedger ledger;
        testing_support::expect_planned_bytes(plan, trial.run(ranks, kernel, 1, ledger));
        EXPECT_EQ(ledger.active_bytes(), 0u);
        const PlanMemory memory = plan_memory(plan, kernel, 1);
        EXPECT_LE(static_cast<std::int64_t>(ledger.active_peak_bytes()),
                  ranks == Ranks::threads ? memory.threads_bytes : memory.serial_bytes);
        for (std::size_t w = 0; w < plan.workers.size(); ++w)
          ASSERT_EQ(static_cast<std::int64_t>(ledger.worker_peak_bytes(static_cast<int>(w))),
                    memory.worker_peak_bytes[w])
              << "worker " << w;
      });
}

// A ring's sums are added to in the messages that bring them, which then go on as they are.
TEST(Gradients, OfARingTravelWithoutACopy) {
  const Problem problem = make_problem({1, 2, 1, 64, 64, 8, 8}, MaskKind::full, DType::f32, 3);
  const Plan plan = make_plan("ring", problem, {.workers = 4, .pass = Pass::backward});
  const GradientTrial trial(plan);
  MemoryLedger ledger({.record_events = true});
  (void)trial.run(Ranks::serial, Kernel::flash, 1, ledger);
  trial.expect_exact();
  // Each worker packs K and V once and its first sums once: all else passes on what came.
  const auto packed = std::ranges::count_if(ledger.events(), [](const MemoryEvent& event) {
    return event.action == MemoryEvent::Action::alloc && event.label == "message_out";
  });
  EXPECT_EQ(packed, 4 * 2);
}

// Rings may keep the travelling sums in the type of the inputs; each hop then rounds them.
TEST(Gradients, SumsThatTravelInSixteenBitsAreRoundedAtEachHop) {
  const Problem problem = make_problem({1, 1, 1, 256, 256, 16, 16}, MaskKind::full, DType::f32, 7);
  const auto errors = [&](const char* algorithm, DType travelling) {
    const GradientTrial trial(make_plan(
        algorithm, problem, {.workers = 8, .pass = Pass::backward, .gradients = travelling}));
    const Execution run = trial.run(Ranks::threads, Kernel::flash, 1, heap_allocator());
    EXPECT_EQ(run.workers.size(), 8u);
    const auto exact =
        reference_gradients(testing_support::problem_of(trial.call, trial.plan.problem.mask));
    const testing_support::Gradients found = trial.call.gradients();
    const auto relative = [](const std::vector<double>& a, const std::vector<double>& b) {
      return testing_support::max_difference(a, b) / testing_support::largest_magnitude(b);
    };
    return std::array{relative(found.d_q, exact.d_q), relative(found.d_k, exact.d_k)};
  };
  for (const char* algorithm : {"ring", "zigzag", "all_gather_kv", "cqs_sharded"}) {
    SCOPED_TRACE(algorithm);
    const auto [d_q, d_k] = errors(algorithm, DType::bf16);
    const auto [exact_d_q, exact_d_k] = errors(algorithm, DType::f32);
    EXPECT_LT(exact_d_k, 1e-5);
    EXPECT_GT(d_k, 1e-3);
    EXPECT_LT(d_k, 8 * 0x1p-8);
    if (algorithm == std::string("ring")) {
      EXPECT_EQ(d_q, exact_d_q) << "dQ stays";
    }
  }
  const auto [d_q, d_k] = errors("burst", DType::bf16);
  EXPECT_GT(d_q, 1e-3);
  EXPECT_LT(d_k, 1e-5) << "dK stays";
}

TEST(Gradients, AForwardPassOfTheSameStrategyLeavesWhatTheBackwardPassReads) {
  for (const char* algorithm : {"dense", "cqs", "cqs_sharded", "ring", "zigzag", "ulysses"}) {
    SCOPED_TRACE(algorithm);
    const int workers = algorithm == std::string("dense") ? 1 : 4;
    const Problem problem = make_problem({2, 4, 4, 61, 61, 8, 12}, MaskKind::causal, DType::f32, 5);
    const GradientTrial trial(
        make_plan(algorithm, problem, {.workers = workers, .pass = Pass::backward}));
    poison(trial.call.out.view(), trial.call.lse.view());
    ExecutionArguments arguments = trial.with_tensors({});
    arguments.kernel = Kernel::flash;
    arguments.allocator = &heap_allocator();
    (void)execute(Ranks::threads, make_plan(algorithm, problem, {.workers = workers}), arguments);
    (void)execute(Ranks::threads, trial.plan, arguments);
    trial.expect_exact();
  }
}

}  // namespace
}  // namespace qb
