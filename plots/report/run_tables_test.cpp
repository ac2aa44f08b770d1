// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

TEST(RunTables, CasesThatFailForOneReasonAreOneRow) {
  const Table table = failed_cases_table(case_study_2(10));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0],
              ElementsAre("1", "W = 1, N = 4,500", "scores: 64.80 GB over the budget", "oom"));
  EXPECT_EQ(table.rows[1].at(0), "4");
  EXPECT_EQ(table.rows[1].at(3), "oom_skipped");
}

TEST(RunTables, WhatDiffersBetweenCasesIsAColumnAndTheStatusIsTheLast) {
  const Table table = cases_table(case_study_2(10));
  EXPECT_EQ(table.rows.size(), 45u);
  EXPECT_EQ(table.header.front(), "algorithm");
  EXPECT_EQ(table.header.back(), "status");
  EXPECT_THAT(table.header, ::testing::Not(::testing::Contains("kernel")));
  EXPECT_THAT(table.header, ::testing::Not(::testing::Contains("kv_len")))
      << "as many keys as tokens is not a difference of its own";
  EXPECT_THAT(table.notes.at(0), ::testing::HasSubstr("materialized"));
  EXPECT_TRUE(cases_table(no_cases()).rows.empty());
}
}  // namespace
}  // namespace qb
