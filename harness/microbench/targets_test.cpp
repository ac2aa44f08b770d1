// SPDX-License-Identifier: Apache-2.0
#include "harness/microbench/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb {
namespace {

using ::testing::HasSubstr;

constexpr const char* kName = "flash/f32/full/n:8192/d:64/h:8/threads:1";

MicrobenchRow flash_row(double fraction, int repeat = 1) {
  MicrobenchRow row;
  row.case_id = kName;
  row.repeat = repeat;
  row.warmup = repeat == 0;
  row.peak_fraction = fraction;
  return row;
}

Target judged(const std::vector<MicrobenchRow>& rows, const Limit& limit = of_ceiling(0.85),
              const std::string& name = kName) {
  return judge(rows, {{.name = "fma/f32"}, {.name = name, .limit = limit}}).at(0);
}

TEST(Targets, WithoutRowsNothingIsMeasuredAndNothingMet) {
  const Target target = judged({});
  EXPECT_EQ(target.benchmark, kName);
  EXPECT_EQ(target.target, ">= 85.0 %");
  EXPECT_EQ(target.verdict, "not measured");
  EXPECT_EQ(target.measured, "");
}

TEST(Targets, TheMedianOfTheMeasuredRepeatsDecides) {
  const auto judged_of = [](std::vector<double> fractions) {
    std::vector<MicrobenchRow> rows = {flash_row(0.1, 0)};
    for (std::size_t i = 0; i < fractions.size(); ++i)
      rows.push_back(flash_row(fractions[i], static_cast<int>(i) + 1));
    return judged(rows);
  };
  EXPECT_EQ(judged_of({0.2, 0.9, 0.86}).verdict, "met");
  EXPECT_EQ(judged_of({0.2, 0.9, 0.86}).measured, "86.0 %");
  EXPECT_EQ(judged_of({0.2, 0.9, 0.84}).verdict, "missed");
}

TEST(Targets, DisturbedRepeatsAreLeftOutWhileTwoOthersStand) {
  std::vector<MicrobenchRow> rows = {flash_row(0.4), flash_row(0.9), flash_row(0.88)};
  rows[0].disturbed_by = Disturbance::neighbours;
  EXPECT_EQ(judged(rows).measured, "89.0 %");
  EXPECT_EQ(judged(rows).verdict, "met");
  rows[1].disturbed_by = Disturbance::stolen;
  EXPECT_EQ(judged(rows).measured, "88.0 %");
  EXPECT_EQ(judged(rows).verdict, "disturbed");
  for (MicrobenchRow& row : rows) row.disturbed_by = Disturbance::stopped;
  EXPECT_EQ(judged(rows).verdict, "disturbed");
}

TEST(Targets, RowsOfSweepsAndOfForcedInstructionSetsAreOthers) {
  MicrobenchRow swept = flash_row(0.9);
  swept.case_id = "sweep/" + swept.case_id;
  MicrobenchRow forced = flash_row(0.9);
  forced.case_id += "/isa:avx2";
  EXPECT_EQ(judged({swept, forced}).verdict, "not measured");
  EXPECT_EQ(judged({swept, forced}, of_ceiling(0.80), forced.case_id).verdict, "met");
}

TEST(Targets, OtherValuesThanSharesOfTheCeilingHaveAMost) {
  MicrobenchRow row = flash_row(kNotAvailable);
  row.overhead = 1.09;
  EXPECT_EQ(judged({row}, {&MicrobenchRow::overhead, 1.08}).verdict, "missed");
  EXPECT_EQ(judged({row}, {&MicrobenchRow::overhead, 1.10}).verdict, "met");
  EXPECT_EQ(judged({row}, {&MicrobenchRow::overhead, 1.10}).target, "<= 1.1");
  EXPECT_EQ(judged({row}, {&MicrobenchRow::overhead, 1.5}).measured, "1.09");
  EXPECT_EQ(judged({row}).verdict, "not measured");
}

TEST(Targets, TheTableSaysMetMissedOrNotMeasured) {
  const Limit limit = of_ceiling(0.85);
  const std::string table = target_table(judge(
      {flash_row(0.9)}, {{.name = kName, .limit = limit}, {.name = "decode/f32", .limit = limit}}));
  EXPECT_THAT(table, HasSubstr("90.0 %"));
  EXPECT_THAT(table, HasSubstr("met"));
  EXPECT_THAT(table, HasSubstr("not measured"));
}

}  // namespace
}  // namespace qb
