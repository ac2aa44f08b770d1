// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/work/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/random_plans.h"

namespace qb {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

constexpr std::int64_t kStepDim = 4;
constexpr double kOverheadS = 0.25;
constexpr double kMergeS = 1000.0;  // of a byte

// A pair of a head takes pair_s, a copied byte takes a second, and a merged byte takes a thousand.
struct SlowDevice final : StepPrices {
  double pair_s = 1.0;
  double byte_s = 0.0;  // of what a call reads and writes meanwhile
  double call_s(std::int64_t pairs, std::int64_t units, std::int64_t bytes) const override {
    return kOverheadS + std::max(pair_s * static_cast<double>(pairs * units),
                                 byte_s * static_cast<double>(bytes));
  }
  double merge_s(std::int64_t bytes) const override { return kMergeS * static_cast<double>(bytes); }
  double copy_s(std::int64_t bytes) const override { return static_cast<double>(bytes); }
  std::int64_t query_tile() const override { return 16; }
};

// Twelve tokens, two query heads of one key-value head: three workers have four tokens each.
constexpr double kQ = 4 * 2 * kStepDim * 4;
constexpr double kKv = 2 * 4 * kStepDim * 4;
constexpr double kPartial = 4 * 2 * (kStepDim + 1) * 4;
constexpr double kCallS = kOverheadS + 2 * 4 * 4;

Plan plan_of(std::string_view algorithm, MaskKind mask = MaskKind::full) {
  const Problem problem = make_problem({1, 2, 1, 12, 12, kStepDim, kStepDim}, mask, DType::f32, 1);
  return make_plan(algorithm, problem, {.workers = algorithm == "dense" ? 1 : 3});
}

// The problem has as many key-value heads as query heads.
Plan backward_plan_of(std::string_view algorithm, int workers) {
  const Problem problem =
      make_problem({1, 2, 2, 12, 12, kStepDim, kStepDim}, MaskKind::full, DType::f32, 1);
  return make_plan(algorithm, problem, {.workers = workers, .pass = Pass::backward});
}

// The seconds of a step, in the order of StepProfile's fields.
std::vector<std::vector<double>> costs_of(const Plan& plan, int worker,
                                          const SlowDevice& device = {},
                                          Kernel kernel = Kernel::reference) {
  std::vector<std::vector<double>> costs;
  const PlanProfile profile(plan, Representatives(plan), kernel, &device);
  for (std::size_t s = 0; s < profile.share(worker).n_steps; ++s) {
    const StepProfile& step = profile.of(worker, s);
    costs.push_back({step.receive_s, step.pack_early_s, step.kernel_s, step.pack_late_s});
  }
  return costs;
}

constexpr double kBackwardPairS = 2.5;

std::vector<std::vector<double>> backward_costs_of(const Plan& plan, int worker) {
  SlowDevice device;
  device.pair_s = kBackwardPairS;
  return costs_of(plan, worker, device);
}

TEST(PlanProfile, OfARingPackOncePassOnAndMergeEveryLaterCall) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(costs_of(plan_of("ring"), worker),
                ElementsAre(ElementsAre(0.0, DoubleEq(kKv), DoubleEq(kCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS + kMergeS * kPartial), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS + kMergeS * kPartial), 0.0)));
}

TEST(PlanProfile, OfPassQPackPartialsForTheirOwnersWhoMergeThem) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(costs_of(plan_of("pass_q"), worker),
                ElementsAre(ElementsAre(0.0, DoubleEq(kQ), DoubleEq(kCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS), DoubleEq(2 * kPartial)),
                            ElementsAre(DoubleEq(kMergeS * 2 * kPartial), 0.0, 0.0, 0.0)));
}

TEST(PlanProfile, OfAnAllGatherPackOneMessageForAllAndJoinWhatComes) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(
        costs_of(plan_of("all_gather_kv"), worker),
        ElementsAre(ElementsAre(0.0, DoubleEq(kKv), 0.0, 0.0),
                    ElementsAre(DoubleEq(3 * kKv), 0.0, DoubleEq(kOverheadS + 2 * 4 * 12), 0.0)));
}

TEST(PlanProfile, OfACallAreThoseOfItsTensorsWhereTheyTakeLonger) {
  SlowDevice device;
  device.byte_s = 1.0;
  EXPECT_THAT(costs_of(plan_of("ring"), 0, device)[0][2],
              DoubleEq(kOverheadS + kQ + kKv + kPartial));
}

// The bytes of a shard of four tokens with two heads: Q, which is as long as K, V and, in f32,
// their gradients; LSE or D.
constexpr double kTensor = 4 * 2 * kStepDim * 4;
constexpr double kStatistic = 4 * 2 * 4;
constexpr double kBackwardCallS = kOverheadS + kBackwardPairS * 2 * 4 * 4;

TEST(PlanProfile, OfARingsBackwardPassPackOnceAndAddWhereTheSumsCame) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(backward_costs_of(backward_plan_of("ring", 3), worker),
                ElementsAre(ElementsAre(0.0, DoubleEq(2 * kTensor), DoubleEq(kBackwardCallS),
                                        DoubleEq(2 * kTensor)),
                            ElementsAre(0.0, 0.0, DoubleEq(kBackwardCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kBackwardCallS), 0.0),
                            ElementsAre(0.0, 0.0, 0.0, 0.0)));
}

// They are converted when they are packed and when they are added.
TEST(PlanProfile, OfARingThatSendsSumsInTheTypeOfTheInputsAddAndPackInEachStep) {
  Plan plan = backward_plan_of("ring", 3);
  (void)plan.workers.spell_out();
  plan.gradients = DType::bf16;
  const double add_s = kMergeS * 2 * kTensor;
  EXPECT_THAT(
      backward_costs_of(plan, 0),
      ElementsAre(
          ElementsAre(0.0, DoubleEq(2 * kTensor), DoubleEq(kBackwardCallS), DoubleEq(2 * kTensor)),
          ElementsAre(DoubleEq(add_s), 0.0, DoubleEq(kBackwardCallS), DoubleEq(2 * kTensor)),
          ElementsAre(DoubleEq(add_s), 0.0, DoubleEq(kBackwardCallS), DoubleEq(2 * kTensor)),
          ElementsAre(DoubleEq(add_s), 0.0, 0.0, 0.0)));
}

TEST(PlanProfile, OfBurstAreThoseOfQueriesAndTheirGradient) {
  const double inputs = 1.5 * (2 * kTensor + 2 * kStatistic);  // of shards of six tokens
  const double call_s = kOverheadS + kBackwardPairS * 2 * 6 * 6;
  EXPECT_THAT(
      backward_costs_of(backward_plan_of("burst", 2), 0),
      ElementsAre(ElementsAre(0.0, DoubleEq(inputs), DoubleEq(call_s), DoubleEq(1.5 * kTensor)),
                  ElementsAre(0.0, 0.0, DoubleEq(call_s), 0.0), ElementsAre(0.0, 0.0, 0.0, 0.0)));
}

TEST(PlanProfile, OfAReduceScatterPackAndAddTheSumsOfForeignKeys) {
  EXPECT_THAT(backward_costs_of(backward_plan_of("all_gather_kv", 3), 1),
              ElementsAre(ElementsAre(0.0, DoubleEq(2 * kTensor), 0.0, 0.0),
                          ElementsAre(DoubleEq(6 * kTensor), 0.0,
                                      DoubleEq(kOverheadS + kBackwardPairS * 2 * 4 * 12),
                                      DoubleEq(4 * kTensor)),
                          ElementsAre(DoubleEq(kMergeS * 4 * kTensor), 0.0, 0.0, 0.0)));
}

TEST(PlanProfile, OfUlyssesJoinDOAlone) {
  const double share = 6 * kStepDim * 4;  // of a tensor: six tokens of one of two heads
  EXPECT_THAT(
      backward_costs_of(backward_plan_of("ulysses", 2), 0),
      ElementsAre(ElementsAre(0.0, DoubleEq(2 * share), 0.0, 0.0),
                  ElementsAre(DoubleEq(2 * share), 0.0,
                              DoubleEq(kOverheadS + kBackwardPairS * 12 * 12), DoubleEq(6 * share)),
                  ElementsAre(DoubleEq(kMergeS * 6 * share), 0.0, 0.0, 0.0)));
}

TEST(PlanProfile, OfABackwardCallReadInputsAndReadAndWriteSums) {
  SlowDevice device;
  device.byte_s = 1.0;
  EXPECT_THAT(costs_of(backward_plan_of("ring", 3), 0, device)[0][2],
              DoubleEq(kOverheadS + 4 * kTensor + 2 * kStatistic + 2 * 3 * kTensor));
}

TEST(PlanProfile, OfMaskedPairsAreThoseOfTheKernel) {
  const Plan plan = plan_of("dense", MaskKind::causal);
  const auto kernel_s = [&](Kernel kernel) { return costs_of(plan, 0, {}, kernel)[0][2]; };
  EXPECT_THAT(kernel_s(Kernel::reference), DoubleEq(kOverheadS + 2 * 12 * 13 / 2));
  EXPECT_THAT(kernel_s(Kernel::materialized), DoubleEq(kOverheadS + 2 * 12 * 12));
}

// Workers of one class do what each of them does alone, among workers that do nothing.
TEST(PlanProfile, OfAClassIsThatOfEachOfItsWorkers) {
  int fewer = 0;
  const auto attempt = [&](const Plan& plan, std::mt19937_64& random) {
    const Kernel kernels[] = {Kernel::reference, Kernel::materialized, Kernel::flash};
    const Kernel kernel = kernels[random() % 3];
    const SlowDevice device;
    const StepPrices* const prices = random() % 2 == 0 ? nullptr : &device;
    Plan spelt = plan;
    const std::vector<Worker>& workers = spelt.workers.spell_out();
    const Representatives equals(spelt);
    fewer += equals.size() < workers.size() ? 1 : 0;
    const PlanProfile by_rule(plan, Representatives(plan), kernel, prices);
    const PlanProfile by_content(spelt, equals, kernel, prices);
    Plan alone = spelt;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      alone.workers.spell_out().assign(workers.size(), {});
      alone.workers[w] = workers[w];
      const PlanProfile expected(alone, Representatives(alone), kernel, prices);
      const auto index = static_cast<int>(w);
      ASSERT_EQ(by_content.share(index).n_steps, workers[w].steps.size());
      for (std::size_t s = 0; s < workers[w].steps.size(); ++s) {
        ASSERT_TRUE(by_content.of(index, s) == expected.of(index, s)) << w << " " << s;
        ASSERT_TRUE(by_rule.of(index, s) == expected.of(index, s)) << w << " " << s;
      }
    }
  };
  testing_support::for_random_plans(200, attempt);
  testing_support::for_random_plans(100, attempt, std::random_device{}(), Pass::backward);
  // Workers whose shards are as long as each other's are equal, where no mask tells them apart.
  std::mt19937_64 random(1);
  fewer = 0;
  for (const char* const scheme : {"ring", "zigzag", "striped", "cqs", "cqs_sharded"})
    attempt(make_plan(scheme, make_problem({1, 2, 2, 56, 56, 4, 4}, MaskKind::full, DType::f32, 1),
                      {.workers = 7}),
            random);
  EXPECT_EQ(fewer, 5);
}

}  // namespace
}  // namespace qb
