// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/scheme_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/status.h"
#include "harness/forecast/testing/constant_rate_device.h"
#include "harness/plan/testing/brute_force.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kForecastHeadDim = 64;
constexpr double kForecastPairsPerS = 1e9;
// `reference` computes only the unmasked pairs.
constexpr Kernel kForecastKernel = Kernel::reference;

SchemeQuestion question_of(std::int64_t n_tokens, int workers, MaskKind mask = MaskKind::full,
                           std::int64_t heads = 8, std::int64_t cached = 0) {
  const Shape shape{
      1, heads, heads, n_tokens, n_tokens + cached, kForecastHeadDim, kForecastHeadDim};
  return {.problem = make_problem(shape, mask, DType::f32, 1),
          .workers = workers,
          .device = constant_rate_device(kForecastKernel, DType::f32, kForecastHeadDim,
                                         4.0 * kForecastHeadDim * kForecastPairsPerS),
          .link = LinkLimit{1e9, 1e-6},
          .kernel = kForecastKernel};
}

SchemeForecast find(const std::vector<SchemeForecast>& forecasts, const std::string& scheme) {
  for (const SchemeForecast& forecast : forecasts)
    if (forecast.scheme == scheme) return forecast;
  ADD_FAILURE() << "no " << scheme;
  return {};
}

std::vector<std::string> names(const std::vector<SchemeForecast>& forecasts) {
  std::vector<std::string> list;
  for (const SchemeForecast& forecast : forecasts) list.push_back(forecast.scheme);
  return list;
}

TEST(SchemeForecast, HasEverySchemeOnceAndDecodersForFewTokensOnly) {
  const auto many = PlannedSchemes(question_of(1000, 4)).forecast();
  EXPECT_THAT(names(many),
              testing::UnorderedElementsAre("dense", "cqs", "cqs_sharded", "ring", "striped",
                                            "zigzag", "pass_q", "ulysses", "all_gather_kv",
                                            "usp 2x1x2", "mesh 1x2x2", "grid 2x2x1"));
  EXPECT_EQ(find(many, "zigzag").alias, "pass_kv");
  SchemeQuestion few = question_of(kFewNewTokens, 4, MaskKind::causal, 8, 1000);
  const auto decoding = PlannedSchemes(few).forecast();
  EXPECT_TRUE(find(decoding, "decode").has_plan());
  EXPECT_TRUE(find(decoding, "tree_decode").has_plan());
  EXPECT_TRUE(find(decoding, "helix").has_plan());
  EXPECT_THAT(find(decoding, "flash_decoding").unsupported, HasSubstr("on one device"));
  few.link.reset();
  EXPECT_TRUE(find(PlannedSchemes(few).forecast(), "flash_decoding").has_plan());
}

// Of 16 workers on two hosts of eight: with a NIC a worker each sends one chunk between hosts in a
// window's time, where the ring's one worker sends 15 one after another; one NIC a host takes the
// same eight chunks in a row.
TEST(SchemeForecast, ADoubleRingNeedsANicForEachWorker) {
  const auto gain = [](int nics) {
    SchemeQuestion question = question_of(16 * 1024, 16);
    question.device = constant_rate_device(kForecastKernel, DType::f32, kForecastHeadDim, 1e18);
    question.hosts = {.workers_per_host = 8, .inside = {1e13, 0.0}, .nics = nics};
    const auto forecasts = PlannedSchemes(question).forecast();
    return find(forecasts, "zigzag").wall_s / find(forecasts, "double_ring").wall_s;
  };
  EXPECT_GT(gain(0), 8.0);
  EXPECT_GT(gain(1), 1.0);
  EXPECT_LT(gain(1), 2.0);
}

TEST(SchemeForecast, OfABackwardPassHasBurstAndSaysWhichSchemesHaveNone) {
  for (const Passes passes : {Passes::backward, Passes::both}) {
    SchemeQuestion question = question_of(1000, 4, MaskKind::causal);
    question.passes = passes;
    const auto forecasts = PlannedSchemes(question).forecast();
    EXPECT_THAT(names(forecasts),
                testing::UnorderedElementsAre(
                    "dense", "cqs", "cqs_sharded", "ring", "striped", "zigzag", "burst", "pass_q",
                    "ulysses", "all_gather_kv", "usp 2x1x2", "mesh 1x2x2", "grid 2x2x1"));
    for (const SchemeForecast& f : forecasts)
      EXPECT_EQ(
          f.unsupported,
          f.scheme == "pass_q"
              ? "pass_q has no backward pass; take an algorithm that has one, such as ring or "
                "burst"
              : "");
  }
}

TEST(SchemeForecast, OfBothPassesIsTheSumAndTheLargerMemory) {
  SchemeQuestion question = question_of(1000, 4, MaskKind::causal);
  question.device.merge_byte_per_s.value = 1e9;
  question.device.copy_byte_per_s.value = 2e9;
  const auto of = [&](Passes passes) {
    question.passes = passes;
    return PlannedSchemes(question).forecast();
  };
  const auto forward = of(Passes::forward);
  const auto backward = of(Passes::backward);
  for (const SchemeForecast& both : of(Passes::both)) {
    if (!both.has_plan() || both.scheme == "burst") continue;
    SCOPED_TRACE(both.scheme);
    const SchemeForecast first = find(forward, both.scheme);
    const SchemeForecast second = find(backward, both.scheme);
    EXPECT_DOUBLE_EQ(both.wall_s, first.wall_s + second.wall_s);
    EXPECT_DOUBLE_EQ(both.mean_compute_s, first.mean_compute_s + second.mean_compute_s);
    EXPECT_NEAR(both.compute_s + both.idle_s + both.exposed_s, both.wall_s, 1e-9 * both.wall_s);
    EXPECT_LE(both.sent_bytes, first.sent_bytes + second.sent_bytes);
    EXPECT_GE(both.sent_bytes, std::max(first.sent_bytes, second.sent_bytes));
    EXPECT_EQ(both.memory_bytes, std::max(first.memory_bytes, second.memory_bytes));
    EXPECT_EQ(both.critical_path_pairs, first.critical_path_pairs + second.critical_path_pairs);
    EXPECT_NEAR(both.critical_path_ratio, first.critical_path_ratio, 1e-9);
  }
}

TEST(SchemeForecast, BurstIsFasterThanTheRingWhereKeysHaveAsManyHeadsAsQueries) {
  SchemeQuestion question = question_of(8192, 8);
  question.passes = Passes::backward;
  question.link = LinkLimit{1e7, 0.0};  // nothing but bytes counts
  const auto wall = [&](const char* scheme) {
    return find(PlannedSchemes(question).forecast(), scheme).wall_s;
  };
  EXPECT_LT(wall("burst"), wall("zigzag"));
  question.problem.shape.kv_heads = 2;
  EXPECT_GT(wall("burst"), wall("zigzag"));
}

TEST(SchemeForecast, ABatchIsPackedToBeDecoded) {
  SchemeQuestion question = question_of(1, 4, MaskKind::causal, 2, 1000);
  question.problem.shape.batch = 3;
  const SchemeForecast decode = find(PlannedSchemes(question).forecast(), "decode");
  EXPECT_EQ(decode.unsupported, "");
  EXPECT_GT(decode.wall_s, 0.0);
}

TEST(SchemeForecast, PartsAddUpToThePredictedTime) {
  for (const MaskKind mask : {MaskKind::full, MaskKind::causal})
    for (const std::int64_t n_tokens : {7, 700, 4096})
      for (const bool linked : {true, false}) {
        SchemeQuestion question = question_of(n_tokens, 8, mask);
        if (!linked) question.link.reset();
        question.device.merge_byte_per_s.value = 1e9;
        question.device.copy_byte_per_s.value = 2e9;
        for (const SchemeForecast& f : PlannedSchemes(question).forecast()) {
          if (!f.has_plan()) continue;
          EXPECT_NEAR(f.compute_s + f.idle_s + f.exposed_s, f.wall_s, 1e-9 * f.wall_s)
              << f.scheme << " " << n_tokens;
        }
      }
}

TEST(SchemeForecast, ASchemeWithoutAPlanSaysWhy) {
  const auto forecasts = PlannedSchemes(question_of(1000, 9)).forecast();
  EXPECT_THAT(find(forecasts, "ulysses").unsupported, HasSubstr("are not dealt so to 9 workers"));
  EXPECT_FALSE(find(forecasts, "ulysses").ranked());
  // With more workers than tokens groups are empty, but quorums need one token per group.
  const auto few = PlannedSchemes(question_of(5, 8)).forecast();
  EXPECT_THAT(find(few, "cqs").unsupported, HasSubstr("at least as many tokens"));
  EXPECT_TRUE(find(few, "ring").ranked());
  EXPECT_FALSE(ranking(few).back().has_plan());
}

TEST(SchemeForecast, OneWorkerIsRankedAndNeedsNoLink) {
  const auto forecasts = PlannedSchemes(question_of(300, 1)).forecast();
  ASSERT_NE(fastest(forecasts), nullptr);
  EXPECT_EQ(fastest(forecasts)->scheme, "dense");
  EXPECT_FALSE(find(forecasts, "dense").base);
  for (const char* scheme : {"dense", "ring", "zigzag", "ulysses"})
    EXPECT_NEAR(find(forecasts, scheme).wall_s, 8 * 300.0 * 300.0 / kForecastPairsPerS, 1e-12)
        << scheme;
}

TEST(SchemeForecast, DenseIsAYardstickBesideSchemesThatSplit) {
  SchemeQuestion question = question_of(64, 4);
  question.link = LinkLimit{1.0, 1.0};  // nothing is slower than this link
  const auto ranked = ranking(PlannedSchemes(question).forecast());
  EXPECT_TRUE(ranked.front().ranked());
  EXPECT_LT(find(ranked, "dense").wall_s, ranked.front().wall_s);
  EXPECT_TRUE(find(ranked, "dense").base);
}

TEST(SchemeForecast, ABudgetRulesOutWhatHoldsAllKeys) {
  SchemeQuestion question = question_of(4096, 8);
  const auto before = PlannedSchemes(question).forecast();
  const SchemeForecast ring = find(before, "ring");
  ASSERT_GT(find(before, "all_gather_kv").memory_bytes, ring.memory_bytes);
  question.memory_budget_bytes = ring.memory_bytes;
  const auto within = PlannedSchemes(question).forecast();
  EXPECT_TRUE(find(within, "ring").ranked());
  EXPECT_TRUE(find(within, "all_gather_kv").over_budget);
  EXPECT_FALSE(find(within, "all_gather_kv").ranked());
  EXPECT_GT(find(within, "all_gather_kv").wall_s, 0.0);  // its forecast is still there
  question.memory_budget_bytes = 1;
  EXPECT_EQ(fastest(PlannedSchemes(question).forecast()), nullptr);
}

TEST(SchemeForecast, OneMemorySharesTheCoresALinkDoesNot) {
  SchemeQuestion question = question_of(4096, 8);
  question.device.cores.value = 2.0;
  question.link = LinkLimit{1e18, 0.0};
  const double alone_s = find(PlannedSchemes(question).forecast(), "ring").wall_s;
  question.link.reset();
  EXPECT_NEAR(find(PlannedSchemes(question).forecast(), "ring").wall_s / alone_s, 4.0, 1e-3);
}

TEST(SchemeForecast, OfEquallyFastOnesTheOneThatSendsLeastIsFirst) {
  std::vector<SchemeForecast> forecasts(4);
  const auto set = [&](std::size_t i, const char* name, double wall_s, std::int64_t sent) {
    forecasts[i].scheme = name;
    forecasts[i].wall_s = wall_s;
    forecasts[i].sent_bytes = sent;
  };
  set(0, "slow", 2.0, 0);
  set(1, "chatty", 1.0, 10);
  set(2, "quiet", 1.0 + 1e-12, 5);
  set(3, "base", 0.5, 0);
  forecasts[3].base = true;
  EXPECT_THAT(names(ranking(forecasts)), testing::ElementsAre("quiet", "chatty", "slow", "base"));
}

TEST(SchemeForecast, OfThoseThatSendAsMuchTheOneThatHoldsLeastIsFirstAndThenTheFirst) {
  std::vector<SchemeForecast> forecasts(6);
  const auto set = [&](std::size_t i, const char* name, double wall_s, std::int64_t memory) {
    forecasts[i].scheme = name;
    forecasts[i].wall_s = wall_s;
    forecasts[i].memory_bytes = memory;
  };
  set(0, "large", 1.0, 10);
  set(1, "small", 1.0, 5);
  set(2, "small too", 1.0, 5);
  set(3, "slower, by more than rounding", 1.0 + 1e-8, 1);
  set(4, "over", 0.5, 1);
  forecasts[4].over_budget = true;
  set(5, "none", 0.0, 0);
  forecasts[5].unsupported = "no plan";
  EXPECT_THAT(names(ranking(forecasts)),
              testing::ElementsAre("small", "small too", "large", "slower, by more than rounding",
                                   "over", "none"));
  EXPECT_EQ(fastest(forecasts)->scheme, "small");
  EXPECT_EQ(fastest(std::span(forecasts).subspan(4)), nullptr);
}

// Two hosts of two: Ulysses stays inside of a host, and what a ring sends does not.
TEST(SchemeForecast, AGridKeepsItsHeadsInsideOfAHost) {
  SchemeQuestion question = question_of(4096, 4);
  question.link = LinkLimit{1e7, 0.0};
  question.hosts = {.workers_per_host = 2, .inside = {1e12, 0.0}};
  const auto forecasts = PlannedSchemes(question).forecast();
  const SchemeForecast& usp = find(forecasts, "usp 2x1x2");
  const SchemeForecast& zigzag = find(forecasts, "zigzag");
  EXPECT_LT(usp.wall_s, zigzag.wall_s);
  EXPECT_EQ(3 * usp.between_bytes, zigzag.between_bytes) << "one hop of half as many heads, of 3";
  EXPECT_LT(usp.between_bytes, usp.sent_bytes);
}

// With a budget between the memory of the leanest grid and that of the others, the leanest is
// forecast however slow it is, and so is the fastest.
TEST(SchemeForecast, AGridThatFitsIsKeptBesideTheFastest) {
  SchemeQuestion question = question_of(4096, 16);
  question.problem.shape.q_heads = question.problem.shape.kv_heads = 16;
  question.link = LinkLimit{1e9, 0.0};
  const auto is_grid = [](const SchemeForecast& f) {
    return f.scheme.find('x') != std::string::npos;
  };
  const auto grids = [&](std::int64_t budget) {
    question.memory_budget_bytes = budget;
    std::vector<SchemeForecast> found = PlannedSchemes(question).forecast();
    std::erase_if(found, std::not_fn(is_grid));
    return found;
  };
  const auto all = grids(1);
  ASSERT_EQ(all.size(), 1U) << "none fits: the fastest alone";
  std::int64_t budget = all[0].memory_bytes;
  std::vector<SchemeForecast> kept;
  while (kept = grids(--budget), std::ranges::count(kept, true, &SchemeForecast::over_budget) == 0)
    ASSERT_GT(budget, 0);
  EXPECT_GT(std::ranges::count(kept, false, &SchemeForecast::over_budget), 0);
  EXPECT_EQ(kept.front().scheme, all[0].scheme);
}

TEST(SchemeForecast, ShapesWithoutAPlanAreNamed) {
  SchemeQuestion question = question_of(4096, 8);
  question.problem.shape.q_heads = 9;
  question.problem.shape.kv_heads = 3;
  const SchemeForecast refused = find(PlannedSchemes(question).forecast(), "grids");
  EXPECT_FALSE(refused.has_plan());
  EXPECT_THAT(refused.unsupported, testing::HasSubstr("shapes, the last since"));
}

// What leaves a host of one NIC waits for it: 16 shards of keys and values.
TEST(SchemeForecast, WorkersOfAHostWaitForTheNicThatTheyShare) {
  SchemeQuestion question = question_of(4096, 8);
  question.link = LinkLimit{1e8, 0.0};
  question.hosts = {.workers_per_host = 4, .inside = {1e12, 0.0}};
  const auto all_gather = [&](int nics) {
    question.hosts.nics = nics;
    return find(PlannedSchemes(question).forecast(), "all_gather_kv");
  };
  EXPECT_EQ(all_gather(0).exposed_s, all_gather(4).exposed_s) << "one a worker";
  const SchemeForecast shared = all_gather(1);
  const double nic_s = 16.0 * static_cast<double>(shared.between_bytes) / 4.0 / 1e8;
  EXPECT_NEAR(shared.exposed_s, nic_s, 0.01 * nic_s);
  EXPECT_LT(all_gather(0).exposed_s, 0.5 * nic_s);
}

TEST(SchemeForecast, CountsThePlanOfTheSchemeAndRefusesInItsWords) {
  using testing_support::draw;
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    const std::int64_t n_tokens = draw(random, 1, round % 3 == 0 ? kFewNewTokens : 300);
    const std::int64_t cached = round % 2 == 0 ? 0 : draw(random, 1, 300);
    SchemeQuestion question = question_of(n_tokens, static_cast<int>(draw(random, 1, 9)),
                                          random() % 2 == 0 ? MaskKind::full : MaskKind::causal,
                                          draw(random, 1, 9), cached);
    question.problem.shape.q_heads *= draw(random, 1, 3);
    if (random() % 2 == 0) question.passes = Passes::backward;
    for (const SchemeForecast& forecast : PlannedSchemes(question).forecast()) {
      const bool is_grid_shape = std::ranges::none_of(
          strategies(), [&](const Strategy& each) { return each.name == forecast.scheme; });
      if (forecast.base || is_grid_shape) continue;  // base: on one worker
      if (forecast.scheme == "flash_decoding") {
        EXPECT_THAT(forecast.unsupported, HasSubstr("no link carries them"));
        continue;
      }
      SCOPED_TRACE(testing::Message() << forecast.scheme << " T=" << n_tokens << " P=" << cached
                                      << " W=" << question.workers);
      std::string unsupported;
      std::int64_t sent = 0;
      try {
        const Plan plan =
            make_plan(forecast.scheme, question.problem,
                      {.workers = question.workers, .pass = passes_of(question.passes)[0]});
        sent = model_work(plan, question.kernel).sent_bytes_max;
      } catch (const Unsupported& reason) {
        unsupported = reason.what();
      }
      EXPECT_EQ(forecast.unsupported, unsupported);
      EXPECT_EQ(forecast.sent_bytes, sent);
    }
  }
}

TEST(SchemeForecast, ADeviceWithoutTheRatesIsRefused) {
  SchemeQuestion question = question_of(64, 4);
  question.kernel = Kernel::flash;
  EXPECT_THROW(PlannedSchemes{question}, Unsupported);
  question = question_of(64, 0);
  EXPECT_THROW(PlannedSchemes{question}, UsageError);
}

}  // namespace
}  // namespace qb
