// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/schema/parameter_fields.h"
#include "plots/published/published.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

TEST(SpeedUp, DividesTheBaseCaseOfTheSameLength) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  const Figure figure = speed_up_figure(cases);
  const Point point = figure.panels.at(0).series.at(0).points.at(0);
  EXPECT_DOUBLE_EQ(point.y, 4.0);
  EXPECT_DOUBLE_EQ(point.low, 4.0 * 0.93 / 1.12);
  EXPECT_DOUBLE_EQ(point.high, 4.0 * 1.12 / 0.93);
}

TEST(SpeedUp, CountsGatherAndMergeInTheSecondPanel) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  const Figure figure = speed_up_figure(cases);
  EXPECT_LT(figure.panels.at(1).series.at(0).points.at(0).y, 4.0);
}

TEST(SpeedUp, ThePairsOfTheLongestSubsequenceAreBehindEachLineAndInTheTitle) {
  const Figure figure = speed_up_figure(case_study_2(10));
  const auto bound = [&](const char* line) {
    return series_named(figure.panels.at(0), line).points.at(0).y;
  };
  EXPECT_NEAR(bound("W = 4, by pairs"), 1.78, 0.01);
  EXPECT_NEAR(bound("W = 7, by pairs"), 5.44, 0.02);
  EXPECT_NEAR(bound("W = 8, by pairs"), 4.0, 0.01);
  EXPECT_NEAR(bound("W = 31, by pairs"), 26.5, 0.3);
  EXPECT_EQ(
      figure.title,
      "W = 31 gains 26.6 to 26.7 times; 0 of 4 error bars lie above the 26.7 that pairs allow");
}

TEST(SpeedUp, ABaseBelowItsMachinesPeakIsCalledSlow) {
  const auto notes_of = [](const char* peak_fraction) {
    CsvTable cases = no_cases();
    Values base = ok_case(1, 1000, 1.0);
    base["peak_fraction"] = peak_fraction;
    add_case(cases, base);
    add_case(cases, ok_case(4, 1000, 0.5));
    add_case(cases, ok_case(8, 1000, 0.5));
    return speed_up_figure(cases).notes;
  };
  EXPECT_THAT(notes_of("0.43"), ::testing::Contains("A slow base: 1 case at 43 % of the peak."));
  for (const char* fine : {"0.61", ""})
    EXPECT_THAT(notes_of(fine), ::testing::Not(::testing::Contains(HasSubstr("slow base"))));
}

TEST(SpeedUp, AnotherKernelIsNoBase) {
  CsvTable cases = no_cases();
  Values flash = ok_case(1, 1000, 1.0);
  flash["kernel"] = "flash";
  add_case(cases, flash);
  add_case(cases, ok_case(8, 1000, 0.5));
  EXPECT_FALSE(base_case({&cases, 1}));
  EXPECT_THAT(speed_up_figure(cases).empty_reason, HasSubstr("one worker"));
}

TEST(SpeedUp, OnlySeveralWorkersMissTheTimeOfABase) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  // The base of one worker may have failed too, but one worker has no speed-up anyway.
  Values ring = ok_case(1, 2000, 1.0);
  ring["algorithm"] = "ring";
  ring["case_id"] += "ring";
  add_case(cases, ring);
  add_case(cases, failed_case(1, 2000, "timeout", "no answer"));
  ASSERT_TRUE(base_case({&cases, 2}));
  ASSERT_EQ(base_case({&cases, 2})->text("status"), "timeout");
  const auto missed = ::testing::Contains(HasSubstr("Not drawn"));
  EXPECT_THAT(speed_up_figure(cases).notes, ::testing::Not(missed));
  add_case(cases, ok_case(2, 2000, 0.5));
  EXPECT_THAT(speed_up_figure(cases).notes,
              ::testing::Contains("Not drawn: 1 case (untimed base)."));
}

// Both problems have 256 queries; only the number of keys tells their base cases apart.
TEST(SpeedUp, EachNumberOfKeysHasItsOwnBase) {
  CsvTable cases = no_cases();
  const auto with_keys = [&](Values values, const char* keys) {
    values["kv_len"] = keys;
    values["case_id"] += keys;
    return values;
  };
  for (const char* keys : {"1024", "8192"}) {
    add_case(cases, with_keys(ok_case(1, 256, 1.0), keys));
    add_case(cases, with_keys(ok_case(4, 256, 0.5), keys));
  }
  EXPECT_EQ(base_case({&cases, 1}), (Row{&cases, 0}));
  EXPECT_EQ(base_case({&cases, 3}), (Row{&cases, 2}));
}

TEST(SpeedUp, AProblemThatDiffersInAnyParameterIsNoBase) {
  for (const Field& field : kParameterFields) {
    if (field.group != FieldGroup::problem && field.group != FieldGroup::means) continue;
    CsvTable cases = no_cases();
    Values base = ok_case(1, 1000, 1.0);
    base[std::string(field.column)] = "other";
    add_case(cases, base);
    add_case(cases, ok_case(8, 1000, 0.5));
    EXPECT_FALSE(base_case({&cases, 1})) << field.column;
  }
}

TEST(SpeedUp, CasesThatRanOutOfMemoryAreSaidToBeLeftOut) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  add_case(cases, ok_case(8, 1000, 0.5));
  add_case(cases, failed_case(8, 2000, "oom", "too large"));
  EXPECT_THAT(speed_up_figure(cases).notes,
              ::testing::Contains("Not drawn: 1 case (out of memory)."));
}

TEST(SpeedUp, CasesWhoseBaseRanOutOfMemoryAreCounted) {
  const Figure figure = speed_up_figure(case_study_2(10));
  EXPECT_THAT(figure.notes.at(1), HasSubstr("20 cases"));
}

TEST(SpeedUp, PublishedSpeedUpsStandBesideOursOfTheSameQuantityOnOneAxis) {
  const Figure figure = speed_up_figure(with_published(case_study_2(10)));
  ASSERT_EQ(figure.panels.size(), 2u);
  const auto published = [](const Series& series) { return series.published; };
  EXPECT_EQ(std::ranges::count_if(figure.panels[0].series, published), 4);
  EXPECT_EQ(std::ranges::count_if(figure.panels[1].series, published), 0)
      << "theirs leaves gather and merge out";
  const auto theirs = std::ranges::find_if(figure.panels[0].series, published);
  EXPECT_EQ(theirs->points.front().x, 1000.0) << "at their N / 10, as ours";
  EXPECT_EQ(figure.published_legend, "published: A100, its clock not synchronised");
  EXPECT_FALSE(figure.panels[0].own_axes);
}

// Asserts that the title has what the most workers gain, and that no error bar of any line lies
// above what its pairs allow.
void expect_gains_within_pairs(const CommittedFigure& figure) {
  const auto lines = figure.lines("1");
  int above = 0;
  int all = 0;
  std::set<double> gains;
  for (const Mark& mark : figure.marks()) {
    if (mark.panel != "1" || !(mark.low > 0.0)) continue;
    const double allowed = lines.at(mark.series + ", by pairs").at(mark.x);
    EXPECT_LE(mark.low, allowed) << mark.series << " at N = " << mark.x;
    if (mark.series != "W = 31") continue;
    gains.insert(mark.y);
    above += mark.low > allowed ? 1 : 0;
    ++all;
  }
  double most_allowed = 0.0;
  for (const auto& [tokens, allowed] : lines.at("W = 31, by pairs"))
    most_allowed = std::fmax(most_allowed, allowed);
  EXPECT_EQ(figure.title(),
            fmt::format("W = 31 gains {:.3g} to {:.3g} times; {} of {} error bars lie above the "
                        "{:.3g} that pairs allow",
                        *gains.begin(), *gains.rbegin(), above, all, most_allowed));
}

TEST(SpeedUp, CommittedErrorBarsReachDownToWhatPairsAllow) {
  expect_gains_within_pairs(CommittedFigure("case_study_2_tenth", "speed_up"));
}

// On a GPU by a clock that waits for it: the published points leave what pairs allow where their
// W = 1 jumps; ours has no base there, since it ran out of memory and was not tried beyond.
TEST(SpeedUp, CommittedGainsOfAGpuEndWherePublishedOnesLeaveWhatPairsAllow) {
  const CommittedFigure figure("gpu_case_study_2", "speed_up");
  expect_gains_within_pairs(figure);
  const auto allowed = figure.lines("1");
  for (const Mark& mark : figure.marks()) {
    if (mark.is_data()) {
      EXPECT_LT(mark.x, 45000.0);
      continue;
    }
    const double most = allowed.at(mark.series + ", by pairs").rbegin()->second;
    EXPECT_EQ(mark.y > most, mark.x >= 45000.0) << mark.series << " at N = " << mark.x;
  }
  EXPECT_THAT(figure.notes(), ::testing::Contains(HasSubstr("its clock not synchronised")));
}

}  // namespace
}  // namespace qb
