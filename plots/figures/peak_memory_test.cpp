// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plots/draw/draw.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

const Series* find(const Figure& figure, Draw draw) {
  const auto& series = figure.panels.at(0).series;
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const Series& one) { return one.draw == draw; });
  return found == series.end() ? nullptr : &*found;
}

PlottedRun on_machine(const CsvTable& cases, double memory_bytes) {
  PlottedRun run(cases);
  run.provenance.memory_bytes = memory_bytes;
  return run;
}

TEST(PeakMemory, CrossesStandOnTheMachinesLimit) {
  const double machine = 24.0 * 1024 * 1024 * 1024;
  const Figure figure = peak_memory_figure(on_machine(case_study_2(1), machine));
  ASSERT_NE(find(figure, Draw::limit), nullptr);
  EXPECT_EQ(find(figure, Draw::limit)->name, "machine 24.00 GiB");
  EXPECT_DOUBLE_EQ(find(figure, Draw::limit)->points[0].y, 24.0);
  ASSERT_NE(find(figure, Draw::out_of_memory), nullptr);
  EXPECT_DOUBLE_EQ(find(figure, Draw::out_of_memory)->points[0].y, 24.0);
}

// The lines of W = 1 and 4 both run out: neither mark is lowered, so that the CSV says the limit.
TEST(PeakMemory, CrossesOfSeveralLinesStandOnTheLimitInTheCsvToo) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), failed_case(1, 2000, "oom", "scores"),
                                   ok_case(4, 1000, 0.75), failed_case(4, 2000, "oom", "scores"),
                                   ok_case(31, 1000, 0.2), ok_case(31, 2000, 0.2)});
  const Figure figure = peak_memory_figure(on_machine(cases, 100 * kMiB));
  std::size_t crosses = 0;
  const CsvTable csv = figure_csv(figure);
  for (const Row& row : all_rows(csv))
    if (row.at("kind") == "out_of_memory") {
      EXPECT_EQ(row.number_at("device_peak_mib"), 100.0);
      ++crosses;
    }
  EXPECT_EQ(crosses, 2u);
  EXPECT_EQ(figure.title,
            "W = 1 does not fit into 100.00 MiB from N = 2,000 on; W = 31 fits at N = 2,000");
}

TEST(PeakMemory, ThePeaksOfOtherProblemsAreNotCompared) {
  Values other = ok_case(31, 1000, 0.2);
  EXPECT_THAT(peak_memory_figure(cases_of({ok_case(1, 1000, 1.0), other})).title,
              HasSubstr("times less than W = 1"));
  other["batch"] = "2";
  EXPECT_EQ(peak_memory_figure(cases_of({ok_case(1, 1000, 1.0), other})).title,
            "Peak memory of a device against sequence length");
}

TEST(PeakMemory, WhatWasNotTriedHasAnotherMarkThanWhatRanOut) {
  const Figure figure = peak_memory_figure(on_machine(case_study_2(1), 24e9));
  ASSERT_NE(find(figure, Draw::not_tried), nullptr);
  EXPECT_EQ(find(figure, Draw::out_of_memory)->points.size(), 1u);
  EXPECT_EQ(find(figure, Draw::not_tried)->points.size(), 4u);
  EXPECT_THAT(figure.notes.back(), HasSubstr("Pluses: a shorter one"));
}

TEST(PeakMemory, CasesThatDidNotRunAreSaidToBeLeftOut) {
  const CsvTable cases =
      cases_of({ok_case(1, 1000, 1.0), failed_case(1, 2000, "timeout", "too slow")});
  EXPECT_THAT(peak_memory_figure(cases).notes,
              ::testing::Contains("Not drawn: 1 of 2 cases (timeout: too slow)."));
}

TEST(PeakMemory, ADisturbedClockMakesNoPeakHollow) {
  Values disturbed = ok_case(1, 1000, 1.0);
  disturbed["disturbed_by"] = "stolen";
  const Figure figure = peak_memory_figure(cases_of({disturbed}));
  ASSERT_NE(find(figure, Draw::line_points), nullptr);
  EXPECT_FALSE(find(figure, Draw::line_points)->points.at(0).disturbed);
}

TEST(PeakMemory, ASharedBudgetIsTheLimit) {
  CsvTable cases = no_cases();
  Values values = ok_case(1, 1000, 1.0);
  values["memory_budget_bytes"] = "67108864";
  add_case(cases, values);
  const Figure figure = peak_memory_figure(on_machine(cases, 1e12));
  ASSERT_NE(find(figure, Draw::limit), nullptr);
  EXPECT_EQ(find(figure, Draw::limit)->name, "budget 64.00 MiB");
}

TEST(PeakMemory, ALimitFarAboveAllDataIsLeftOut) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(1, 1000, 1.0));
  EXPECT_EQ(find(peak_memory_figure(on_machine(cases, 1e15)), Draw::limit), nullptr);
}

TEST(PeakMemory, WithoutALimitCrossesStandAtTheEdgeAndTheNoteSaysSo) {
  const Figure figure = peak_memory_figure(case_study_2(1));
  EXPECT_TRUE(std::isnan(find(figure, Draw::out_of_memory)->points[0].y));
  EXPECT_THAT(figure.notes.back(), HasSubstr("upper edge"));
}

TEST(PeakMemory, NoPeaksGiveASentence) {
  EXPECT_EQ(peak_memory_figure(no_cases()).empty_reason, "no case has a memory peak");
}

// The committed figure: what ran fits below the limit, what ran out is marked on it, and the title
// has where the first line runs out and how far the last one comes.
TEST(PeakMemory, CommittedTitleSaysWhereTheFirstLineLeavesTheLimitAndHowFarTheLastOneComes) {
  const CommittedFigure figure("case_study_2", "peak_memory");
  const Mark limit = figure.marks().back();
  ASSERT_EQ(limit.kind, "limit");
  std::map<std::string, double> ran;  // the longest of each line
  std::map<std::string, double> ran_out;
  for (const Mark& mark : figure.marks()) {
    if (mark.is_data()) {
      EXPECT_LT(mark.y, limit.y) << mark.series;
      ran[mark.series] = std::fmax(ran[mark.series], mark.x);
      continue;
    }
    if (mark.kind == "limit") continue;
    EXPECT_EQ(mark.y, limit.y) << mark.series << ", N = " << mark.x;
    const auto known = ran_out.emplace(mark.series, mark.x).first;
    known->second = std::fmin(known->second, mark.x);
  }
  for (const auto& [line, tokens] : ran_out) EXPECT_GT(tokens, ran.at(line)) << line;
  EXPECT_FALSE(ran_out.contains("W = 31"));
  EXPECT_EQ(figure.title(),
            fmt::format("W = 1 does not fit into {:.2f} GiB from N = {} on; W = 31 fits at N = {}",
                        limit.y, grouped(ran_out.at("W = 1")), grouped(ran.at("W = 31"))));
}

}  // namespace
}  // namespace qb
