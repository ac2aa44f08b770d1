// SPDX-License-Identifier: Apache-2.0
#include "harness/microbench/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace qb {
namespace {

using ::testing::HasSubstr;

MicrobenchRow flash_row(double fraction, int repeat = 1) {
  MicrobenchRow row;
  row.case_id = "flash/f32/full/n:8192/d:64/h:8/threads:1";
  row.benchmark = "flash";
  row.dtype = "f32";
  row.mask = "full";
  row.threads = 1;
  row.n_tokens = 8192;
  row.head_dim = 64;
  row.repeat = repeat;
  row.warmup = repeat == 0;
  row.peak_fraction = fraction;
  row.peak_per_s = 1e11;
  return row;
}

const Target& find(const std::vector<Target>& targets, std::string_view what) {
  const auto found = std::find_if(targets.begin(), targets.end(), [&](const Target& t) {
    return t.what.find(what) != std::string::npos;
  });
  EXPECT_NE(found, targets.end()) << what;
  return *found;
}

constexpr const char* kOneThread = "f32, d = 64, N = 8192, 1 thread";

TEST(Targets, WithoutRowsNothingIsMeasuredAndNothingMet) {
  for (const Target& target : judge({}, 2)) {
    EXPECT_EQ(target.verdict, "not measured") << target.what;
    EXPECT_EQ(target.measured, "");
  }
}

TEST(Targets, TheMedianOfTheMeasuredRepeatsDecides) {
  const auto verdict = [](std::vector<double> fractions) {
    std::vector<MicrobenchRow> rows = {flash_row(0.1, 0)};
    for (std::size_t i = 0; i < fractions.size(); ++i)
      rows.push_back(flash_row(fractions[i], static_cast<int>(i) + 1));
    return find(judge(rows, 2), kOneThread);
  };
  EXPECT_EQ(verdict({0.2, 0.9, 0.86}).verdict, "met");
  EXPECT_EQ(verdict({0.2, 0.9, 0.86}).measured, "86.0 %");
  EXPECT_EQ(verdict({0.2, 0.9, 0.84}).verdict, "missed");
}

TEST(Targets, DisturbedRepeatsAreLeftOutWhileTwoOthersStand) {
  std::vector<MicrobenchRow> rows = {flash_row(0.4), flash_row(0.9), flash_row(0.88)};
  rows[0].disturbed_by = Disturbance::neighbours;
  EXPECT_EQ(find(judge(rows, 2), kOneThread).measured, "89.0 %");
  EXPECT_EQ(find(judge(rows, 2), kOneThread).verdict, "met");
  rows[1].disturbed_by = Disturbance::stolen;
  EXPECT_EQ(find(judge(rows, 2), kOneThread).measured, "88.0 %");
  EXPECT_EQ(find(judge(rows, 2), kOneThread).verdict, "disturbed");
  for (MicrobenchRow& row : rows) row.disturbed_by = Disturbance::stopped;
  EXPECT_EQ(find(judge(rows, 2), kOneThread).verdict, "disturbed");
}

TEST(Targets, ARatioIsDisturbedWithEitherSide) {
  MicrobenchRow f32 = flash_row(0.8);
  MicrobenchRow bf16 = flash_row(0.9);
  bf16.dtype = "bf16";
  bf16.peak_per_s = 2e11;
  f32.disturbed_by = Disturbance::waiting;
  EXPECT_EQ(find(judge({f32, bf16}, 1), "bf16 over f32 rate, d = 64").verdict, "disturbed");
}

TEST(Targets, RowsOfSweepsAndOfForcedInstructionSetsAreOthers) {
  MicrobenchRow swept = flash_row(0.9);
  swept.case_id = "sweep/" + swept.case_id;
  MicrobenchRow forced = flash_row(0.9);
  forced.case_id += "/isa:avx2";
  const auto targets = judge({swept, forced}, 2);
  EXPECT_EQ(find(targets, kOneThread).verdict, "not measured");
  EXPECT_EQ(find(targets, "AVX2").verdict, "met");
}

TEST(Targets, RatiosCompareRatesThroughTheirCeilings) {
  MicrobenchRow f32 = flash_row(0.8);
  MicrobenchRow bf16 = flash_row(0.7);
  bf16.dtype = "bf16";
  bf16.peak_per_s = 2e11;
  EXPECT_EQ(find(judge({f32, bf16}, 1), "bf16 over f32 rate, d = 64").measured, "1.75");
  f32.peak_fraction = 0.95;
  EXPECT_EQ(find(judge({f32, bf16}, 1), "bf16 over f32 rate, d = 64").verdict, "missed");
}

TEST(Targets, TheBackwardPassHasItsOwn) {
  MicrobenchRow one = flash_row(0.78);
  one.case_id = "backward/f32/full/n:8192/d:64/h:1/threads:1";
  one.benchmark = "backward";
  MicrobenchRow two = one;
  two.threads = 2;
  two.peak_per_s = 1.9e11;
  MicrobenchRow causal = one;
  causal.mask = "causal";
  const auto targets = judge({one, two, causal}, 2);
  EXPECT_EQ(find(targets, "backward of one head, f32, full, d = 64, N = 8192, 1").verdict,
            "missed");
  EXPECT_EQ(find(targets, "backward of one head, f32, causal, d = 64, N = 8192, 1").verdict, "met");
  EXPECT_EQ(find(targets, "d = 64: 2 threads over one").measured, "1.9");
  EXPECT_EQ(find(targets, "f32, d = 64, N = 8192, 1 thread").verdict, "not measured");
}

TEST(Targets, EachPassOfCqsHasItsLimit) {
  MicrobenchRow row = flash_row(kNotAvailable);
  row.n_tokens = 16384;
  row.workers = 7;
  row.threads = 2;
  row.overhead = 1.09;
  row.benchmark = "cqs";
  EXPECT_EQ(find(judge({row}, 2), "CQS, W = 7").verdict, "missed");
  row.benchmark = "cqs_backward";
  EXPECT_EQ(find(judge({row}, 2), "CQS backward, 2 threads, W = 7").verdict, "met");
  EXPECT_EQ(find(judge({row}, 2), "CQS backward, 1 thread, W = 7").verdict, "not measured");
  row.threads = 1;
  EXPECT_EQ(find(judge({row}, 2), "CQS backward, 1 thread, W = 7").verdict, "met");
  EXPECT_EQ(find(judge({row}, 2), "CQS backward, 1 thread, W = 31").verdict, "not measured");
}

TEST(Targets, TheWorstErrorDecides) {
  MicrobenchRow good = flash_row(kNotAvailable);
  good.error_ratio = 1.1;
  MicrobenchRow bad = good;
  bad.error_ratio = 1.6;
  EXPECT_EQ(find(judge({good}, 1), "f32: error").verdict, "met");
  EXPECT_EQ(find(judge({bad, good}, 1), "f32: error").verdict, "missed");
}

TEST(Targets, TheTableSaysMetMissedOrNotMeasured) {
  const std::string table = target_table(judge({flash_row(0.9)}, 1));
  EXPECT_THAT(table, HasSubstr("90.0 %"));
  EXPECT_THAT(table, HasSubstr("met"));
  EXPECT_THAT(table, HasSubstr("not measured"));
}

}  // namespace
}  // namespace qb
