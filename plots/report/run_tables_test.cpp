// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <gmock/gmock.h>

#include "plots/published/published.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;

TEST(RunTables, CaseStudy2StandsBesideThePublishedNumbers) {
  const Table table = case_study_2_table(case_study_2(10), published_case_study_2());
  ASSERT_EQ(table.rows.size(), 45u);
  EXPECT_THAT(table.rows[0], ElementsAre("1", "1,000", "3.43", "20.0", "18.6 to 22.4", "5 (93 %)",
                                         "5.83", "-", "-", "-", "ok"));
  // At W = 8, N = 1000, S is 4 here and 3.431/1.544 in the paper.
  EXPECT_THAT(table.rows[27], ElementsAre("8", "1,000", "1.54", "5.00", "4.65 to 5.60", "5 (93 %)",
                                          "3.24", "2.22", "4.00", "1.80", "ok"));
}

TEST(RunTables, ACaseWithoutATimeHasDashes) {
  const Table table = case_study_2_table(case_study_2(10), published_case_study_2());
  EXPECT_THAT(table.rows[4],
              ElementsAre("1", "4,500", "789", "-", "-", "-", "-", "-", "-", "-", "oom"));
}

TEST(RunTables, OtherSweepsHaveNoCaseStudyTable) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1234, 1.0));
  EXPECT_TRUE(case_study_2_table(cases, published_case_study_2()).rows.empty());
}

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
