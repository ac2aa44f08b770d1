// SPDX-License-Identifier: Apache-2.0
// `qb columns` and `qb env` through the real binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/cli/testing/run_binary.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/store/environment.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

TEST(ColumnsVerb, SaysNameUnitMeaningAndWhenAColumnIsEmpty) {
  const Said said = run_qb("columns");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("\ncase_id\n    a hash of the parameters"),
                              HasSubstr("\ngpu\n    the name of the GPU. Empty: on a CPU.\n"),
                              HasSubstr("\nwall_time_median_s  [s]\n    the real time of a repeat"),
                              HasSubstr("a natural logarithm")));
}

TEST(ColumnsVerb, TakesAFileOfARunFolder) {
  EXPECT_EQ(run_qb("columns results/smoke/latest/steps.csv").out, run_qb("columns steps.csv").out);
  EXPECT_THAT(run_qb("columns steps.csv").out, HasSubstr("idle_s  [s]"));
  const Said said = run_qb("columns step.csv");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.err, HasSubstr("unknown table 'step.csv'; did you mean 'steps.csv'?"));
}

TEST(EnvVerb, IsShortUnlessAllIsAskedFor) {
  const std::string facts = run_qb("env").out;
  EXPECT_LE(std::ranges::count(facts, '\n'), 20) << facts;
  EXPECT_THAT(run_qb("env --all").out, AllOf(HasSubstr("cpu.model"), HasSubstr("build.flags")));
  const std::string_view tried = build_info().tried;
  EXPECT_EQ(facts.find("sources changed since") == std::string::npos, tried.empty());
  EXPECT_THAT(facts, HasSubstr(std::string(tried)));
}

}  // namespace
}  // namespace qb
