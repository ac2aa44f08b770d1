// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/strategies/strategy.h"

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

TEST(Strategy, OptionsThatDoNotBelongAreRefused) {
  const Problem problem = square_problem(8, MaskKind::full);
  EXPECT_THROW((void)make_plan("dense", problem, {0, {}}), UsageError);
  EXPECT_THROW((void)make_plan("dense", problem, {1, parse_interest_set("0,1", 3)}), UsageError);
}

}  // namespace
}  // namespace qb
