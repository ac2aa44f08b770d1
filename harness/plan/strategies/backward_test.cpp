// SPDX-License-Identifier: Apache-2.0
// The backward plans of the strategies: both checkers, bytes and steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/testing/gradient_play.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing_support::adds_exactly_once;
using testing_support::for_random_plans;
using testing_support::square_problem;

Plan backward_plan(std::string_view algorithm, const Problem& problem, int workers) {
  return make_plan(algorithm, problem, {.workers = workers, .pass = Pass::backward});
}

std::set<TensorRole> sent_by(const Worker& worker) {
  std::set<TensorRole> sent;
  for (const Step& step : worker.steps)
    for (const Transfer& transfer : step.sends) sent.insert(transfer.what);
  return sent;
}

TEST(Backward, EveryPlanAddsEveryPairOnceByBothCheckers) {
  std::map<std::string, int> seen;
  const auto attempt = [&](const Plan& plan, std::mt19937_64&) {
    ++seen[plan.algorithm];
    ASSERT_EQ(plan.pass, Pass::backward);
    ASSERT_EQ(check(plan), std::nullopt);
    ASSERT_TRUE(adds_exactly_once(plan));
    ASSERT_TRUE(testing_support::covers_exactly_once(plan));
    ASSERT_EQ(model_work(plan, Kernel::flash).unmasked_pairs, unmasked_pairs(plan.problem));
  };
  (void)for_random_plans(700, attempt, std::random_device{}(), Pass::backward);
  std::set<std::string> algorithms;
  for (const auto& [algorithm, count] : seen) {
    algorithms.insert(algorithm);
    EXPECT_GT(count, 8) << algorithm;
  }
  EXPECT_THAT(algorithms, ElementsAre("all_gather_kv", "burst", "cqs", "cqs_sharded", "dense",
                                      "double_ring", "grid", "mesh", "pass_kv", "ring", "striped",
                                      "ulysses", "usp", "zigzag"));
}

// The check proves rotating plans from worker 0; spelt out, it walks over all workers.
TEST(Backward, PlansAreExactSpeltOutToo) {
  const auto attempt = [](const Plan& plan, std::mt19937_64&) {
    Plan spelt = plan;
    (void)spelt.workers.spell_out();
    ASSERT_EQ(check(spelt), std::nullopt);
  };
  (void)for_random_plans(200, attempt, std::random_device{}(), Pass::backward);
}

TEST(Backward, AlgorithmsWithoutOneAreRefused) {
  const Problem problem = make_problem({1, 2, 1, 1, 40, 8, 8}, MaskKind::causal, DType::f32, 1);
  for (const char* algorithm : {"pass_q", "decode", "flash_decoding", "tree_decode", "helix"}) {
    EXPECT_NO_THROW((void)make_plan(algorithm, problem, {.workers = 2}));
    try {
      (void)backward_plan(algorithm, problem, 2);
      FAIL() << algorithm;
    } catch (const Unsupported& reason) {
      EXPECT_EQ(reason.what(), std::string(algorithm) +
                                   " has no backward pass; take an algorithm that has one, such as "
                                   "ring or burst");
    }
  }
}

TEST(Backward, WhatAnAlgorithmRefusesForwardItRefusesBackward) {
  const Problem problem = square_problem(10, MaskKind::full);
  EXPECT_THROW((void)backward_plan("dense", problem, 2), Unsupported);
  EXPECT_THROW((void)backward_plan("cqs", problem, 2), Unsupported);
  EXPECT_THROW((void)backward_plan("ulysses", problem, 3), Unsupported) << "2 heads";
}

TEST(Backward, FlopAreTenForEachPairAndElement) {
  const Problem problem = make_problem({3, 4, 2, 100, 100, 16, 16}, MaskKind::full, DType::f32, 1);
  EXPECT_DOUBLE_EQ(model_work(backward_plan("dense", problem, 1), Kernel::flash).flops,
                   10.0 * 10'000 * 16 * 4 * 3);
  // S, dQ and dK are as wide as keys, dP and dV as values.
  const Problem wide = make_problem({1, 1, 1, 100, 100, 16, 64}, MaskKind::full, DType::f32, 1);
  EXPECT_DOUBLE_EQ(model_work(backward_plan("dense", wide, 1), Kernel::flash).flops,
                   10'000.0 * 2 * (3 * 16 + 2 * 64));
}

TEST(Backward, CriticalPathsAreThoseOfTheForwardPass) {
  for (const char* algorithm : {"ring", "striped", "zigzag", "burst", "all_gather_kv"})
    for (const int workers : {1, 3, 4}) {
      const Problem problem = square_problem(60, MaskKind::causal);
      const Plan forward = make_plan(algorithm, problem, {.workers = workers});
      EXPECT_EQ(
          model_work(backward_plan(algorithm, problem, workers), Kernel::flash).critical_path_pairs,
          model_work(forward, Kernel::flash).critical_path_pairs)
          << algorithm;
    }
}

TEST(Backward, ARingBringsGradientsOfKeysHomeInOneHopMore) {
  const Problem problem = make_problem({2, 6, 3, 10, 10, 16, 16}, MaskKind::causal, DType::bf16, 1);
  const Plan plan = backward_plan("ring", problem, 4);
  EXPECT_THAT(sent_by(plan.workers[2]),
              ElementsAre(TensorRole::k, TensorRole::v, TensorRole::d_k, TensorRole::d_v));
  const Work work = model_work(plan, Kernel::flash);
  // 3 tokens, the longest shard, 2 sequences, 3 key-value heads, 16 elements.
  constexpr std::int64_t kElements = 3 * 2 * 3 * 16;
  for (const WorkerWork& worker : work.workers) {
    ASSERT_EQ(worker.steps.size(), 5u);
    for (const std::size_t step : {0u, 1u, 2u})
      EXPECT_EQ(worker.steps[step].bytes_out, 2 * kElements * (2 + 4));
    EXPECT_EQ(worker.steps[3].bytes_out, 2 * kElements * 4);
    EXPECT_EQ(worker.steps[4].bytes_in, 2 * kElements * 4);
    EXPECT_EQ(worker.steps[4].unmasked_pairs, 0);
  }
}

TEST(Backward, SumsOfSixteenBitsAreHalfAsLong) {
  const Problem problem = make_problem({1, 2, 2, 16, 16, 8, 8}, MaskKind::full, DType::bf16, 1);
  const StrategyOptions options{.workers = 4, .pass = Pass::backward, .gradients = DType::bf16};
  for (const char* algorithm : {"ring", "burst", "all_gather_kv", "cqs_sharded"}) {
    const Plan plan = make_plan(algorithm, problem, options);
    EXPECT_EQ(check(plan), std::nullopt) << algorithm;
    for (const Step& step : plan.workers[1].steps)
      for (const Transfer& sent : step.sends)
        if (is_gradient(sent.what)) {
          EXPECT_EQ(sent.bytes, 4 * 2 * 8 * 2) << algorithm;
        }
  }
  EXPECT_THROW((void)make_plan("cqs", problem, options), Unsupported);
  const StrategyOptions two{.workers = 2, .pass = Pass::backward, .gradients = DType::bf16};
  EXPECT_THAT([&] { (void)make_plan("ulysses", problem, two); },
              testing::ThrowsMessage<Unsupported>(testing::HasSubstr("whole gradients")));
  EXPECT_THROW((void)make_plan("ring", problem, {.workers = 4, .gradients = DType::bf16}),
               UsageError);
}

TEST(Backward, BurstSendsQueriesAndLeavesKeysWhereTheyAre) {
  const Problem problem = make_problem({1, 8, 2, 16, 16, 32, 32}, MaskKind::causal, DType::f16, 1);
  const Plan plan = backward_plan("burst", problem, 4);
  EXPECT_THAT(sent_by(plan.workers[1]),
              ElementsAre(TensorRole::q, TensorRole::d_out, TensorRole::lse, TensorRole::delta,
                          TensorRole::d_q));
  const Work work = model_work(plan, Kernel::flash);
  for (const WorkerWork& worker : work.workers) {
    // 4 queries, 8 heads: Q and dO of 32 elements, LSE, D, and dQ.
    EXPECT_EQ(worker.steps[0].bytes_out, 4 * 8 * (2 * 32 * 2 + 2 * 4 + 32 * 4));
    EXPECT_EQ(worker.steps[3].bytes_out, 4 * 8 * 32 * 4);
  }
  const Plan forward = make_plan("burst", problem, {.workers = 4});
  EXPECT_THAT(sent_by(forward.workers[1]), ElementsAre(TensorRole::k, TensorRole::v));
}

TEST(Backward, BurstHasTheForwardPassOfZigzag) {
  const Problem problem = square_problem(50, MaskKind::causal);
  const Plan burst = make_plan("burst", problem, {.workers = 4});
  const Plan zigzag = make_plan("zigzag", problem, {.workers = 4});
  EXPECT_EQ(burst.q_groups, zigzag.q_groups);
  EXPECT_EQ(burst.kv_groups, zigzag.kv_groups);
  EXPECT_EQ(burst.group_lists, zigzag.group_lists);
  for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(burst.workers[w], zigzag.workers[w]) << w;
  for (const Strategy& strategy : strategies())
    EXPECT_EQ(has_own_forward_pass(strategy.name), strategy.name != "burst") << strategy.name;
}

// Burst and the ring send as much, but for the statistics, where 3 NKV is about 2 NH.
TEST(Backward, BurstSendsLessThanARingUnlessKeyValueHeadsAreShared) {
  const auto sent = [](const char* algorithm, std::int64_t kv_heads) {
    const Shape shape{1, 8, kv_heads, 1024, 1024, 64, 64};
    const Problem problem = make_problem(shape, MaskKind::full, DType::bf16, 1);
    return model_work(backward_plan(algorithm, problem, 8), Kernel::flash).sent_bytes_max;
  };
  EXPECT_LT(sent("burst", 8), sent("zigzag", 8));
  EXPECT_GT(sent("burst", 4), sent("zigzag", 4));
}

TEST(Backward, UlyssesSendsDOThereAndWholeGradientsBack) {
  const Problem problem = make_problem({1, 8, 4, 64, 64, 16, 16}, MaskKind::full, DType::bf16, 1);
  const Plan plan = backward_plan("ulysses", problem, 4);
  EXPECT_THAT(sent_by(plan.workers[3]),
              ElementsAre(TensorRole::d_out, TensorRole::d_q, TensorRole::d_k, TensorRole::d_v));
  EXPECT_EQ(plan.gradients, DType::bf16);
  EXPECT_EQ(plan.workers[3].saved, (Range{6, 8}));
  const Work work = model_work(plan, Kernel::flash);
  // Each of three others gets 16 tokens of 2 query heads, and of 1 key-value head for dK and dV.
  EXPECT_EQ(work.workers[2].steps[0].bytes_out, 3 * 16 * 2 * 16 * 2);
  EXPECT_EQ(work.workers[2].steps[1].bytes_out, 3 * 16 * (2 + 1 + 1) * 16 * 2);
  EXPECT_EQ(work.critical_path_pairs, 64 * 64 / 4);
}

TEST(Backward, AllGatherReturnsTheSumsOfForeignKeys) {
  const Problem problem = make_problem({1, 4, 2, 40, 40, 16, 16}, MaskKind::full, DType::f16, 1);
  const Work work = model_work(backward_plan("all_gather_kv", problem, 5), Kernel::flash);
  for (const WorkerWork& worker : work.workers) {
    EXPECT_EQ(worker.steps[0].bytes_out, 4 * 8 * 2 * 2 * 16 * 2);
    EXPECT_EQ(worker.steps[1].bytes_out, 4 * 8 * 2 * 2 * 16 * 4);
  }
}

TEST(Backward, AllGatherOfPackedSequencesReturnsOnlyWhatItCollected) {
  const Problem problem = make_packed_problem({1, 1, 1, 0, 0, 8, 8}, MaskKind::causal, DType::f32,
                                              1, {{0, 8}, {0, 8}, {0, 16}});
  const Work work = model_work(backward_plan("all_gather_kv", problem, 4), Kernel::flash);
  // Workers 0 and 1 have a sequence each, and the last two share the third.
  EXPECT_EQ(work.workers[0].bytes_out, 0);
  EXPECT_EQ(work.workers[1].bytes_out, 0);
  EXPECT_EQ(work.workers[2].bytes_out, 2 * 8 * 8 * 4) << "its keys and values to worker 3";
  EXPECT_EQ(work.workers[3].bytes_out, 2 * 8 * 8 * 4) << "their gradients back";
}

TEST(Backward, CqsScattersInputsAndGathersSums) {
  const Problem problem = make_problem({1, 4, 2, 70, 70, 16, 16}, MaskKind::full, DType::f16, 1);
  const Plan plan = backward_plan("cqs", problem, 7);
  EXPECT_EQ(plan.result, Result::root);
  EXPECT_FALSE(communicates(plan));
  // Each worker has 3 of 7 groups: 30 tokens of 4 query heads and 2 key-value heads.
  for (const WorkerWork& worker : model_work(plan, Kernel::flash).workers) {
    EXPECT_EQ(worker.bytes_from_root, 30 * (4 * (2 * 16 * 2 + 2 * 4) + 2 * 2 * 16 * 2));
    EXPECT_EQ(worker.bytes_out, 30 * (4 + 2 * 2) * 16 * 4);
  }
}

}  // namespace
}  // namespace qb
