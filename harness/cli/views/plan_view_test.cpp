#include "harness/cli/views/plan_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

Plan case_study_one(MaskKind mask = MaskKind::full) {
  const Problem problem = make_problem({1, 1, 1, 10, 10, 1, 1}, mask, DType::f32, 0);
  return make_plan("cqs", problem, {7, parse_interest_set("0,1,3", 7)});
}

std::string json_of(const Plan& plan, bool with_pairs) {
  return plan_json(plan, model_work(plan, Kernel::flash), plan_memory(plan, Kernel::flash, 1),
                   with_pairs);
}

TEST(PlanView, CaseStudyOneAsJson) {
  EXPECT_EQ(json_of(case_study_one(), false),
            R"({"longest_subsequence":5,"shortest_subsequence":3,)"
            R"("responsibility_ratio":5.0,"critical_path_pairs":20,"workers":[)"
            R"({"worker":0,"tokens":[0,1,3],"pairs_count":7},)"
            R"({"worker":1,"tokens":[1,2,4,5],"pairs_count":11},)"
            R"({"worker":2,"tokens":[2,3,6,7],"pairs_count":11},)"
            R"({"worker":3,"tokens":[3,4,5,8,9],"pairs_count":17},)"
            R"({"worker":4,"tokens":[0,4,5,6,7],"pairs_count":20},)"
            R"({"worker":5,"tokens":[1,6,7,8,9],"pairs_count":20},)"
            R"({"worker":6,"tokens":[0,2,8,9],"pairs_count":14}]})"
            "\n");
}

TEST(PlanView, PairsAreListedOnRequestAndBounded) {
  EXPECT_THAT(
      json_of(case_study_one(), true),
      testing::HasSubstr(R"("pairs_count":7,"pairs":[[0,0],[0,1],[0,3],[1,0],[1,3],[3,0],[3,1]])"));
  const Problem large =
      make_problem({1, 1, 1, 10'000, 10'000, 1, 1}, MaskKind::full, DType::f32, 0);
  EXPECT_THROW((void)json_of(make_plan("cqs", large, {7, {}}), true), UsageError);
}

TEST(PlanView, HugePlansListRangesInsteadOfTokens) {
  const Problem large =
      make_problem({1, 1, 1, 70'000'000, 70'000'000, 1, 1}, MaskKind::full, DType::f32, 0);
  EXPECT_THAT(
      json_of(make_plan("cqs", large, {7, {}}), false),
      testing::HasSubstr(
          R"({"worker":0,"token_ranges":[[0,20000000],[30000000,40000000]],"pairs_count")"));
}

TEST(PlanView, TheTableSaysWhatTheJsonSays) {
  const Plan plan = case_study_one(MaskKind::causal);
  const std::string table = plan_table(plan, model_work(plan, Kernel::flash),
                                       plan_memory(plan, Kernel::flash, 1), Kernel::flash);
  EXPECT_THAT(table, testing::HasSubstr("cqs · 10 tokens · 7 workers · causal mask"));
  EXPECT_THAT(table, testing::HasSubstr("0-1 3 "));
  EXPECT_THAT(table, testing::HasSubstr("longest subsequence    5 tokens"));
}

TEST(PlanView, RingsSayWhatEachRoundComputesAndSends) {
  const Problem problem = make_problem({1, 1, 1, 8, 8, 4, 4}, MaskKind::causal, DType::f32, 0);
  const std::string json = json_of(make_plan("ring", problem, {4, {}}), false);
  // c = 2: c(c+1)/2 + 3 c^2 pairs; K and V of two tokens of 16 bytes, three hops.
  EXPECT_THAT(json, testing::HasSubstr(R"("critical_path_pairs":15)"));
  EXPECT_THAT(json, testing::HasSubstr(
                        R"({"worker":1,"tokens":[2,3],"pairs_count":7,"pairs_by_step":[3,4,0,0],)"
                        R"("sent_bytes":192,)"));
}

}  // namespace
}  // namespace qb
