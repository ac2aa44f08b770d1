// SPDX-License-Identifier: Apache-2.0
// The text and the CSV of a comparison.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "harness/experiment/audit/compare.h"
#include "harness/experiment/testing/fake_run.h"
#include "harness/workload/testing/tiny_case.h"

namespace qb {
namespace {

using Verdict = RunComparison::Verdict;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Two cases of which the second got slower, larger and worse, one that is gone and a new one.
RunComparison a_comparison() {
  RunComparison comparison;
  const auto side = [](double time_s, double bytes, const std::string& dtype) {
    return RunComparison::Side{.time = {time_s, 0.5 * time_s, 2.0 * time_s, 7},
                               .memory_bytes = bytes,
                               .ignored = {"flash", dtype}};
  };
  comparison.device_a = comparison.device_b = "X";
  comparison.ignored = {"kernel", "dtype"};
  comparison.cases = {{.label = "W=1",
                       .a = side(1.0, 1000, "f32"),
                       .b = side(2.0, kNotANumber, ""),
                       .ratio = 2.0,
                       .verdict = Verdict::ambiguous},
                      {.label = "W=7",
                       .a = side(1e-3, 1000, "f16"),
                       .b = side(kNotANumber, 1500, ""),
                       .ratio = kNotANumber,
                       .memory = RunComparison::Change::worse,
                       .status = RunComparison::Change::worse}};
  comparison.cases[0].b.time.disturbed_by = "stolen";
  comparison.cases[1].b.status = Status::timeout;
  comparison.missing = {"W=8"};
  comparison.added = {"W=9", "W=10"};
  return comparison;
}

TEST(CompareText, TheTextHasEveryCaseAndItsCounts) {
  EXPECT_EQ(comparison_text(a_comparison(), {.threshold = 0.25}),
            R"(ignored kernel: A flash, B flash

case  dtype A  dtype B        A       B        B/A [interval]  time                               memory  status
----  -------  -------  -------  ------  --------------------  --------------------------------  -------  -------------  ----------
W=1   f32      none      1.00 s  2.00 s  2.000 [0.500, 8.000]  AMBIGUOUS, B disturbed by stolen        -  ok
W=7   f16      none     1.00 ms       -                     -  -                                 +50.0 %  ok -> timeout  REGRESSION

missing in B: W=8
new in B: W=9
new in B: W=10
2 in both: 0 FAST, 0 SLOW, 0 SAME, 1 AMBIGUOUS, 1 without times; 1 missing, 2 new; threshold 25 %; 1 regressed (time, memory or status)
)");
  EXPECT_EQ(comparison_text(a_comparison(), {.only_regressed = true}),
            R"(ignored kernel: A flash, B flash

case  dtype A  dtype B        A  B  B/A [interval]  time   memory  status
----  -------  -------  -------  -  --------------  ----  -------  -------------  ----------
W=7   f16      none     1.00 ms  -               -     -  +50.0 %  ok -> timeout  REGRESSION

missing in B: W=8
new in B: W=9
new in B: W=10
2 in both: 0 FAST, 0 SLOW, 0 SAME, 1 AMBIGUOUS, 1 without times; 1 missing, 2 new; threshold 5 %; 1 regressed (time, memory or status)
)");
}

TEST(CompareText, TheCsvHasEveryCaseAndItsFields) {
  const std::string header =
      "case,presence,median_a_s,median_b_s,ratio,verdict,memory_a_bytes,memory_b_bytes,status_a,"
      "status_b,regression,disturbed_a,disturbed_b,not_identical,kernel_a,kernel_b,dtype_a,dtype_"
      "b\n";
  const std::string fine =
      "W=1,both,1.0,2.0,2.0,AMBIGUOUS,1000,,ok,ok,no,,stolen,max_error,flash,flash,f32,\n";
  const std::string others =
      "W=7,both,0.001,,,,1000,1500,ok,timeout,yes,,,,flash,flash,f16,\n"
      "W=8,only_a,,,,,,,,,no,,,,,,,\n"
      "W=9,only_b,,,,,,,,,no,,,,,,,\n"
      "W=10,only_b,,,,,,,,,no,,,,,,,\n";
  RunComparison comparison = a_comparison();
  comparison.cases[0].unequal = "max_error";
  EXPECT_EQ(comparison_csv(comparison, {}), header + fine + others);
  EXPECT_EQ(comparison_csv(comparison, {.only_regressed = true}), header + others);
}

TEST(CompareText, CsvHasOneRecordACaseAndEmptyForNotAvailable) {
  FakeRun a("csv_a");
  FakeRun b("csv_b");
  a.with({FakeRun::ok_row(tiny("dense", 1), 1, 1, 1), FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1)});
  b.with({FakeRun::untimed_row(tiny("dense", 1), "oom")});
  const std::string csv =
      comparison_csv(compare_runs(read_run_folder(a.path()), read_run_folder(b.path()), {}), {});
  const CsvTable table = CsvTable::parse(csv, "out");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table.text(0, "status_b"), "oom");
  EXPECT_EQ(table.text(0, "ratio"), "");
  EXPECT_EQ(table.text(0, "regression"), "yes");
  EXPECT_EQ(table.text(1, "presence"), "only_a");
  EXPECT_THAT(csv, Not(HasSubstr("nan")));
}

TEST(CompareText, TheTextSaysWhatIsIdenticalAndNamesWhatIsNot) {
  const FakeRun run_a("exact_a");
  const FakeRun run_b("exact_b");
  const RunRow failed = FakeRun::untimed_row(tiny("dense", 1), "crashed");
  RunRow a = FakeRun::ok_row(tiny("cqs", 7), 1, 1, 1);
  a["unmasked_pairs"] = "10000";
  a["max_error"] = "1e-7";
  RunRow b = a;
  b["resident_peak_bytes"] = "5";  // no count of what the case did
  b["d_q_max_error"] = "0.5";      // A has none
  const auto text = [&] {
    return comparison_text(compare_runs(read_run_folder(run_a.with({a, failed}).path()),
                                        read_run_folder(run_b.with({b, failed}).path()), {}),
                           {});
  };
  EXPECT_THAT(text(),
              HasSubstr("Pairs, bytes and errors are identical (3 values of 2 cases).\n2 in both"));
  b["max_error"] = "2e-7";
  b["device_peak_bytes"] = "2000000";
  EXPECT_THAT(text(), AllOf(HasSubstr("not identical: algorithm=cqs workers=7: device_peak_bytes "
                                      "max_error\n2 in both"),
                            Not(HasSubstr("are identical"))));
}

TEST(CompareText, WhatTilesDecideIsNotHeldAgainstAnotherKernelOrMachine) {
  const FakeRun run_a("tiles_a");
  const FakeRun run_b("tiles_b");
  Case c = tiny("cqs", 7);
  const auto row_of = [&](const char* executed_pairs) {
    RunRow row = FakeRun::ok_row(c, 1, 1, 1);
    row["unmasked_pairs"] = "10000";
    row["executed_pairs"] = executed_pairs;
    row["max_error"] = "1e-7";
    return row;
  };
  const RunRow flash = row_of("12000");
  RunRow other = row_of("11000");
  const auto exactly = [&](const CompareOptions& options) {
    run_a.with({flash});
    run_b.write_tables({other});
    const RunComparison comparison =
        compare_runs(read_run_folder(run_a.path()), read_run_folder(run_b.path()), options);
    return fmt::format("{} {}", comparison.exact_values, comparison.cases.at(0).unequal);
  };
  run_b.write_manifest("X");
  EXPECT_EQ(exactly({}), "4 executed_pairs") << "the same kernel on the same machine";
  run_b.write_manifest("Y");
  EXPECT_EQ(exactly({.across_devices = true}), "2 ") << "pairs of the mask, and the error";
  run_b.write_manifest("X");
  c.kernel = Kernel::materialized;
  other = row_of("10000");
  EXPECT_EQ(exactly({.ignore = {"kernel"}}), "2 ");
}

TEST(CompareText, ManyLonelyCasesAreCountedAndTheCsvListsThem) {
  RunComparison comparison = a_comparison();
  for (int i = 0; i < 69; ++i) comparison.missing.push_back("N=" + std::to_string(i));
  const std::string text = comparison_text(comparison, {});
  EXPECT_THAT(text, HasSubstr("missing in B: N=3\nmissing in B: 65 more, which --csv lists\n"));
  EXPECT_THAT(text, HasSubstr("70 missing, 2 new"));
  EXPECT_THAT(comparison_csv(comparison, {}), HasSubstr("N=68,only_a"));
}

TEST(CompareText, TheTextSaysHowSureItsIntervalsAre) {
  RunComparison comparison = a_comparison();
  EXPECT_THAT(comparison_text(comparison, {}), Not(HasSubstr("probability")));
  comparison.cases[0].a.time.coverage = 0.984375;
  comparison.cases[0].b.time.coverage = 0.75;
  EXPECT_THAT(comparison_text(comparison, {}), HasSubstr("with a probability of 75.0 % or more."));
  EXPECT_THAT(comparison_text(comparison, {}), Not(HasSubstr("95 %")));
}

}  // namespace
}  // namespace qb
