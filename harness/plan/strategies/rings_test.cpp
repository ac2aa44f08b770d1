// SPDX-License-Identifier: Apache-2.0
// Compares published properties of the strategies with their plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "harness/plan/check/check.h"
#include "harness/plan/testing/random_plans.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::HasSubstr;
using testing_support::for_random_plans;
using testing_support::square_problem;

Work work_of(const Plan& plan) { return model_work(plan, Kernel::flash); }

Plan plan_of(std::string_view algorithm, std::int64_t n, int workers,
             MaskKind mask = MaskKind::causal) {
  return make_plan(algorithm, square_problem(n, mask), {workers, {}});
}

TEST(Strategies, EveryPlanIsAnExactCoverByBothCheckers) {
  std::map<std::string, int> seen;
  (void)for_random_plans(1500, [&](const Plan& plan, std::mt19937_64&) {
    ++seen[plan.algorithm];
    ASSERT_EQ(check(plan), std::nullopt);
    ASSERT_TRUE(testing_support::covers_exactly_once(plan));
    ASSERT_EQ(work_of(plan).unmasked_pairs, unmasked_pairs(plan.problem));
  });
  EXPECT_EQ(seen.size(), strategies().size());
  for (const auto& [algorithm, count] : seen) EXPECT_GT(count, 10) << algorithm;
}

TEST(Rings, CriticalPathsAreThePublishedOnes) {
  for (const std::int64_t c : {2, 8, 64}) {
    for (const int w : {1, 2, 4, 7}) {
      const std::int64_t n = c * w;
      const std::int64_t diagonal = c * (c + 1) / 2;
      EXPECT_EQ(work_of(plan_of("ring", n, w)).critical_path_pairs, diagonal + (w - 1) * c * c);
      EXPECT_EQ(work_of(plan_of("striped", n, w)).critical_path_pairs, w * diagonal);
      EXPECT_EQ(work_of(plan_of("zigzag", n, w)).critical_path_pairs,
                diagonal + (w - 1) * c * c / 2);
    }
  }
}

// Uses brute force over global positions, with sizes that do not divide.
TEST(Rings, CriticalPathsAreExactWhereTokensDoNotDivide) {
  for (const char* algorithm : {"ring", "striped", "zigzag"}) {
    for (const std::int64_t n : {1, 5, 29, 101}) {
      const Plan plan = plan_of(algorithm, n, 4);
      std::int64_t expected = 0;
      for (std::size_t round = 0; round < 4; ++round) {
        std::int64_t slowest = 0;
        for (const Worker& worker : plan.workers.all()) {
          std::int64_t pairs = 0;
          for (const PairTask& task : worker.steps[round].tasks) {
            const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
            const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
            for (std::int64_t i = 0; i < q.count; ++i)
              for (std::int64_t j = 0; j < k.count; ++j) pairs += k.token(j) <= q.token(i) ? 1 : 0;
          }
          slowest = std::max(slowest, pairs);
        }
        expected += slowest;
      }
      EXPECT_EQ(work_of(plan).critical_path_pairs, expected) << algorithm << " N = " << n;
    }
  }
}

TEST(Rings, StripedBalancesEveryRoundAndRingDoesNot) {
  const Work ring = work_of(plan_of("ring", 64, 4));
  EXPECT_EQ(ring.workers[0].steps[1].unmasked_pairs, 0);
  EXPECT_EQ(ring.workers[3].steps[1].unmasked_pairs, 256);
  const Work striped = work_of(plan_of("striped", 64, 4));
  for (const WorkerWork& worker : striped.workers)
    for (const StepWork& step : worker.steps)
      EXPECT_THAT(step.unmasked_pairs, testing::AnyOf(16 * 17 / 2, 16 * 15 / 2));
  const Work zigzag = work_of(plan_of("zigzag", 64, 4));
  for (const WorkerWork& worker : zigzag.workers)
    for (std::size_t round = 1; round < 4; ++round)
      EXPECT_EQ(worker.steps[round].unmasked_pairs, 128);
}

TEST(Rings, AHopCarriesKeysAndValuesOfTheLongestShard) {
  const Problem problem = make_problem({2, 6, 3, 10, 10, 16, 16}, MaskKind::causal, DType::bf16, 1);
  const Work work = work_of(make_plan("ring", problem, {4, {}}));
  // 3 tokens, K and V, 2 sequences, 3 key-value heads, 16 elements of 2 bytes.
  for (const WorkerWork& worker : work.workers) {
    EXPECT_EQ(worker.steps[0].bytes_out, 2 * 3 * 2 * 3 * 16 * 2);
    EXPECT_EQ(worker.bytes_out, 3 * worker.steps[0].bytes_out);
    EXPECT_EQ(worker.steps[3].bytes_out, 0);
  }
  EXPECT_EQ(work.bytes_total, 4 * work.sent_bytes_max);
}

TEST(PassQ, AHopCarriesQueriesAndTheEndBringsPartialsHome) {
  const Problem problem = make_problem({1, 8, 2, 16, 80, 32, 32}, MaskKind::causal, DType::f16, 1);
  const Work work = work_of(make_plan("pass_q", problem, {4, {}}));
  const WorkerWork& worker = work.workers[1];
  EXPECT_EQ(worker.steps[0].bytes_out, 4 * 8 * 32 * 2);
  EXPECT_EQ(worker.steps[3].bytes_out, 3 * 4 * 8 * (32 + 1) * 4);
  EXPECT_EQ(worker.kv_tokens, 20);
}

TEST(ZigzagAndPassKv, AreOnePlanWithTwoNames) {
  const Problem problem = make_problem({1, 2, 1, 24, 100, 8, 8}, MaskKind::causal, DType::f32, 1);
  const Work zigzag = work_of(make_plan("zigzag", problem, {5, {}}));
  const Plan pass_kv = make_plan("pass_kv", problem, {5, {}});
  EXPECT_EQ(pass_kv.algorithm, "pass_kv");
  EXPECT_EQ(work_of(pass_kv).critical_path_pairs, zigzag.critical_path_pairs);
  EXPECT_EQ(work_of(pass_kv).bytes_total, zigzag.bytes_total);
  // L = max P_i + ceil(T / W): 16 + 5 tokens, since 76 cached ones are dealt in ten chunks.
  EXPECT_EQ(zigzag.workers[0].steps[0].bytes_out, (16 + 5) * 2 * 8 * 4);
}

TEST(Ulysses, MovesTheSharesOfTheHeadsAndSaysWhyItCannot) {
  const Problem problem = make_problem({1, 8, 4, 64, 64, 16, 16}, MaskKind::full, DType::f32, 1);
  const Work work = work_of(make_plan("ulysses", problem, {4, {}}));
  // Each of three others gets 16 tokens of 2 query heads and 1 key-value head, K and V.
  EXPECT_EQ(work.workers[2].steps[0].bytes_out, 3 * 16 * (2 + 1 + 1) * 16 * 4);
  EXPECT_EQ(work.workers[2].steps[1].bytes_out, 3 * 16 * 2 * (16 + 1) * 4);
  EXPECT_EQ(work.critical_path_pairs, 64 * 64 / 4);
  try {
    (void)make_plan("ulysses", problem, {3, {}});
    FAIL();
  } catch (const Unsupported& reason) {
    EXPECT_THAT(reason.what(),
                HasSubstr("8 query heads on 4 key-value heads are not dealt so to 3"));
  }
}

// 33 heads on 8 workers, which published systems pad to 40: the busiest has 5, as a padded one has,
// and nobody sends what is not there. 4 key-value heads on 8 workers: each is sent to two.
TEST(Ulysses, CountsHeadsThatDoNotDivideAndKeyValueHeadsThatAreReplicated) {
  const auto planned = [](std::int64_t q_heads, std::int64_t kv_heads, Pass pass) {
    const Problem problem =
        make_problem({1, q_heads, kv_heads, 64, 64, 16, 16}, MaskKind::causal, DType::bf16, 1);
    Plan plan = make_plan("ulysses", problem, {.workers = 8, .pass = pass});
    EXPECT_EQ(check(plan), std::nullopt);
    return plan;
  };
  const Work uneven = work_of(planned(33, 33, Pass::forward));
  EXPECT_EQ(uneven.critical_path_pairs, (64 * 65 / 2 * 5 + 32) / 33);
  EXPECT_EQ(uneven.workers[0].steps[0].bytes_out, 8 * (33 - 4) * 3 * 16 * 2);
  const Work copied = work_of(planned(8, 4, Pass::forward));
  EXPECT_EQ(copied.workers[0].steps[0].bytes_out, 8 * 7 * (1 + 2) * 16 * 2);
  EXPECT_EQ(planned(8, 4, Pass::backward).gradients, DType::f32) << "parts of a sum";
  EXPECT_EQ(planned(8, 8, Pass::backward).gradients, DType::bf16);
}

TEST(CqsSharded, MovesFewerBytesThanARingOfManyWorkers) {
  const Work ring = work_of(plan_of("ring", 31 * 64, 31, MaskKind::full));
  const Work cqs = work_of(plan_of("cqs_sharded", 31 * 64, 31, MaskKind::full));
  EXPECT_LT(cqs.sent_bytes_max, ring.sent_bytes_max);
  EXPECT_NEAR(static_cast<double>(cqs.critical_path_pairs), 31.0 * 64 * 64, 1.0);
}

TEST(Decode, CachesGrowEvenlyOnlyRoundRobin) {
  const Shape shape{1, 2, 1, 0, 0, 8, 8};
  const Problem problem =
      make_packed_problem(shape, MaskKind::causal, DType::f32, 1, {{12, 6}, {12, 6}});
  const auto growth = [&](NewKeyOwner owner) {
    StrategyOptions options;
    options.workers = 3;
    options.new_key_owner = owner;
    const Work work = work_of(make_plan("decode", problem, options));
    std::vector<std::int64_t> tokens;
    for (const WorkerWork& worker : work.workers)
      tokens.push_back(worker.steps.back().kv_tokens - worker.steps.front().kv_tokens);
    return tokens;
  };
  // Two of the twelve new tokens exist from the first step on.
  EXPECT_THAT(growth(NewKeyOwner::round_robin), testing::ElementsAre(3, 3, 4));
  EXPECT_THAT(growth(NewKeyOwner::fixed), testing::ElementsAre(5, 5, 0));
}

TEST(Decode, PadsQueriesToAMultipleOfTheWorkers) {
  const Shape shape{1, 2, 1, 0, 0, 8, 8};
  const Problem problem = make_packed_problem(shape, MaskKind::causal, DType::f32, 1,
                                              {{9, 1}, {30, 1}, {0, 1}, {2, 1}, {7, 1}});
  const Plan plan = make_plan("decode", problem, {3, {}});
  const Work work = work_of(plan);
  for (const WorkerWork& worker : work.workers)  // padded to two sequences each
    EXPECT_EQ(worker.steps[0].bytes_out, 2 * 2 * 8 * 4);
}

TEST(Decode, SeveralStepsUnderAFullMaskAreRefused) {
  const Shape shape{1, 1, 1, 0, 0, 8, 8};
  EXPECT_THROW(
      (void)make_plan("decode", make_packed_problem(shape, MaskKind::full, DType::f32, 1, {{4, 2}}),
                      {2, {}}),
      Unsupported);
}

TEST(FlashDecoding, SplitsOnlyAsFarAsProcessorsAreIdle) {
  EXPECT_EQ(flash_decoding_splits(108, 108, 100, 128), 1);  // every processor has a head
  EXPECT_EQ(flash_decoding_splits(1, 4, 100, 128), 4);
  EXPECT_EQ(flash_decoding_splits(1, 4, 2, 128), 2);      // at most one per key block
  EXPECT_EQ(flash_decoding_splits(1, 1000, 1000, 5), 5);  // at most as many as asked for
  EXPECT_EQ(flash_decoding_splits(1, 4, 0, 128), 1);
  // 48 units on 108 processors: 2 splits make one wave of 96.
  EXPECT_EQ(flash_decoding_splits(48, 108, 100, 128), 2);
  // Four fifths of the processors are busy enough.
  EXPECT_EQ(flash_decoding_splits(87, 108, 100, 128), 1);
  EXPECT_EQ(flash_decoding_splits(86, 108, 100, 128), 5);
  // The fewest splits within 85 % of the best, which is 128 in the first case: 108.8.
  EXPECT_EQ(flash_decoding_splits(1, 1000, 1000, 128), 109);
  EXPECT_EQ(flash_decoding_splits(24, 108, 100, 128), 4);
  EXPECT_EQ(flash_decoding_splits(4, 108, 1000, 128), 23);
  EXPECT_EQ(flash_decoding_splits(10, 108, 9, 128), 8);
}

TEST(TreeDecode, SumsOverABinomialTree) {
  const Problem problem = make_problem({1, 4, 4, 1, 700, 16, 16}, MaskKind::causal, DType::f32, 1);
  const Work work = work_of(make_plan("tree_decode", problem, {7, {}}));
  // Worker 6 sends up once in each of three all-reduces and hands nothing down.
  EXPECT_EQ(work.workers[6].bytes_out, 4 * 4 * (1 + 1 + 16));
  EXPECT_EQ(work.workers[0].bytes_out, 3 * work.workers[6].bytes_out);
  EXPECT_EQ(work.workers[3].steps[0].unmasked_pairs, 100);
}

TEST(AllGather, SendsAsMuchAsARing) {
  const Work ring = work_of(plan_of("ring", 4096, 16));
  const Work gathered = work_of(plan_of("all_gather_kv", 4096, 16));
  EXPECT_EQ(gathered.sent_bytes_max, ring.sent_bytes_max);
}

TEST(Rings, AThousandWorkersAreModelled) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr int kWorkers = 200;  // a thousand, with a million steps, would take half a minute
#else
  constexpr int kWorkers = 1024;
#endif
  const Plan plan = plan_of("ring", 1'000'003, kWorkers);
  EXPECT_EQ(check(plan), std::nullopt);
  const Work work = work_of(plan);
  EXPECT_EQ(work.unmasked_pairs, 1'000'003LL * 1'000'004 / 2);
}

// The check must name each damage.
TEST(CheckFlow, NamesTheFirstOffender) {
  Plan plan = plan_of("ring", 40, 4);
  plan.workers[2].steps[1].sends.pop_back();
  EXPECT_THAT(check(plan).value(), HasSubstr("V of"));
  plan = plan_of("ring", 40, 4);
  plan.workers[2].steps[2].receives.clear();
  EXPECT_THAT(check(plan).value(), HasSubstr("worker 2 step 2: computes with key group"));
  plan = plan_of("ring", 40, 4);
  plan.workers[0].steps[1].sends[0].groups = 2;
  EXPECT_THAT(check(plan).value(), HasSubstr("worker 0 step 1: sends K of group 2"));
  plan = plan_of("pass_q", 40, 4, MaskKind::full);
  plan.workers[1].steps[3].sends.pop_back();
  plan.workers[2].steps[4].receives.clear();
  EXPECT_THAT(check(plan).value(), HasSubstr("reaches its owner 0 times"));
  plan = plan_of("tree_decode", 40, 4, MaskKind::full);
  for (Transfer& t : plan.workers[0].steps[1].receives) t.peer = 3;
  for (Transfer& t : plan.workers[1].steps[0].sends) t.peer = 2;
  EXPECT_NE(check(plan), std::nullopt);
  plan = plan_of("ulysses", 40, 1, MaskKind::full);
  plan.workers[0].steps[1].sends.clear();
  plan.workers[0].steps[2].receives.clear();
  EXPECT_THAT(check(plan).value(), HasSubstr("reaches its owner 0 times"));
}

}  // namespace
}  // namespace qb
