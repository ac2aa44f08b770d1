// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/audit/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/schema/run_tables.h"
#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using Verdict = RunComparison::Verdict;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(TimeVerdict, DisjointIntervalsAndAMedianBeyondTheThreshold) {
  const RunComparison::Timing base{1.0, 0.99, 1.01, 7};
  EXPECT_EQ(time_verdict(base, {1.20, 1.19, 1.21, 7}, 0.05), Verdict::slow);
  EXPECT_EQ(time_verdict(base, {0.80, 0.79, 0.81, 7}, 0.05), Verdict::fast);
}

TEST(TimeVerdict, WithinTheThresholdIsTheSame) {
  EXPECT_EQ(time_verdict({1.0, 0.99, 1.01, 7}, {1.01, 1.0, 1.02, 7}, 0.05), Verdict::same);
  // The medians surely differ, but by less than the threshold.
  EXPECT_EQ(time_verdict({1.0, 0.999, 1.001, 7}, {1.02, 1.019, 1.021, 7}, 0.05), Verdict::same);
}

TEST(TimeVerdict, NoiseIsAmbiguousHoweverFarTheMediansAreApart) {
  EXPECT_EQ(time_verdict({1.0, 0.5, 2.0, 7}, {1.5, 0.9, 2.5, 7}, 0.05), Verdict::ambiguous);
  // The intervals are disjoint, but only one end of the ratio is above the threshold.
  EXPECT_EQ(time_verdict({1.0, 0.99, 1.01, 7}, {1.04, 1.02, 1.08, 7}, 0.05), Verdict::ambiguous);
}

TEST(TimeVerdict, WhatLiesExactlyOnALimitIsNotBeyondIt) {
  // ratio, low and high, with a threshold of a quarter
  EXPECT_EQ(ratio_verdict(1.5, 1.125, 2.0, 0.25), Verdict::slow);
  EXPECT_EQ(ratio_verdict(1.5, 1.0, 2.0, 0.25), Verdict::ambiguous);
  EXPECT_EQ(ratio_verdict(1.25, 1.125, 1.25, 0.25), Verdict::same);
  EXPECT_EQ(ratio_verdict(1.25, 1.125, 1.5, 0.25), Verdict::ambiguous);
  EXPECT_EQ(ratio_verdict(0.5, 0.25, 0.875, 0.25), Verdict::fast);
  EXPECT_EQ(ratio_verdict(0.5, 0.25, 1.0, 0.25), Verdict::ambiguous);
  EXPECT_EQ(ratio_verdict(0.75, 0.75, 0.875, 0.25), Verdict::same);
  EXPECT_EQ(ratio_verdict(0.75, 0.5, 0.875, 0.25), Verdict::ambiguous);
  EXPECT_EQ(ratio_verdict(1.0, 0.75, 1.25, 0.25), Verdict::same);
  for (const double unknown : {kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(ratio_verdict(unknown, 1.0, 1.0, 0.25), Verdict::untimed);
    EXPECT_EQ(ratio_verdict(1.0, unknown, 1.0, 0.25), Verdict::untimed);
    EXPECT_EQ(ratio_verdict(1.0, 1.0, unknown, 0.25), Verdict::untimed);
  }
}

TEST(TimeVerdict, TwoRepeatsProveNothing) {
  EXPECT_EQ(time_verdict({1.0, 1.0, 1.0, 3}, {2.0, 2.0, 2.0, 3}, 0.05), Verdict::slow);
  EXPECT_EQ(time_verdict({1.0, 1.0, 1.0, 7}, {2.0, 2.0, 2.0, 2}, 0.05), Verdict::ambiguous);
  EXPECT_EQ(time_verdict({1.0, 1.0, 1.0, kNan}, {2.0, 2.0, 2.0, 7}, 0.05), Verdict::ambiguous);
  EXPECT_EQ(time_verdict({1.0, 1.0, 1.0, 2}, {2.0, 2.0, 2.0, 7}, 0.05), Verdict::ambiguous);
}

TEST(TimeVerdict, ADisturbedRowProvesNothing) {
  const RunComparison::Timing a{1.0, 1.0, 1.0, 7};
  RunComparison::Timing b{2.0, 2.0, 2.0, 7};
  ASSERT_EQ(time_verdict(a, b, 0.05), Verdict::slow);
  b.disturbed_by = "neighbours";
  EXPECT_EQ(time_verdict(a, b, 0.05), Verdict::ambiguous);
  EXPECT_EQ(time_verdict(b, a, 0.05), Verdict::ambiguous);
}

TEST(TimeVerdict, WithoutATimeThereIsNone) {
  EXPECT_EQ(time_verdict({kNan, kNan, kNan, kNan}, {1, 1, 1, 7}, 0.05), Verdict::untimed);
  EXPECT_EQ(time_verdict({0, 0, 0, 7}, {1, 1, 1, 7}, 0.05), Verdict::untimed);
}

// Compares one case of each side.
RunComparison::Row compare_rows(const RunRow& a, const RunRow& b,
                                const CompareOptions& options = {}) {
  FakeRun run_a("a");
  FakeRun run_b("b");
  run_a.with({a});
  run_b.with({b});
  const RunComparison comparison =
      compare_runs(read_run_folder(run_a.path()), read_run_folder(run_b.path()), options);
  EXPECT_EQ(comparison.cases.size(), 1U);
  return comparison.cases.at(0);
}

TEST(Compare, SlowerIsARegressionAndFasterIsNone) {
  const RunRow base = FakeRun::ok_row(tiny("cqs", 7), 1.0, 0.99, 1.01);
  const RunComparison::Row slow =
      compare_rows(base, FakeRun::ok_row(tiny("cqs", 7), 1.5, 1.49, 1.51));
  EXPECT_EQ(slow.verdict, Verdict::slow);
  EXPECT_DOUBLE_EQ(slow.ratio, 1.5);
  EXPECT_TRUE(slow.regression());
  const RunComparison::Row fast =
      compare_rows(base, FakeRun::ok_row(tiny("cqs", 7), 0.5, 0.49, 0.51));
  EXPECT_EQ(fast.verdict, Verdict::fast);
  EXPECT_FALSE(fast.regression());
}

TEST(Compare, InstructionsAreJudgedEvenIfTheTimesWereDisturbed) {
  RunRow base = FakeRun::ok_row(tiny("cqs", 7), 1.0, 0.99, 1.01);
  base["disturbed_samples"] = "4";
  base["disturbed_by"] = "stolen";
  RunRow more = FakeRun::ok_row(tiny("cqs", 7), 2.0, 1.99, 2.01);
  for (const std::string end : {"median", "low95", "high95"}) {
    base["instructions_" + end] = "1e9";
    more["instructions_" + end] = "1.2e9";
  }
  const RunComparison::Row by_time = compare_rows(base, more);
  EXPECT_EQ(by_time.verdict, Verdict::ambiguous);
  EXPECT_EQ(by_time.a.time.disturbed_by, "stolen");
  const RunComparison::Row by_count = compare_rows(base, more, {.metric = "instructions"});
  EXPECT_EQ(by_count.verdict, Verdict::slow);
  EXPECT_DOUBLE_EQ(by_count.ratio, 1.2);
}

TEST(Compare, MoreMemoryIsARegression) {
  const RunRow base = FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1);
  RunRow more = base;
  more["active_memory_peak_bytes"] = "1020000";
  EXPECT_TRUE(compare_rows(base, more).regression());
  EXPECT_EQ(compare_rows(more, base).memory, RunComparison::Change::better);
  RunRow little = base;
  little["active_memory_peak_bytes"] = "1009000";
  EXPECT_EQ(compare_rows(base, little).memory, RunComparison::Change::same);
}

TEST(Compare, LosingAResultIsARegressionAndGainingOneIsNone) {
  const RunRow ok = FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1);
  for (const char* status : {"oom", "timeout", "incorrect", "crashed", "unsupported"}) {
    SCOPED_TRACE(status);
    const RunRow failed = FakeRun::untimed_row(tiny("cqs", 7), status);
    const RunComparison::Row lost = compare_rows(ok, failed);
    EXPECT_TRUE(lost.regression());
    EXPECT_EQ(lost.verdict, Verdict::untimed);
    EXPECT_FALSE(compare_rows(failed, ok).regression());
    EXPECT_FALSE(compare_rows(failed, failed).regression());
  }
}

TEST(Compare, StatusesRankFromOkOverLimitsAndLateOnesToWrongOnes) {
  const std::vector<std::vector<std::string>> ranks = {
      {"ok"},
      {"oom", "oom_skipped", "infeasible", "unsupported"},
      {"timeout", "interrupted"},
      {"incorrect", "crashed", "error"}};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const std::string& before : ranks[i])
      for (std::size_t j = 0; j < ranks.size(); ++j)
        for (const std::string& after : ranks[j]) {
          using Change = RunComparison::Change;
          EXPECT_EQ(compare_rows(FakeRun::untimed_row(tiny("cqs", 7), before),
                                 FakeRun::untimed_row(tiny("cqs", 7), after))
                        .status,
                    j > i   ? Change::worse
                    : j < i ? Change::better
                            : Change::same)
              << before << " to " << after;
        }
}

TEST(Compare, AnHonestLimitThatBecameAWrongResultIsARegression) {
  EXPECT_TRUE(compare_rows(FakeRun::untimed_row(tiny("cqs", 7), "oom"),
                           FakeRun::untimed_row(tiny("cqs", 7), "incorrect"))
                  .regression());
}

TEST(Compare, ThreadsAreComparedByTheWallClockUnlessToldOtherwise) {
  Case threads = tiny("cqs", 7);
  threads.ranks = Ranks::threads;
  const RunRow base = FakeRun::ok_row(threads, 1.0, 1.0, 1.0);
  RunRow slower_wall = base;
  for (const char* column : {"wall_time_median_s", "wall_time_low95_s", "wall_time_high95_s"})
    slower_wall[column] = "2";
  EXPECT_EQ(compare_rows(base, slower_wall).verdict, Verdict::slow);
  CompareOptions options;
  options.metric = "critical_path";
  EXPECT_EQ(compare_rows(base, slower_wall, options).verdict, Verdict::same);
}

TEST(Compare, MissingAndNewCasesAreListedByWhatTellsThemApart) {
  FakeRun a("missing_a");
  FakeRun b("missing_b");
  a.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1), FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1)});
  b.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1), FakeRun::ok_row(tiny("cqs", 8), 1, 1, 1)});
  const RunComparison comparison =
      compare_runs(read_run_folder(a.path()), read_run_folder(b.path()), {});
  EXPECT_THAT(comparison.missing, ElementsAre("algorithm=cqs workers=7"));
  EXPECT_THAT(comparison.added, ElementsAre("algorithm=cqs workers=8"));
  const std::string text = comparison_text(comparison, {});
  EXPECT_THAT(text, AllOf(HasSubstr("missing in B: algorithm=cqs workers=7"),
                          HasSubstr("new in B: algorithm=cqs workers=8"),
                          HasSubstr("1 in both: 0 FAST, 0 SLOW, 1 SAME, 0 AMBIGUOUS"),
                          HasSubstr("no regression")));
}

TEST(Compare, CasesStandInTheOrderOfTheirParametersNotOfTheRun) {
  FakeRun a("order_a");
  std::vector<RunRow> rows;
  for (const int workers : {31, 7, 111, 8})
    rows.push_back(FakeRun::ok_row(tiny("cqs", workers), 1, 1, 1));
  a.with(rows);
  const RunFolder run = read_run_folder(a.path());
  std::vector<std::string> labels;
  for (const RunComparison::Row& c : compare_runs(run, run, {}).cases) labels.push_back(c.label);
  EXPECT_THAT(labels, ElementsAre("algorithm=cqs workers=7", "algorithm=cqs workers=8",
                                  "algorithm=cqs workers=31", "algorithm=cqs workers=111"));
}

TEST(Compare, OtherDevicesAreRefusedUnlessAskedForAndThenLabelled) {
  FakeRun a("device_a");
  FakeRun b("device_b");
  a.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  b.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  b.write_manifest("Y");
  const RunFolder run_a = read_run_folder(a.path());
  const RunFolder run_b = read_run_folder(b.path());
  try {
    (void)compare_runs(run_a, run_b, {});
    ADD_FAILURE() << "runs of different devices were compared";
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), ExitCode::not_comparable);
    EXPECT_THAT(error.what(), HasSubstr("--across-devices"));
  }
  CompareOptions options;
  options.across_devices = true;
  EXPECT_THAT(comparison_text(compare_runs(run_a, run_b, options), options),
              HasSubstr("ACROSS DEVICES"));
}

TEST(Compare, AnotherSchemaIsNotComparableEvenAcrossDevices) {
  FakeRun a("schema_a");
  FakeRun b("schema_b");
  a.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  b.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  b.write_manifest("X", kSchemaVersion + 1);
  CompareOptions options;
  options.across_devices = true;
  EXPECT_THAT(
      [&] { (void)compare_runs(read_run_folder(a.path()), read_run_folder(b.path()), options); },
      ThrowsMessage<ExitError>(HasSubstr("schema_version")));
}

TEST(Compare, ARunOfAnEarlierSchemaIsComparable) {
  FakeRun a("older");
  FakeRun b("newer");
  a.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  a.write_manifest("X", kOldestSchema);
  b.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  const RunComparison comparison =
      compare_runs(read_run_folder(a.path()), read_run_folder(b.path()), {});
  EXPECT_EQ(comparison.cases.size(), 1u);
}

TEST(Compare, NothingInCommonIsNotAPass) {
  FakeRun a("disjoint_a");
  FakeRun b("disjoint_b");
  a.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1)});
  b.with({FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1)});
  EXPECT_THAT([&] { (void)compare_runs(read_run_folder(a.path()), read_run_folder(b.path()), {}); },
              ThrowsMessage<ExitError>(HasSubstr("no case in common")));
}

// A row with this kernel and instruction set.
RunRow row_of(Kernel kernel, const std::string& isa, double median, int workers = 1) {
  Case c = tiny(workers == 1 ? "dense" : "cqs", workers);
  c.kernel = kernel;
  RunRow row = FakeRun::ok_row(c, median, median, median);
  row["isa"] = isa;
  return row;
}

CompareOptions ignoring(std::vector<std::string> keys) {
  CompareOptions options;
  options.ignore = std::move(keys);
  return options;
}

TEST(Compare, AnIgnoredKeyMayDifferAndTheOutputSaysWhichRunHasWhat) {
  FakeRun a("ignore_a");
  FakeRun b("ignore_b");
  a.with({row_of(Kernel::flash, "avx512", 1)});
  b.with({row_of(Kernel::materialized, "", 2)});
  const RunFolder run_a = read_run_folder(a.path());
  const RunFolder run_b = read_run_folder(b.path());
  EXPECT_THAT([&] { (void)compare_runs(run_a, run_b, {}); },
              ThrowsMessage<ExitError>(HasSubstr("no case in common")));
  const CompareOptions options = ignoring({"kernel", "isa"});
  const RunComparison comparison = compare_runs(run_a, run_b, options);
  ASSERT_EQ(comparison.cases.size(), 1U);
  EXPECT_DOUBLE_EQ(comparison.cases[0].ratio, 2.0);
  EXPECT_THAT(comparison.cases[0].label, Not(HasSubstr("kernel")));
  EXPECT_THAT(comparison_text(comparison, options),
              AllOf(HasSubstr("ignored kernel: A flash, B materialized"),
                    HasSubstr("ignored isa: A avx512, B none")));
  const CsvTable csv = CsvTable::parse(comparison_csv(comparison, {}), "out");
  EXPECT_EQ(csv.text(0, "kernel_a"), "flash");
  EXPECT_EQ(csv.text(0, "kernel_b"), "materialized");
  EXPECT_EQ(csv.text(0, "isa_a"), "avx512");
}

TEST(Compare, AnIgnoredKeyWithSeveralValuesInARunIsAColumn) {
  FakeRun a("ignore_mixed_a");
  FakeRun b("ignore_mixed_b");
  a.with({row_of(Kernel::flash, "", 1, 1), row_of(Kernel::materialized, "", 1, 7)});
  b.with({row_of(Kernel::reference, "", 1, 1), row_of(Kernel::reference, "", 1, 7)});
  const CompareOptions options = ignoring({"kernel"});
  const RunComparison comparison =
      compare_runs(read_run_folder(a.path()), read_run_folder(b.path()), options);
  EXPECT_EQ(comparison.cases.size(), 2U);
  EXPECT_THAT(
      comparison_text(comparison, options),
      AllOf(HasSubstr("kernel A"), HasSubstr("materialized"), Not(HasSubstr("ignored kernel"))));
}

TEST(Compare, IgnoringWhatTellsTwoCasesApartIsRefused) {
  FakeRun a("ignore_same");
  a.with({row_of(Kernel::flash, "", 1), row_of(Kernel::materialized, "", 1)});
  const RunFolder run = read_run_folder(a.path());
  EXPECT_THAT([&] { (void)compare_runs(run, run, ignoring({"kernel"})); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("records 1 and 2"),
                                              HasSubstr("kernel=flash; kernel=materialized"))));
}

TEST(Compare, AnUnknownIgnoredKeyGetsTheNearest) {
  FakeRun a("ignore_unknown");
  a.with({row_of(Kernel::flash, "", 1)});
  const RunFolder run = read_run_folder(a.path());
  EXPECT_THAT([&] { (void)compare_runs(run, run, ignoring({"kernle"})); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'kernel'?")));
}

TEST(Compare, ARunThatWasDisturbedOrBeganOnABusyMachineIsACaution) {
  const FakeRun quiet("quiet");
  const FakeRun noisy("noisy");
  quiet.with(
      {FakeRun::ok_row(tiny("dense", 1), 1, 1, 1), FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1)});
  RunRow disturbed = FakeRun::ok_row(tiny("dense", 1), 1, 1, 1);
  disturbed["disturbed_by"] = "neighbours";
  noisy.with({disturbed, FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1)});
  RunFolder a = read_run_folder(quiet.path());
  RunFolder b = read_run_folder(noisy.path());
  EXPECT_THAT(compare_runs(a, a, {}).cautions, testing::IsEmpty());
  EXPECT_THAT(compare_runs(a, b, {}).cautions,
              ElementsAre("CAUTION: 1 of the 2 cases of B stayed disturbed (1 neighbours)."));
  a.manifest.load_average = 1.0;  // of two processors
  EXPECT_EQ(compare_runs(a, b, {}).cautions.size(), 1u);
  a.manifest.load_average = 1.01;
  const RunComparison both = compare_runs(a, b, {});
  EXPECT_THAT(both.cautions,
              ElementsAre("CAUTION: the machine was busy when A began (load average 1.01 on 2 "
                          "processors).",
                          HasSubstr("of B stayed disturbed")));
  EXPECT_THAT(comparison_text(both, {}), testing::StartsWith("CAUTION: the machine was busy"));
  a.manifest.load_average = 0.0;
  a.manifest.noise_floor = {"dense W=1", 1.02, 0.97, 1.08};
  EXPECT_THAT(
      compare_runs(a, a, {}).cautions[0],
      "A: Noise check: dense W=1 measured twice differs by a factor 1.020 [0.970, 1.080]; do "
      "not believe speed-ups closer to 1 than this.");
}

}  // namespace
}  // namespace qb
