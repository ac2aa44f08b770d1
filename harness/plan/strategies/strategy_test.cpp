// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/strategies/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/plan/check/check.h"
#include "harness/plan/testing/brute_force.h"

namespace qb {
namespace {

using testing_support::square_problem;

TEST(Strategy, DenseIsOneBlock) {
  for (std::int64_t n : {1, 2, 77}) {
    const Plan plan = make_plan("dense", square_problem(n, MaskKind::causal), {});
    EXPECT_EQ(check(plan), std::nullopt);
    EXPECT_TRUE(testing_support::covers_exactly_once(plan));
  }
  EXPECT_THROW((void)make_plan("dense", square_problem(8, MaskKind::full), {2, {}}), Unsupported);
}

TEST(Strategy, MisspeltNamesFindTheirNearest) {
  try {
    (void)make_plan("cqa", square_problem(8, MaskKind::full), {});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown algorithm 'cqa'; did you mean 'cqs'?");
  }
}

TEST(Strategy, TensorParallelismIsOfALayer) {
  try {
    (void)make_plan("tensor_parallel", square_problem(8, MaskKind::full), {2, {}});
    FAIL();
  } catch (const Unsupported& reason) {
    EXPECT_STREQ(reason.what(),
                 "tensor_parallel splits the weights of a layer: it needs workload: "
                 "transformer_layer; the nearest for attention alone is ulysses");
  }
}

TEST(Strategy, PlansThatNoMachineCouldHoldAreRefusedAtOnce) {
  const auto refusal = [](const char* algorithm, std::int64_t n, int workers) {
    try {
      (void)make_plan(algorithm,
                      make_problem({1, 1, 1, n, n, 8, 8}, MaskKind::causal, DType::f32, 1),
                      {workers, std::nullopt});
    } catch (const Unsupported& error) {
      return std::string(error.what());
    }
    return std::string("planned");
  };
  EXPECT_EQ(refusal("ring", 4096, 41984),
            "plans of ring are made for at most 4096 workers, not for 41984");
  EXPECT_EQ(refusal("ring", 4 * 4096, 4096), "planned");
  EXPECT_EQ(refusal("ring", 4 * 4096 + 1, 1024), "planned");
  EXPECT_THAT(refusal("all_gather_kv", 4 * 4096 + 1, 4096), ::testing::HasSubstr("workers differ"));
  EXPECT_THAT(refusal("decode", 4, 1000), ::testing::HasSubstr("has 4000000 messages"));
  EXPECT_EQ(refusal("decode", 4, 8), "planned");
  EXPECT_EQ(refusal("cqs", 2000, 1400), "planned");
}

TEST(Strategy, OptionsThatDoNotBelongAreRefused) {
  const Problem problem = square_problem(8, MaskKind::full);
  EXPECT_THROW((void)make_plan("dense", problem, {0, {}}), UsageError);
  EXPECT_THROW((void)make_plan("dense", problem, {1, parse_interest_set("0,1", 3)}), UsageError);
}

}  // namespace
}  // namespace qb
