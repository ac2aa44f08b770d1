// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;

std::size_t count(const Panel& panel, bool (*of)(const Series&)) {
  return static_cast<std::size_t>(std::count_if(panel.series.begin(), panel.series.end(), of));
}
bool published(const Series& series) { return series.published; }
bool crosses(const Series& series) { return series.draw == Draw::out_of_memory; }
bool pluses(const Series& series) { return series.draw == Draw::not_tried; }

TEST(WallClock, ThePapersTimeStandsBesideTheCriticalPath) {
  const Figure figure = wall_clock_figure(case_study_2(10));
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_TRUE(figure.panels[0].y.log);
  EXPECT_DOUBLE_EQ(figure.panels[0].series[0].points[0].y, 20.0);
  EXPECT_DOUBLE_EQ(figure.panels[1].series[0].points[0].y, 22.6);
}

TEST(WallClock, TheTitleComparesTheFewestAndTheMostWorkersWhereBothRan) {
  EXPECT_EQ(wall_clock_figure(case_study_2(10)).title,
            "The critical path of W = 31 is 24.9 times shorter than that of W = 1 at N = 4,000");
  EXPECT_EQ(wall_clock_figure(cases_of({ok_case(1, 1000, 1.0)})).title,
            "Time against sequence length");
}

TEST(WallClock, TimesOfOtherProblemsAreNotCompared) {
  Values other = ok_case(31, 1000, 0.2);
  EXPECT_THAT(wall_clock_figure(cases_of({ok_case(1, 1000, 1.0), other})).title,
              ::testing::HasSubstr("times shorter"));
  other["kv_len"] = "500";
  EXPECT_EQ(wall_clock_figure(cases_of({ok_case(1, 1000, 1.0), other})).title,
            "Time against sequence length");
}

TEST(WallClock, MoreWorkersThanCoresAreNotRanked) {
  Values many = ok_case(8, 1000, 0.5);
  many["ranks"] = "threads";
  Values one = ok_case(1, 1000, 1.0);
  one["ranks"] = "threads";
  PlottedRun run(cases_of({one, many}));
  EXPECT_THAT(wall_clock_figure(run).title, ::testing::HasSubstr("times shorter"));
  on_two_cores(run);
  EXPECT_EQ(wall_clock_figure(run).title, "Time against sequence length");
}

TEST(WallClock, PublishedMillisecondsStandOnAxesOfTheirOwnAtThePapersLengths) {
  const Figure figure = wall_clock_figure(with_published(case_study_2(10)));
  for (const std::size_t ours : {0u, 1u}) EXPECT_EQ(count(figure.panels[ours], published), 0u);
  const Panel& panel = figure.panels.at(2);
  EXPECT_TRUE(panel.own_axes);
  EXPECT_EQ(count(panel, published), 5u);
  EXPECT_EQ(panel.series.at(0).points.front().x, 10000.0) << "not at a tenth of it";
}

TEST(WallClock, OutOfMemoryHasAMarkAndNoTimeAndNotTriedAnotherMark) {
  const Figure figure = wall_clock_figure(case_study_2(10));
  EXPECT_EQ(count(figure.panels[0], crosses), 1u);
  EXPECT_EQ(count(figure.panels[0], pluses), 1u);
  for (const Series& series : figure.panels[0].series) {
    if (!crosses(series)) continue;
    for (const Point& point : series.points) EXPECT_TRUE(std::isnan(point.y));
  }
}

TEST(WallClock, WithoutPublishedNumbersThereIsNoNoteOnThem) {
  CsvTable cases = no_cases();
  Values wide = ok_case(1, 1000, 1.0);
  wide["head_dim"] = "128";
  add_case(cases, wide);
  const Figure figure = wall_clock_figure(with_published(cases));
  for (const std::string& note : figure.notes)
    EXPECT_THAT(note, ::testing::Not(::testing::HasSubstr("Published")));
}

TEST(WallClock, NoTimesGiveASentence) {
  CsvTable cases = no_cases();
  EXPECT_EQ(wall_clock_figure(cases).empty_reason, "no case has a time");
  add_case(cases, failed_case(1, 1000, "oom", "too large"));
  EXPECT_EQ(wall_clock_figure(cases).empty_reason, "no case has a time");
}

// The committed figure: the title compares the critical paths of the fewest and the most workers at
// the longest N that both ran.
TEST(WallClock, CommittedTitleComparesTheCriticalPathsAtTheLongestSharedLength) {
  const CommittedFigure figure("case_study_2", "wall_clock");
  const auto paths = figure.lines("2");
  const auto& [tokens, few_ms] = *paths.at("W = 1").rbegin();
  EXPECT_THAT(figure.marks("2", "W = 1")[0].panel_title, ::testing::StartsWith("critical path"));
  EXPECT_EQ(figure.title(),
            fmt::format("The critical path of W = 31 is {:.3g} times shorter than that of W = 1 at "
                        "N = {}",
                        few_ms / paths.at("W = 31").at(tokens), grouped(tokens)));
}

}  // namespace
}  // namespace qb
