// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/status.h"
#include "harness/forecast/testing/constant_rate_device.h"

namespace qb {
namespace {

constexpr std::int64_t kHeadDim = 64;
constexpr double kPairsPerS = 1e9;
constexpr Kernel kExact = Kernel::reference;

SchemeQuestion question_of(std::int64_t n_tokens, int workers, double byte_per_s,
                           MaskKind mask = MaskKind::causal, std::int64_t heads = 8) {
  const Shape shape{1, heads, heads, n_tokens, n_tokens, kHeadDim, kHeadDim};
  return {.problem = make_problem(shape, mask, DType::f32, 1),
          .workers = workers,
          .device = constant_rate_device(kExact, DType::f32, kHeadDim, 4.0 * kHeadDim * kPairsPerS),
          .link = LinkLimit{byte_per_s, 0.0},
          .kernel = kExact};
}

const SchemeForecast& winner_at(SchemeQuestion question, double byte_per_s,
                                std::vector<SchemeForecast>& keep) {
  question.link->bandwidth_byte_per_s = byte_per_s;
  keep = ranking(PlannedSchemes(question).forecast());
  return keep.front();
}

TEST(Advise, AFreeLinkUnderACausalMaskTakesABalancedSchemeOverTheRing) {
  constexpr double kC = 512;
  constexpr int kWorkers = 8;
  const Advice advice =
      advise(question_of(static_cast<std::int64_t>(kC) * kWorkers, kWorkers, 1e18));
  ASSERT_NE(advice.winner(), nullptr);
  EXPECT_NE(advice.winner()->scheme, "ring");
  const double diagonal = kC * (kC + 1) / 2;
  const double ring = diagonal + (kWorkers - 1) * kC * kC;
  const double zigzag = diagonal + (kWorkers - 1) * kC * kC / 2;
  EXPECT_NEAR(advice.find("ring")->wall_s, 8 * ring / kPairsPerS, 1e-6);
  EXPECT_NEAR(advice.find("pass_kv")->wall_s, 8 * zigzag / kPairsPerS, 1e-6);
  EXPECT_NEAR(advice.find("ulysses")->wall_s, 8 * zigzag / kPairsPerS, 1e-6);
  EXPECT_NEAR(advice.winner()->wall_s, 8 * zigzag / kPairsPerS, 1e-6);
  EXPECT_NEAR(advice.find("ring")->critical_path_ratio, ring / zigzag, 1e-9);
  EXPECT_EQ(limit_of(*advice.winner()), Limit::compute);
  EXPECT_FALSE(advice.bandwidth.above);
}

TEST(Advise, ASlowLinkTakesTheSchemeThatSendsLeast) {
  for (const std::int64_t heads : {1, 13}) {
    const Advice advice = advise(question_of(1300, 13, 1e3, MaskKind::full, heads));
    ASSERT_NE(advice.winner(), nullptr);
    EXPECT_EQ(advice.winner()->scheme, heads == 1 ? "cqs_sharded" : "ulysses");
    for (const SchemeForecast& scheme : advice.schemes)
      if (scheme.ranked() && scheme.scheme != "cqs") {  // its root sends, not its workers
        EXPECT_GE(scheme.sent_bytes, advice.winner()->sent_bytes) << scheme.scheme;
      }
    EXPECT_EQ(limit_of(*advice.winner()), Limit::link);
    EXPECT_FALSE(advice.bandwidth.below);
    ASSERT_TRUE(advice.splitting_pays_above_byte_per_s);
    EXPECT_LT(advice.base()->wall_s, advice.winner()->wall_s);
  }
}

TEST(Advise, TheBandwidthOfAChangeSeparatesTheTwoWinners) {
  int changes = 0;
  for (const std::int64_t heads : {1, 13})
    for (const double byte_per_s : {1e6, 1e8, 1e10}) {
      const SchemeQuestion question = question_of(2600, 13, byte_per_s, MaskKind::causal, heads);
      const Advice advice = advise(question);
      const std::string winner = advice.winner()->scheme;
      for (const auto& [change, beyond] : {std::pair{advice.bandwidth.below, 1.0 / 1.0001},
                                           std::pair{advice.bandwidth.above, 1.0001}}) {
        if (!change) continue;
        ++changes;
        std::vector<SchemeForecast> keep;
        const auto wall_s = [&](std::string_view scheme) {
          return std::find_if(keep.begin(), keep.end(),
                              [&](const SchemeForecast& f) { return f.scheme == scheme; })
              ->wall_s;
        };
        EXPECT_EQ(winner_at(question, change->at * beyond, keep).scheme, change->scheme)
            << heads << " heads at " << byte_per_s;
        EXPECT_LT(wall_s(change->scheme), wall_s(winner));
        EXPECT_NE(winner_at(question, change->at / beyond, keep).scheme, change->scheme)
            << heads << " heads at " << byte_per_s;
        EXPECT_LE(wall_s(winner), wall_s(change->scheme) * (1.0 + 1e-9));
      }
    }
  EXPECT_GE(changes, 4);
}

TEST(Advise, SplittingPaysFromWhereItIsAsFastAsOneWorker) {
  for (const double byte_per_s : {1e3, 1e12}) {
    const SchemeQuestion question = question_of(1024, 4, byte_per_s);
    const Advice advice = advise(question);
    ASSERT_TRUE(advice.splitting_pays_above_byte_per_s) << byte_per_s;
    std::vector<SchemeForecast> keep;
    const double at = *advice.splitting_pays_above_byte_per_s;
    const double dense_s = advice.base()->wall_s;
    EXPECT_LT(winner_at(question, at * 1.001, keep).wall_s, dense_s);
    EXPECT_GT(winner_at(question, at / 1.001, keep).wall_s, dense_s);
  }
}

TEST(Advise, NumbersOfTokensAndWorkersThatChangeTheAnswer) {
  // With eight heads Ulysses sends least, and has no plan for 16 workers.
  const SchemeQuestion question = question_of(1024, 8, 1e8);
  const Advice advice = advise(question);
  ASSERT_EQ(advice.winner()->scheme, "ulysses");
  ASSERT_TRUE(advice.searched_sizes);
  ASSERT_TRUE(advice.workers.above);
  EXPECT_EQ(advice.workers.above->at, 16);
  // Long sequences hide a ring's hops, but no compute hides the all-to-all of Ulysses.
  ASSERT_TRUE(advice.new_tokens.above);
  SchemeQuestion longer =
      question_of(static_cast<std::int64_t>(advice.new_tokens.above->at), 8, 1e8);
  const Advice there = advise(longer);
  EXPECT_EQ(there.winner()->scheme, advice.new_tokens.above->scheme);
  EXPECT_GT(there.find("ulysses")->wall_s, there.winner()->wall_s * (1.0 + kTellsApart));
  longer = question_of(static_cast<std::int64_t>(advice.new_tokens.above->at) * 9 / 10, 8, 1e8);
  const Advice before = advise(longer);
  EXPECT_LE(before.find("ulysses")->wall_s, before.winner()->wall_s * (1.0 + kTellsApart));
}

TEST(Advise, ABudgetThatNothingFitsHasNoWinner) {
  SchemeQuestion question = question_of(1024, 4, 1e9);
  question.memory_budget_bytes = 1024;
  const Advice advice = advise(question);
  EXPECT_EQ(advice.winner(), nullptr);
  EXPECT_EQ(advice.base(), nullptr);
  EXPECT_FALSE(advice.searched_sizes);
}

TEST(Advise, OneWorkerHasNothingToSearch) {
  const Advice advice = advise(question_of(100, 1, 1e9));
  EXPECT_EQ(advice.winner()->scheme, "dense");
  EXPECT_FALSE(advice.searched_bandwidth);
  EXPECT_FALSE(advice.splitting_pays_above_byte_per_s);
  EXPECT_EQ(advice.base(), nullptr);
}

TEST(Advise, SelectorsAreHeldBesideTheModel) {
  // Few new tokens, a long cache and a slow link: both algorithms and the model choose pass-Q.
  SchemeQuestion question = question_of(64, 4, 1e7);
  const auto with_cache = [&](std::int64_t new_tokens, std::int64_t cached) {
    const Shape shape{1, 16, 8, new_tokens, new_tokens + cached, kHeadDim, kHeadDim};
    question.problem = make_problem(shape, MaskKind::causal, DType::f32, 1);
    return advise(question).selectors;
  };
  const auto few = with_cache(64, 8192);
  ASSERT_TRUE(few);
  EXPECT_EQ(few->prefill.compute_flop_per_s, 4.0 * kHeadDim * kPairsPerS);
  EXPECT_EQ(few->prefill.cached_tokens, 8192);
  EXPECT_EQ(few->algorithm_1, RingVariant::pass_q);
  EXPECT_EQ(few->algorithm_5, RingVariant::pass_q);
  EXPECT_EQ(few->faster(), RingVariant::pass_q);
  EXPECT_FALSE(with_cache(64, 0));
  question.link->bandwidth_byte_per_s = 1e15;
  EXPECT_EQ(with_cache(64, 8192)->algorithm_1, RingVariant::pass_kv);
  question.link.reset();
  EXPECT_FALSE(with_cache(64, 8192));  // this device copies in no time
  question.device.copy_byte_per_s.value = 1e9;
  EXPECT_EQ(with_cache(64, 8192)->prefill.link_byte_per_s, 1e9);
}

TEST(Advise, SelectorsAreGivenTheSizesAndTheBestRateOfTheProblem) {
  SchemeQuestion question = question_of(64, 4, 1e7);
  const Shape shape{1, 16, 8, 64, 64 + 1000, kHeadDim, kHeadDim};
  question.problem = make_problem(shape, MaskKind::causal, DType::f32, 1);
  // Only the second rate counts beside the first: the others are of other calls.
  const RatePoint slow = question.device.rates[0];
  const double peak = 2.0 * slow.flop_per_s;
  question.device.rates.assign(5, slow);
  for (std::size_t i = 1; i < 5; ++i)
    question.device.rates[i].flop_per_s = static_cast<double>(2 * i) * slow.flop_per_s;
  for (std::size_t i = 1; i < 5; ++i) question.device.rates[i].queries = static_cast<int>(i) * 100;
  question.device.rates[2].kernel = Kernel::flash;
  question.device.rates[3].dtype = DType::bf16;
  question.device.rates[4].head_dim = 2 * kHeadDim;
  const auto prefill = [&] { return advise(question).selectors->prefill; };
  const Prefill asked = prefill();
  EXPECT_EQ(asked.new_tokens, 64);
  EXPECT_EQ(asked.cached_tokens, 1000);
  EXPECT_EQ(asked.workers, 4);
  EXPECT_EQ(asked.q_heads, 16);
  EXPECT_EQ(asked.kv_heads, 8);
  EXPECT_EQ(asked.element_bytes, 4);
  EXPECT_EQ(asked.compute_flop_per_s, peak);
  EXPECT_EQ(asked.link_byte_per_s, 1e7);
  // Over a link every worker has a device; in one memory they share its cores.
  question.device.cores.value = 3.0;
  EXPECT_EQ(prefill().compute_flop_per_s, peak);
  question.link.reset();
  question.device.copy_byte_per_s.value = 1e9;
  EXPECT_EQ(prefill().compute_flop_per_s, peak * 3 / 4);
  question.device.cores.value = 8.0;
  EXPECT_EQ(prefill().compute_flop_per_s, peak) << "each worker has one thread";
  question.device.cores.value = 0.0;  // unknown
  EXPECT_EQ(prefill().compute_flop_per_s, peak);
}

TEST(Advise, TheLargestPartOfTheTimeIsTheLimit) {
  SchemeForecast f;
  f.compute_s = 1.0;
  f.mean_compute_s = 0.9;
  f.exposed_s = 0.5;
  f.idle_s = 0.1;
  EXPECT_EQ(limit_of(f), Limit::compute);
  f.idle_s = 0.9;
  EXPECT_EQ(limit_of(f), Limit::imbalance);
  f.exposed_s = 1.1;
  EXPECT_EQ(limit_of(f), Limit::link);
}

TEST(Advise, OfEqualPartsTheLinkIsTheLimitAndThenTheImbalance) {
  SchemeForecast f;
  f.compute_s = 1.0;
  f.mean_compute_s = 0.75;
  f.idle_s = 0.5;  // with 0.25 of compute that is more than an even share
  EXPECT_EQ(limit_of(f), Limit::imbalance);
  f.exposed_s = 0.75;
  EXPECT_EQ(limit_of(f), Limit::link);
  f.exposed_s = 0.625;
  EXPECT_EQ(limit_of(f), Limit::imbalance);
  f.idle_s = 0.375;
  f.exposed_s = 0.5;
  EXPECT_EQ(limit_of(f), Limit::compute);
  // The worker that ends last may compute less than an even share.
  f.mean_compute_s = 2.0;
  f.idle_s = 0.75;
  EXPECT_EQ(limit_of(f), Limit::compute);
}

TEST(Advise, RefusesMoreWorkersThanPlansCanHave) {
  EXPECT_THROW((void)advise(question_of(8192, kMostWorkers + 1, 1e9)), UsageError);
}

}  // namespace
}  // namespace qb
