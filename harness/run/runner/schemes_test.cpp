// SPDX-License-Identifier: Apache-2.0
// Compares every strategy under every executor in this process with a float64 reference, with each
// other, and with the predicted memory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/testing/execute_fixtures.h"

namespace qb {
namespace {

// The last kernel takes float32 only.
constexpr Kernel kSchemeKernels[] = {Kernel::reference, Kernel::flash, Kernel::materialized,
                                     Kernel::staged};
constexpr Ranks kSchemeRanks[] = {Ranks::serial, Ranks::threads};

Kernel some_kernel(Random& random, const Plan& plan) {
  return kSchemeKernels[random() % (plan.problem.dtype == DType::f32 ? 4 : 3)];
}

TEST(Schemes, AgreeWithFloat64UnderEveryExecutorBitForBit) {
  const std::size_t seen =
      testing_support::for_random_plans(250, [](const Plan& drawn, Random& random) {
        const Plan plan = testing_support::in_random_type(drawn, random);
        const Kernel kernel = some_kernel(random, plan);
        SCOPED_TRACE(fmt::format("{} {}", word(plan.problem.dtype), word(kernel)));
        std::string first;
        for (const Ranks ranks : kSchemeRanks) {
          Trial trial(plan, heap_allocator());
          (void)trial.run(ranks, kernel, 1, heap_allocator());
          const Verification verification = trial.verify();
          ASSERT_TRUE(verification.correct) << word(ranks) << ": " << verification.message;
          if (first.empty()) first = trial.output_bytes();
          ASSERT_EQ(first, trial.output_bytes()) << word(ranks);
        }
      });
  EXPECT_EQ(seen, strategies().size());
}

void expect_predicted_peaks(const MemoryLedger& ledger, const Plan& plan, Kernel kernel,
                            Ranks ranks) {
  const PlanMemory memory = plan_memory(plan, kernel, 1);
  EXPECT_LE(static_cast<std::int64_t>(ledger.active_peak_bytes()),
            ranks == Ranks::threads ? memory.threads_bytes : memory.serial_bytes);
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    EXPECT_EQ(static_cast<std::int64_t>(ledger.worker_peak_bytes(static_cast<int>(w))),
              memory.worker_peak_bytes[w])
        << "worker " << w;
}

TEST(Schemes, HoldExactlyTheMemoryThatIsPredicted) {
  (void)testing_support::for_random_plans(200, [](const Plan& drawn, Random& random) {
    const Plan plan = testing_support::in_random_type(drawn, random);
    const Kernel kernel = some_kernel(random, plan);
    const Ranks ranks = kSchemeRanks[random() % 2];
    SCOPED_TRACE(fmt::format("{} {} {}", word(plan.problem.dtype), word(kernel), word(ranks)));
    MemoryLedger ledger;
    Trial trial(plan, ledger);
    ledger.reset_peaks();
    const Execution run = trial.run(ranks, kernel, 1, ledger);
    expect_predicted_peaks(ledger, plan, kernel, ranks);
    testing_support::expect_planned_bytes(plan, run);
  });
}

// Tiles of staged cross neighbouring groups of tokens, and its stored sizes depend on tiles.
TEST(Schemes, StagedHoldsWhatIsPredictedWhereAWorkerHasManyGroups) {
  for (const char* algorithm : {"dense", "cqs", "cqs_sharded", "ring", "striped", "zigzag",
                                "pass_q", "all_gather_kv", "decode", "tree_decode"})
    for (const char* mask : {"causal", "full", "longformer"}) {
      Shape shape{1, 2, 1, 401, 401, 8, 12};
      if (algorithm == std::string("decode")) shape.q_len = 2;
      PatternNode node{mask};
      if (mask == std::string("longformer"))
        node = {"all_of",
                {},
                {{"causal"},
                 {mask,
                  {mask_fixtures::number("left", 30), mask_fixtures::number("right", 0),
                   mask_fixtures::number("tokens", 9)},
                  {}}}};
      SCOPED_TRACE(fmt::format("{} {}", algorithm, mask));
      std::optional<Plan> plan;
      try {
        plan = make_plan(algorithm, make_problem(shape, MaskSpec(node), DType::f32, 1),
                         {algorithm == std::string("dense") ? 1 : 5, {}});
      } catch (const Unsupported&) {
        continue;  // no decoding without a mask
      }
      MemoryLedger ledger;
      Trial trial(*plan, ledger);
      ledger.reset_peaks();
      (void)trial.run(Ranks::threads, Kernel::staged, 1, ledger);
      EXPECT_TRUE(trial.verify().correct);
      expect_predicted_peaks(ledger, *plan, Kernel::staged, Ranks::threads);
    }
}

// Patterns that look ahead can be decoded if no new token sees a later one.
TEST(Schemes, DecodeTakesEveryPatternThatSeesNoLaterToken) {
  using mask_fixtures::number;
  const PatternNode window = mask_fixtures::sliding_window(9, 4);
  const PatternNode bigbird{"bigbird",
                            {number("left", 5), number("right", 0), number("tokens", 7),
                             number("random_blocks", 2), number("block", 1)},
                            {}};
  const struct {
    PatternNode mask;
    std::int64_t n_new;
    bool decodes;
  } cases[] = {{window, 1, true},
               {window, 3, false},
               {{"all_of", {}, {{"causal"}, window}}, 3, true},
               {mask_fixtures::global_tokens(16), 4, true},  // the global tokens are cached ones
               {mask_fixtures::global_tokens(198), 4, false},
               {bigbird, 1, true},
               {{"all_of", {}, {{"causal"}, bigbird}}, 4, true},
               {mask_fixtures::block_local(199), 2, true},  // the last token begins a block
               {mask_fixtures::block_local(64), 4, false},
               {{"strided", {number("stride", 3)}, {}}, 4, false}};
  for (const auto& c : cases) {
    const MaskSpec mask(c.mask);
    SCOPED_TRACE(fmt::format("{}, {} new", mask.text(), c.n_new));
    const Problem problem = make_problem({1, 2, 1, c.n_new, 200, 16, 16}, mask, DType::f32, 5);
    std::optional<Plan> plan;
    std::string refusal;
    try {
      plan = make_plan("decode", problem, {3, {}});
    } catch (const Unsupported& reason) {
      refusal = reason.what();
    }
    ASSERT_EQ(plan.has_value(), c.decodes) << refusal;
    if (!c.decodes) {
      EXPECT_THAT(refusal, ::testing::HasSubstr("lets new token"));
      continue;
    }
    EXPECT_TRUE(testing_support::covers_exactly_once(*plan));
    for (const Ranks ranks : kSchemeRanks) {
      Trial trial(*plan, heap_allocator());
      (void)trial.run(ranks, Kernel::flash, 1, heap_allocator());
      const Verification verification = trial.verify();
      EXPECT_TRUE(verification.correct) << verification.message;
    }
  }
}

// Worker 0 owns all new tokens. It has no key for the first of them, whose partials come from other
// workers before it computes the third.
TEST(Schemes, ACallKeepsThePartialsThatArrivedBeforeIt) {
  const PatternNode global{"global", {mask_fixtures::list("indices", {24, 40, 60})}, {}};
  const MaskSpec mask(PatternNode{"all_of", {}, {{"causal"}, global}});
  StrategyOptions options{9, {}};
  options.new_key_owner = NewKeyOwner::fixed;
  const Plan plan =
      make_plan("decode", make_problem({1, 2, 1, 4, 62, 16, 16}, mask, DType::f32, 5), options);
  for (const Ranks ranks : kSchemeRanks)
    for (const Kernel kernel : {Kernel::flash, Kernel::materialized}) {
      Trial trial(plan, heap_allocator());
      (void)trial.run(ranks, kernel, 1, heap_allocator());
      EXPECT_TRUE(trial.verify().correct) << word(ranks) << ": " << trial.verify().message;
    }
}

// Bytes are halved but for the LSE, and O is rounded once on its way, not more.
TEST(Schemes, PartialsTravelInSixteenBits) {
  for (const char* algorithm :
       {"pass_q", "ulysses", "mesh", "usp", "grid", "cqs_sharded", "helix"}) {
    Problem problem = make_problem({1, 8, 8, 105, 105, 16, 16}, MaskKind::causal, DType::f32, 3);
    StrategyOptions options{.workers = 4};
    if (algorithm == std::string("helix")) options.keys.text("grid_heads") = "1";
    const auto run = [&](DType partials) {
      problem.partials = partials;
      Trial trial(make_plan(algorithm, problem, options), heap_allocator());
      const Execution execution = trial.run(Ranks::threads, Kernel::flash, 1, heap_allocator());
      testing_support::expect_planned_bytes(trial.plan, execution);
      const Verification verification = trial.verify();
      EXPECT_TRUE(verification.correct) << algorithm << ": " << verification.message;
      std::int64_t sent = 0;
      for (const auto& worker : execution.workers) sent += worker.sent_bytes;
      return std::pair{sent, verification.relative_l2_error};
    };
    const auto [whole_bytes, whole_error] = run(DType::f32);
    const auto [half_bytes, half_error] = run(DType::bf16);
    EXPECT_LT(half_bytes, whole_bytes) << algorithm;
    EXPECT_GT(half_error, 16.0 * whole_error) << algorithm;
    EXPECT_LT(half_error, unit_roundoff(DType::bf16)) << algorithm;
  }
}

TEST(Schemes, OutliersAndRowsWithoutKeysSurviveEveryScheme) {
  for (const char* algorithm :
       {"ring", "striped", "zigzag", "pass_q", "all_gather_kv", "ulysses", "cqs", "cqs_sharded",
        "tree_decode", "flash_decoding", "helix", "helix reduce_scatter"}) {
    // 30 queries and 20 keys: the first ten queries see nothing.
    Shape shape{1, 4, 4, 30, 20, 16, 16};
    const std::string_view words = algorithm;
    StrategyOptions options{.workers = 4};
    if (words.starts_with("helix")) options.keys.text("grid_heads") = "1";
    if (words.ends_with("scatter")) options.keys.text("helix_exchange") = "reduce_scatter";
    Trial trial(make_plan(words.substr(0, words.find(' ')),
                          make_problem(shape, MaskKind::causal, DType::f32, 3), options),
                heap_allocator());
    for (const TensorView& view : {trial.inputs.q.view(), trial.inputs.k.view()})
      for (std::int64_t i = 0; i < view.extent.elements(); i += 37)
        static_cast<float*>(view.data)[i] *= 300.0f;
    for (const Ranks ranks : kSchemeRanks) {
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
      EXPECT_GE(step.compute.start_s, step.start_s);
      EXPECT_GE(step.compute.end_s - step.compute.start_s, step.compute_s * 0.999999);
    }
    for (std::size_t s = 1; s < 4; ++s) {
      const TimeSpan& receive = worker.steps[s].receive;
      EXPECT_LE(receive.end_s, worker.steps[s].compute.start_s) << "it computes with what has come";
      EXPECT_GE(receive.start_s, worker.steps[s - 1].start_s);
      EXPECT_GE(worker.steps[s - 1].send.end_s, worker.steps[s - 1].send.start_s);
    }
    EXPECT_TRUE(std::isnan(worker.steps[3].send.end_s)) << "the last step has nothing to send";
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
  // A hop has 86 tokens of K and V of 128 bytes: 22 KB, so 22 ms at 1 MB/s and 5 ms of latency.
  auto arguments = trial.with_tensors(ExecutionArguments());
  arguments.allocator = &heap_allocator();
  arguments.link = {1e6, 5e-3};
  const Execution run = execute(Ranks::threads, trial.plan, arguments);
  EXPECT_TRUE(trial.verify().correct);
  for (const WorkerTime& worker : run.workers)
    for (std::size_t s = 1; s < 3; ++s) EXPECT_GT(worker.steps[s].communication_s, 0.026);
  EXPECT_GT(run.wall_s, 0.05);
}

}  // namespace
}  // namespace qb
