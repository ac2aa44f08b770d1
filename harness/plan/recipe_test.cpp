// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "harness/plan/check/check.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

// The ring of keys and values, whose sums of gradients go straight home.
Recipe ring_of(int workers) {
  Recipe recipe;
  recipe.name = "own_ring";
  for (int i = 0; i < workers; ++i) {
    for (auto* const calls : {&recipe.forward, &recipe.backward}) {
      calls->first.emplace_back(i, 0, -i);
      for (const char* what : {"K", "V"})
        if (i + 1 < workers) calls->second.emplace_back(i, 1, "p2p", what, -i);
    }
    for (const char* what : {"dK", "dV"})
      if (i > 0) recipe.backward.second.emplace_back(i, -i, "p2p", what, -i);
  }
  return recipe;
}

// Its length is a multiple: shards of equal length need no room for the longest.
Problem random_problem(std::mt19937_64& random, std::int64_t multiple = 1) {
  const auto draw = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  const std::int64_t n = multiple * draw(60 / multiple);
  const std::int64_t kv_heads = draw(3);
  const std::int64_t heads = kv_heads * draw(2);
  return make_problem({draw(2), heads, kv_heads, n, n, 8, 8},
                      random() % 2 == 0 ? MaskKind::full : MaskKind::causal, DType::f32, 1);
}

TEST(Recipe, OfARingIsExactAndSendsWhatARingSends) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (int workers = 1; workers <= 9; ++workers)
    for (const std::string deal : {"contiguous", "striped", "zigzag"}) {
      const Problem problem = random_problem(random, 2 * workers);
      Recipe recipe = ring_of(workers);
      recipe.deal = deal;
      const Plan plan = make_plan(recipe, problem, {.workers = workers});
      EXPECT_EQ(plan.algorithm, "own_ring");
      EXPECT_EQ(check(plan), std::nullopt) << workers << deal;
      EXPECT_EQ(check(make_plan(recipe, problem, {.workers = workers, .pass = Pass::backward})),
                std::nullopt)
          << workers << deal;
      const Plan known =
          make_plan(deal == "contiguous" ? "ring" : deal, problem, {.workers = workers});
      const auto work = [](const Plan& of) { return model_work(of, Kernel::reference); };
      EXPECT_EQ(work(plan).bytes_total, work(known).bytes_total) << workers << deal;
      EXPECT_EQ(work(plan).critical_path_pairs, work(known).critical_path_pairs);
    }
}

TEST(Recipe, WithAStepLessOrMoreIsNotExact) {
  std::mt19937_64 random(1);
  const Problem problem = random_problem(random);
  Recipe less = ring_of(4);
  less.forward.first.pop_back();
  EXPECT_TRUE(check(make_plan(less, problem, {.workers = 4})).has_value());
  Recipe more = ring_of(4);
  more.forward.first.push_back(more.forward.first.back());
  EXPECT_TRUE(check(make_plan(more, problem, {.workers = 4})).has_value());
}

TEST(Recipe, RefusesWordsThatAreNoneAndAPassThatItLacks) {
  std::mt19937_64 random(1);
  const Problem problem = random_problem(random);
  const auto refused = [&](const auto& change, Pass pass = Pass::forward) -> std::string {
    Recipe recipe = ring_of(3);
    change(recipe);
    try {
      (void)make_plan(recipe, problem, {.workers = 3, .pass = pass});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(refused([](Recipe& r) { r.deal = "zigzg"; }), HasSubstr("did you mean 'zigzag'"));
  EXPECT_THAT(refused([](Recipe& r) { std::get<2>(r.forward.second[0]) = "p2q"; }),
              HasSubstr("did you mean 'p2p'"));
  EXPECT_THAT(refused([](Recipe& r) { std::get<3>(r.forward.second[0]) = "keys"; }),
              HasSubstr("'keys'"));
  for (const int step : {-1, 1 << 30})
    EXPECT_THAT(refused([&](Recipe& r) { std::get<0>(r.forward.first[0]) = step; }),
                HasSubstr("steps count from 0"));
  EXPECT_EQ(refused([](Recipe& r) { r.backward = {}; }, Pass::backward),
            "own_ring has no backward pass");
}

}  // namespace
}  // namespace qb
