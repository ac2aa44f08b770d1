// Every strategy under every executor in this process: against float64, against each other, and
// against the work model's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "harness/execute/execute_fixtures.h"
#include "harness/execute/memory_ledger.h"
#include "harness/plan/brute_force.h"
#include "harness/plan/work.h"

namespace qb {
namespace {

constexpr Kernel kKernels[] = {Kernel::reference, Kernel::flash, Kernel::materialized};
constexpr Ranks kRanks[] = {Ranks::serial, Ranks::threads};

// A plan of any strategy in a random dtype.
Plan some_plan(Random& random) {
  for (;;) {
    auto plan = testing_support::random_plan(random);
    if (!plan) continue;
    const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
    Problem problem = plan->problem;
    problem.dtype = dtypes[random() % 3];
    StrategyOptions options;
    options.workers = static_cast<int>(plan->workers.size());
    return make_plan(plan->algorithm, problem, options);
  }
}

TEST(Schemes, AgreeWithFloat64UnderEveryExecutorBitForBit) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  std::map<std::string, int> seen;
  for (int round = 0; round < 250; ++round) {
    const Plan plan = some_plan(random);
    ++seen[plan.algorithm];
    const Kernel kernel = kKernels[random() % 3];
    SCOPED_TRACE(fmt::format("round {}: {} {} segments={}", round, describe(plan), word(kernel),
                             plan.problem.mask.segments.size()));
    std::string first;
    for (const Ranks ranks : kRanks) {
      Trial trial(plan, heap_allocator());
      (void)trial.run(ranks, kernel, 1, heap_allocator());
      const Verification verification = trial.verify();
      ASSERT_TRUE(verification.correct) << word(ranks) << ": " << verification.message;
      if (first.empty()) first = trial.output_bytes();
      ASSERT_EQ(first, trial.output_bytes()) << word(ranks);
    }
  }
  EXPECT_EQ(seen.size(), strategies().size());
}

TEST(Schemes, HoldExactlyTheMemoryThatTheWorkModelPredicts) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    const Plan plan = some_plan(random);
    const Kernel kernel = kKernels[random() % 3];
    const Ranks ranks = kRanks[random() % 2];
    SCOPED_TRACE(
        fmt::format("round {}: {} {} {}", round, describe(plan), word(kernel), word(ranks)));
    MemoryLedger ledger;
    Trial trial(plan, ledger);
    ledger.reset_peaks();
    (void)trial.run(ranks, kernel, 1, ledger);
    const Work work = model_work(plan, kernel, 1);
    for (std::size_t w = 0; w < plan.workers.size(); ++w)
      ASSERT_EQ(static_cast<std::int64_t>(ledger.worker_peak_bytes(static_cast<int>(w))),
                work.workers[w].active_peak_bytes)
          << "worker " << w;
  }
}

TEST(Schemes, OutliersAndRowsWithoutKeysSurviveEveryScheme) {
  for (const char* algorithm : {"ring", "striped", "zigzag", "pass_q", "all_gather_kv", "ulysses",
                                "cqs", "cqs_sharded", "tree_decode", "flash_decoding"}) {
    // 30 queries and 20 keys: the first ten queries see nothing.
    Shape shape{1, 4, 4, 30, 20, 16, 16};
    Trial trial(make_plan(algorithm, make_problem(shape, MaskKind::causal, DType::f32, 3), {4, {}}),
                heap_allocator());
    for (const TensorView& view : {trial.inputs.q.view(), trial.inputs.k.view()})
      for (std::int64_t i = 0; i < view.extent.elements(); i += 37)
        static_cast<float*>(view.data)[i] *= 300.0f;
    for (const Ranks ranks : kRanks) {
      poison(trial.out.view(), trial.lse.view());
      (void)trial.run(ranks, Kernel::flash, 1, heap_allocator());
      EXPECT_TRUE(trial.verify().correct) << algorithm << ": " << trial.verify().message;
      EXPECT_EQ(*trial.lse.view().row_as<float>(0, 0, 9), -std::numeric_limits<float>::infinity());
    }
  }
}

TEST(Schemes, AccountForTheTimeOfEveryStep) {
  Trial trial(
      make_plan("ring", make_problem({1, 2, 2, 400, 400, 32, 32}, MaskKind::causal, DType::f32, 1),
                {4, {}}),
      heap_allocator());
  const Execution run = trial.run(Ranks::threads, Kernel::flash, 1, heap_allocator());
  for (const WorkerTime& worker : run.workers) {
    ASSERT_EQ(worker.steps.size(), 4u);
    double end_s = 0.0;
    for (const StepTime& step : worker.steps) {
      EXPECT_GE(step.start_s, end_s * 0.999999);
      end_s = step.start_s + step.compute_s + step.exposed_communication_s + step.idle_s;
      EXPECT_GE(step.communication_s, 0.0);
    }
    EXPECT_LE(end_s, run.wall_s * 1.000001);
    EXPECT_GT(worker.steps[1].communication_s, 0.0);
    EXPECT_EQ(worker.steps[0].communication_s, 0.0);
  }
}

TEST(Schemes, ASlowLinkShowsAsExposedCommunication) {
  Trial trial(
      make_plan("ring", make_problem({1, 1, 1, 256, 256, 32, 32}, MaskKind::full, DType::f32, 1),
                {3, {}}),
      heap_allocator());
  // 86 tokens of K and V of 128 bytes: 22 KB a hop, so 22 ms at 1 MB/s and 5 ms of latency.
  const Execution run = execute(Ranks::threads, trial.plan,
                                {.q = trial.inputs.q.view(),
                                 .k = trial.inputs.k.view(),
                                 .v = trial.inputs.v.view(),
                                 .out = trial.out.view(),
                                 .lse = trial.lse.view(),
                                 .kernel = Kernel::flash,
                                 .threads = 1,
                                 .allocator = &heap_allocator(),
                                 .link = {1e6, 5e-3}});
  EXPECT_TRUE(trial.verify().correct);
  for (const WorkerTime& worker : run.workers)
    for (std::size_t s = 1; s < 3; ++s) EXPECT_GT(worker.steps[s].communication_s, 0.026);
  EXPECT_GT(run.wall_s, 0.05);
}

}  // namespace
}  // namespace qb
