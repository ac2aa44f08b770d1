// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/step_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/execute/testing/constant_rate_device.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

constexpr std::int64_t kStepDim = 4;
constexpr double kOverheadS = 0.25;
constexpr double kMergeS = 1000.0;  // of a byte

// A pair of a head takes a second, a copied byte takes one, and a merged byte takes a thousand.
DeviceModel slow_device(Kernel kernel) {
  DeviceModel device = constant_rate_device(kernel, DType::f32, kStepDim, 4.0 * kStepDim);
  device.call_overhead_s.value = kOverheadS;
  device.copy_byte_per_s.value = 1.0;
  device.merge_byte_per_s.value = 1.0 / kMergeS;
  device.backward_share_of_forward.value = 1.0;
  return device;
}

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

// The costs of a step, in the order of StepCost's fields.
std::vector<std::vector<double>> costs_of(const Plan& plan, int worker, const DeviceModel& device,
                                          Kernel kernel = Kernel::reference) {
  std::vector<std::vector<double>> costs;
  for (const StepCost& cost : step_costs(plan, plan.workers[static_cast<std::size_t>(worker)],
                                         DeviceCosts(device, kernel, plan.problem, plan.pass)))
    costs.push_back({cost.receive_s, cost.pack_early_s, cost.kernel_s, cost.pack_late_s});
  return costs;
}

TEST(StepCosts, OfARingPackOncePassOnAndMergeEveryLaterCall) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(costs_of(plan_of("ring"), worker, slow_device(Kernel::reference)),
                ElementsAre(ElementsAre(0.0, DoubleEq(kKv), DoubleEq(kCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS + kMergeS * kPartial), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS + kMergeS * kPartial), 0.0)));
}

TEST(StepCosts, OfPassQPackPartialsForTheirOwnersWhoMergeThem) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(costs_of(plan_of("pass_q"), worker, slow_device(Kernel::reference)),
                ElementsAre(ElementsAre(0.0, DoubleEq(kQ), DoubleEq(kCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kCallS), DoubleEq(2 * kPartial)),
                            ElementsAre(DoubleEq(kMergeS * 2 * kPartial), 0.0, 0.0, 0.0)));
}

TEST(StepCosts, OfAnAllGatherPackOneMessageForAllAndJoinWhatComes) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(
        costs_of(plan_of("all_gather_kv"), worker, slow_device(Kernel::reference)),
        ElementsAre(ElementsAre(0.0, DoubleEq(kKv), 0.0, 0.0),
                    ElementsAre(DoubleEq(3 * kKv), 0.0, DoubleEq(kOverheadS + 2 * 4 * 12), 0.0)));
}

TEST(StepCosts, OfACallAreThoseOfItsTensorsWhereTheyTakeLonger) {
  DeviceModel device = slow_device(Kernel::reference);
  device.memory_byte_per_s.value = 1.0;
  EXPECT_THAT(costs_of(plan_of("ring"), 0, device)[0][2],
              DoubleEq(kOverheadS + kQ + kKv + kPartial));
}

// The bytes of a shard of four tokens with two heads: Q, which is as long as K, V and, in f32,
// their gradients; LSE or D.
constexpr double kTensor = 4 * 2 * kStepDim * 4;
constexpr double kStatistic = 4 * 2 * 4;
constexpr double kBackwardCallS = kOverheadS + 2.5 * 2 * 4 * 4;

TEST(StepCosts, OfARingsBackwardPassPackOnceAndAddWhereTheSumsCame) {
  for (int worker = 0; worker < 3; ++worker)
    EXPECT_THAT(costs_of(backward_plan_of("ring", 3), worker, slow_device(Kernel::reference)),
                ElementsAre(ElementsAre(0.0, DoubleEq(2 * kTensor), DoubleEq(kBackwardCallS),
                                        DoubleEq(2 * kTensor)),
                            ElementsAre(0.0, 0.0, DoubleEq(kBackwardCallS), 0.0),
                            ElementsAre(0.0, 0.0, DoubleEq(kBackwardCallS), 0.0),
                            ElementsAre(0.0, 0.0, 0.0, 0.0)));
}

// They are converted when they are packed and when they are added.
TEST(StepCosts, OfARingThatSendsSumsInTheTypeOfTheInputsAddAndPackInEachStep) {
  Plan plan = backward_plan_of("ring", 3);
  (void)plan.workers.spell_out();
  plan.gradients = DType::bf16;
  const double add_s = kMergeS * 2 * kTensor;
  EXPECT_THAT(
      costs_of(plan, 0, slow_device(Kernel::reference)),
      ElementsAre(
          ElementsAre(0.0, DoubleEq(2 * kTensor), DoubleEq(kBackwardCallS), DoubleEq(2 * kTensor)),
          ElementsAre(DoubleEq(add_s), 0.0, DoubleEq(kBackwardCallS), DoubleEq(2 * kTensor)),
          ElementsAre(DoubleEq(add_s), 0.0, DoubleEq(kBackwardCallS), DoubleEq(2 * kTensor)),
          ElementsAre(DoubleEq(add_s), 0.0, 0.0, 0.0)));
}

TEST(StepCosts, OfBurstAreThoseOfQueriesAndTheirGradient) {
  const double inputs = 1.5 * (2 * kTensor + 2 * kStatistic);  // of shards of six tokens
  const double call_s = kOverheadS + 2.5 * 2 * 6 * 6;
  EXPECT_THAT(
      costs_of(backward_plan_of("burst", 2), 0, slow_device(Kernel::reference)),
      ElementsAre(ElementsAre(0.0, DoubleEq(inputs), DoubleEq(call_s), DoubleEq(1.5 * kTensor)),
                  ElementsAre(0.0, 0.0, DoubleEq(call_s), 0.0), ElementsAre(0.0, 0.0, 0.0, 0.0)));
}

TEST(StepCosts, OfAReduceScatterPackAndAddTheSumsOfForeignKeys) {
  EXPECT_THAT(
      costs_of(backward_plan_of("all_gather_kv", 3), 1, slow_device(Kernel::reference)),
      ElementsAre(ElementsAre(0.0, DoubleEq(2 * kTensor), 0.0, 0.0),
                  ElementsAre(DoubleEq(6 * kTensor), 0.0, DoubleEq(kOverheadS + 2.5 * 2 * 4 * 12),
                              DoubleEq(4 * kTensor)),
                  ElementsAre(DoubleEq(kMergeS * 4 * kTensor), 0.0, 0.0, 0.0)));
}

TEST(StepCosts, OfUlyssesJoinDOAlone) {
  const double share = 6 * kStepDim * 4;  // of a tensor: six tokens of one of two heads
  EXPECT_THAT(costs_of(backward_plan_of("ulysses", 2), 0, slow_device(Kernel::reference)),
              ElementsAre(ElementsAre(0.0, DoubleEq(2 * share), 0.0, 0.0),
                          ElementsAre(DoubleEq(2 * share), 0.0,
                                      DoubleEq(kOverheadS + 2.5 * 12 * 12), DoubleEq(6 * share)),
                          ElementsAre(DoubleEq(kMergeS * 6 * share), 0.0, 0.0, 0.0)));
}

TEST(StepCosts, OfABackwardCallReadInputsAndReadAndWriteSums) {
  DeviceModel device = slow_device(Kernel::reference);
  device.memory_byte_per_s.value = 1.0;
  EXPECT_THAT(costs_of(backward_plan_of("ring", 3), 0, device)[0][2],
              DoubleEq(kOverheadS + 4 * kTensor + 2 * kStatistic + 2 * 3 * kTensor));
}

TEST(StepCosts, OfMaskedPairsAreThoseOfTheKernel) {
  const Plan plan = plan_of("dense", MaskKind::causal);
  const auto kernel_s = [&](Kernel kernel) {
    return costs_of(plan, 0, slow_device(kernel), kernel)[0][2];
  };
  EXPECT_THAT(kernel_s(Kernel::reference), DoubleEq(kOverheadS + 2 * 12 * 13 / 2));
  EXPECT_THAT(kernel_s(Kernel::materialized), DoubleEq(kOverheadS + 2 * 12 * 12));
}

}  // namespace
}  // namespace qb
