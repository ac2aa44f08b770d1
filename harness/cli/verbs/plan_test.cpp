// SPDX-License-Identifier: Apache-2.0
// `qb plan` through the real binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// Returns what `qb plan WORDS` prints.
std::string plan(const std::string& words) {
  const testing_support::Said said = testing_support::run_qb("plan " + words);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  return said.out;
}

constexpr const char* kCaseStudyOne =
    "--algorithm cqs --n-tokens 10 --workers 7 --interest-set 0,1,3 ";

TEST(Plan, CaseStudyOneAsJson) {
  EXPECT_THAT(
      plan(std::string(kCaseStudyOne) + "--json"),
      testing::StartsWith(R"({"longest_subsequence":5,"shortest_subsequence":3,)"
                          R"("responsibility_ratio":5.0,"critical_path_pairs":20,)"
                          R"("pass":"forward","check":"exact","moved":[)"
                          R"({"tensor":"Q","transfer":"scatter","transfers":7,"bytes":7680,)"
                          R"("busiest_worker_bytes":1280},)"
                          R"({"tensor":"K","transfer":"scatter","transfers":7,"bytes":7680,)"
                          R"("busiest_worker_bytes":1280},)"
                          R"({"tensor":"V","transfer":"scatter","transfers":7,"bytes":7680,)"
                          R"("busiest_worker_bytes":1280},)"
                          R"({"tensor":"partial","transfer":"gather","transfers":7,"bytes":7800,)"
                          R"("busiest_worker_bytes":1300}],"workers":[)"
                          R"({"worker":0,"tokens":[0,1,3],"pairs_count":7,"tasks_count":7},)"
                          R"({"worker":1,"tokens":[1,2,4,5],"pairs_count":11,"tasks_count":7},)"
                          R"({"worker":2,"tokens":[2,3,6,7],"pairs_count":11,"tasks_count":7},)"
                          R"({"worker":3,"tokens":[3,4,5,8,9],"pairs_count":17,"tasks_count":7},)"
                          R"({"worker":4,"tokens":[0,4,5,6,7],"pairs_count":20,"tasks_count":7},)"
                          R"({"worker":5,"tokens":[1,6,7,8,9],"pairs_count":20,"tasks_count":7},)"
                          R"({"worker":6,"tokens":[0,2,8,9],"pairs_count":14,"tasks_count":7}],)"
                          R"("device_sent_bytes":1300,"root_sent_bytes":23040,)"));
}

TEST(Plan, PairsAreListedOnRequestAndBounded) {
  EXPECT_THAT(plan(std::string(kCaseStudyOne) + "--json --pairs"),
              HasSubstr(R"("pairs_count":7,"pairs":[[0,0],[0,1],[0,3],[1,0],[1,3],[3,0],[3,1]])"));
  EXPECT_EQ(testing_support::run_qb("plan --n-tokens 10000 --workers 7 --json --pairs").exit_code,
            2);
}

TEST(Plan, HugePlansListRangesInsteadOfTokens) {
  EXPECT_THAT(
      plan("--n-tokens 70e6 --workers 7 --json"),
      HasSubstr(R"({"worker":0,"token_ranges":[[0,20000000],[30000000,40000000]],"pairs_count")"));
}

TEST(Plan, TheTableSaysWhatTheJsonSays) {
  const std::string table = plan(std::string(kCaseStudyOne) + "--mask causal");
  EXPECT_THAT(table, HasSubstr("cqs · 10 tokens · 7 workers · causal mask"));
  EXPECT_THAT(table, HasSubstr("0-1 3 "));
  EXPECT_THAT(table, HasSubstr("longest subsequence    5 tokens"));
}

TEST(Plan, RingsSayWhatEachRoundComputesAndSends) {
  const std::string json =
      plan("--algorithm ring --n-tokens 8 --workers 4 --mask causal --head-dim 4 --json");
  // c = 2: c(c+1)/2 + 3 c^2 pairs; K and V of two tokens of 16 bytes, three hops.
  EXPECT_THAT(json, HasSubstr(R"("critical_path_pairs":15)"));
  EXPECT_THAT(json,
              HasSubstr(R"({"worker":1,"tokens":[2,3],"pairs_count":7,"pairs_by_step":[3,4,0,0],)"
                        R"("sent_bytes":192,)"));
}

// One of four workers of a ring with two tokens each: W - 1 hops of K and V, W hops of dK and dV.
constexpr const char* kBackwardRing =
    "--algorithm ring --n-tokens 8 --workers 4 --mask causal --head-dim 4 --dtype bf16 "
    "--pass backward ";

TEST(Plan, ABackwardPassMovesGradientsAndSaysSo) {
  const std::string table = plan(kBackwardRing);
  EXPECT_THAT(table, HasSubstr("4 workers · causal mask · kernel flash · backward pass"));
  EXPECT_THAT(table, HasSubstr("exact gradients: proved"));
  EXPECT_THAT(table, ContainsRegex("K +p2p +its beginning +12 +192 B +48 B"));
  EXPECT_THAT(table, ContainsRegex("dV +p2p +its end +16 +512 B +128 B"));
  EXPECT_THAT(table, HasSubstr("backward pass          1.44 kFLOP")) << "10 d of 36 pairs";
  const std::string json = plan(std::string(kBackwardRing) + "--json");
  EXPECT_THAT(json, HasSubstr(R"("pass":"backward","check":"exact","moved":[{"tensor":"K",)"));
  EXPECT_THAT(json, HasSubstr(R"({"tensor":"dK","transfer":"p2p","transfers":16,"bytes":512,)"
                              R"("busiest_worker_bytes":128})"));
  EXPECT_THAT(json, HasSubstr(R"("pairs_by_step":[3,4,0,0,0],"sent_bytes":352,)"));
}

TEST(Plan, ABackwardPassOfCqsScattersDOAndItsStatistics) {
  const std::string json = plan(std::string(kCaseStudyOne) + "--pass backward --json");
  for (const char* tensor : {"Q", "K", "V", "dO", "LSE", "D"})
    EXPECT_THAT(json,
                HasSubstr(std::string(R"({"tensor":")") + tensor + R"(","transfer":"scatter")"));
  for (const char* tensor : {"dQ", "dK", "dV"})
    EXPECT_THAT(json,
                HasSubstr(std::string(R"({"tensor":")") + tensor + R"(","transfer":"gather")"));
}

TEST(Plan, AnAlgorithmWithoutABackwardPassIsRefused) {
  const testing_support::Said said =
      testing_support::run_qb("plan --algorithm pass_q --n-tokens 64 --workers 4 --pass backward");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.err,
            "qb: pass_q has no backward pass; take an algorithm that has one, such as ring or "
            "burst\n");
  EXPECT_THAT(testing_support::run_qb("plan --n-tokens 64 --workers 4 --pass bakward").err,
              HasSubstr("did you mean 'backward'?"));
}

}  // namespace
}  // namespace qb
