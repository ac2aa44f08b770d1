// SPDX-License-Identifier: Apache-2.0
// `qb select` through the real binary.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "harness/cli/testing/run_binary.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

constexpr const char* kHeader =
    "algorithm,ranks,workers,n_tokens,kv_len,q_heads,kv_heads,dtype,status,wall_time_median_s,"
    "peak_flop_per_s,link_bandwidth_byte_per_s\n";

std::string row(const char* algorithm, int new_tokens, int all_tokens, const char* rest) {
  return fmt::format("{},model,4,{},{},128,8,bf16,{}\n", algorithm, new_tokens, all_tokens, rest);
}

// T = 1280: pass-Q is 25 % faster; T = 12800: pass-KV is 10 % faster.
std::string two_pairs() {
  return kHeader + row("pass_kv", 1280, 128000, "ok,1.25,8e14,5e10") +
         row("pass_q", 12800, 128000, "ok,2.2,8e14,5e10") +
         row("dense", 12800, 128000, "ok,9,8e14,5e10") +
         row("pass_q", 1280, 128000, "ok,1.0,8e14,5e10") +
         row("pass_kv", 12800, 128000, "ok,2.0,8e14,5e10") +
         row("pass_kv", 99, 128000, "oom,,8e14,5e10") + row("pass_q", 99, 128000, "ok,1,8e14,5e10");
}

class SelectVerb : public testing::Test {
 protected:
  Said select(const std::string& cases, const std::string& more = "") {
    (void)scratch_.file("cases.csv", cases);
    return run_qb("select " + scratch_.path() + " " + more);
  }
  ScratchFolder scratch_;
};

TEST_F(SelectVerb, PairsRowsThatDifferInTheAlgorithmAloneAndScoresThem) {
  const Said said = select(two_pairs());
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("algorithm 1               1  0           0  1  "
                                        "100.00 %       0.00 %      0.00 %"),
                              HasSubstr("always pass_kv            1  0           1  0   "
                                        "50.00 %      12.50 %     25.00 %"),
                              HasSubstr("always pass_q             0  1           0  1   "
                                        "50.00 %       5.00 %     10.00 %")));
  EXPECT_THAT(said.out, AllOf(HasSubstr("There are 2 pairs, and pass_kv is faster in 1 of them"),
                              HasSubstr("1 cases have no partner"),  // it ran out of memory
                              Not(HasSubstr("serial"))));
  const CsvTable csv = CsvTable::parse(select(two_pairs(), "--csv").out, "csv");
  ASSERT_EQ(csv.size(), 4u);
  EXPECT_EQ(csv.text(0, "selector"), "algorithm 1");
  EXPECT_EQ(csv.number(2, "max_regret"), 0.25);
}

TEST_F(SelectVerb, OptionsReplaceTheColumns) {
  // On a slow link pass-KV never hides behind the compute: Algorithm 1 then takes pass-Q only.
  const Said said = select(two_pairs(), "--compute 1e15 --bandwidth 1");
  EXPECT_THAT(said.out, HasSubstr("algorithm 1               0  1           0  1   50.00 %   "
                                  "    5.00 %     10.00 %"));
}

TEST_F(SelectVerb, WhatIsMissingIsAskedForInOneSentence) {
  std::string text = two_pairs();
  text.replace(text.find("link_bandwidth_byte_per_s"), 4, "kink");
  EXPECT_THAT(select(text).err,
              HasSubstr("cases.csv has no link_bandwidth_byte_per_s; say --bandwidth BYTES/s, what "
                        "one worker can send"));
  const auto message = [&](const char* one, const char* other, int all_tokens, const char* rest) {
    return select(kHeader + row(one, 9, all_tokens, rest) + row(other, 9, all_tokens, "ok,1,1,1"))
        .err;
  };
  EXPECT_THAT(message("pass_kv", "pass_q", 8, "ok,1,1,1"),
              HasSubstr("kv_len 8 is less than n_tokens 9"));
  EXPECT_THAT(message("pass_kv", "pass_q", 9, "ok,1,,1"), HasSubstr("--compute"));
  EXPECT_THAT(message("pass_q", "pass_q", 9, "ok,1,1,1"),
              HasSubstr("rows 1 and 2 are the same case"));
  EXPECT_THAT(message("pass_kv", "pass_q", 9, "ok,,1,1"), HasSubstr("no wall_time_median_s"));
}

TEST_F(SelectVerb, ExitCodesSayWhatIsWrong) {
  EXPECT_EQ(select(kHeader + row("dense", 9, 9, "ok,1,1,1")).exit_code, 5);
  EXPECT_EQ(select("").exit_code, 2);
  EXPECT_EQ(select("a,b\n1,2\n").exit_code, 2);
  EXPECT_EQ(select(two_pairs(), "--bandwidth 0").exit_code, 2);
  EXPECT_EQ(run_qb("select /nowhere").exit_code, 2);
  EXPECT_EQ(run_qb("select").exit_code, 2);
}

}  // namespace
}  // namespace qb
