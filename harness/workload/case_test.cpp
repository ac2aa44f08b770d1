// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/case.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

TEST(CasePlan, KnowsThePackedSequences) {
  Case c = tiny("pass_kv", 2);
  c.mask = MaskKind::causal;
  c.sequences = {{10, 4}, {3, 6}};
  const Plan plan = plan_of(c);
  EXPECT_EQ(plan.problem.mask.segments.size(), 2u);
  EXPECT_EQ(plan.problem.shape.q_len, 10);
}

TEST(CasePlan, KnowsThePass) {
  Case c = tiny("burst", 2);
  EXPECT_EQ(plan_of(c).pass, Pass::forward);
  c.pass = Passes::backward;
  EXPECT_EQ(plan_of(c).pass, Pass::backward);
  c.pass = Passes::both;
  EXPECT_EQ(plan_of(c).pass, Pass::forward);
  EXPECT_EQ(plan_of(c, Pass::backward).pass, Pass::backward);
  c.algorithm = "pass_q";
  EXPECT_THROW((void)plan_of(c, Pass::backward), Unsupported);
}

TEST(CasePlan, AMemoryTierIsOfOneProcess) {
  Case c = tiny("rectangular", 2);
  for (const Ranks ranks : {Ranks::serial, Ranks::threads, Ranks::mpi, Ranks::nccl, Ranks::model}) {
    c.ranks = ranks;
    if (ranks == Ranks::serial || ranks == Ranks::threads)
      EXPECT_EQ(plan_of(c).result, Result::tier);
    else
      EXPECT_THROW((void)plan_of(c), Unsupported) << word(ranks);
  }
}

TEST(CasePlan, KnowsTheScale) {
  Case c = tiny("cqs", 7);
  c.scale = 0.5;
  EXPECT_EQ(plan_of(c).problem.scale, 0.5);
}

TEST(CasePlan, KnowsTheInterestSet) {
  Case c = tiny("cqs", 7);
  c.interest_set = {0, 1, 5};
  EXPECT_EQ(plan_of(c).workers[0].q_groups, (std::vector<int>{0, 1, 5}));
}

}  // namespace
}  // namespace qb
