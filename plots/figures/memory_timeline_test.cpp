// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;

CsvTable no_events() {
  return CsvTable({"case_id", "time_s", "action", "label", "worker", "bytes", "active_bytes",
                   "reserved_bytes"});
}

// Adds two allocations and an end; `last` may be oom.
void add_events(CsvTable& timeline, const std::string& id, const std::string& last,
                const std::string& worker = "0") {
  timeline.append({id, "10.5", "alloc", "q", worker, "1048576", "1048576", "2097152"});
  timeline.append({id, "10.6", "segment_alloc", "q", worker, "1", "1048576", "4194304"});
  timeline.append({id, "10.75", last, "scores", worker, "1048576", "2097152", "4194304"});
}

CsvTable cases_of(const std::vector<int>& workers, const std::vector<std::int64_t>& lengths) {
  CsvTable cases = no_cases();
  for (const int count : workers)
    for (const std::int64_t n : lengths) add_case(cases, ok_case(count, n, 0.5));
  return cases;
}

PlottedRun with_timeline(const CsvTable& cases, const CsvTable& timeline) {
  PlottedRun run(cases);
  run.timeline = timeline;
  return run;
}

TEST(MemoryTimeline, StepsBeginAtZeroMillisecondsAndFollowActiveBytes) {
  const CsvTable cases = cases_of({1}, {1000});
  CsvTable timeline = no_events();
  add_events(timeline, cases.text(0, "case_id"), "alloc");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  const Series& series = figure.panels.at(0).series.at(0);
  EXPECT_EQ(series.draw, Draw::steps);
  ASSERT_EQ(series.points.size(), 3u) << "the segment changes nothing active; one end point";
  EXPECT_EQ(series.points[0].x, 0.0);
  EXPECT_EQ(series.points[0].y, 1.0);
  EXPECT_NEAR(series.points[1].x, 250.0, 1e-9);
  EXPECT_EQ(series.points[1].y, 2.0);
}

TEST(MemoryTimeline, AllWorkerCountsOfALengthShareAPanel) {
  const CsvTable cases = cases_of({1, 7, 31}, {1000});
  CsvTable timeline = no_events();
  for (std::size_t row = 0; row < cases.size(); ++row)
    add_events(timeline, cases.text(row, "case_id"), "free", row == 0 ? "0" : "1");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  ASSERT_EQ(figure.panels.size(), 1u);
  ASSERT_EQ(figure.panels[0].series.size(), 3u);
  EXPECT_EQ(figure.panels[0].series[0].name, "W = 1");
  EXPECT_EQ(figure.panels[0].series[1].name, "W = 7");
  EXPECT_EQ(figure.panels[0].series[2].name, "W = 31");
}

TEST(MemoryTimeline, OfSeveralWorkersItIsThatOfTheFullestAlone) {
  const CsvTable cases = cases_of({4}, {1000});
  const std::string id = cases.text(0, "case_id");
  CsvTable timeline = no_events();
  timeline.append({id, "10", "alloc", "q", "0", "9437184", "9437184", "0"});
  timeline.append({id, "11", "alloc", "q_local", "1", "1048576", "10485760", "0"});
  timeline.append({id, "12", "alloc", "q_local", "2", "2097152", "12582912", "0"});
  timeline.append({id, "13", "free", "q_local", "1", "1048576", "11534336", "0"});
  timeline.append({id, "14", "free", "q_local", "2", "2097152", "9437184", "0"});
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  const std::vector<Point>& points = figure.panels.at(0).series.at(0).points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].y, 2.0);
  EXPECT_EQ(points[1].y, 0.0);
  EXPECT_EQ(points[1].x, 2000.0);
}

TEST(MemoryTimeline, TheFindingIsTheLengthWhosePeaksDifferMost) {
  CsvTable cases = no_cases();
  for (const std::int64_t n : {500, 1000}) {
    add_case(cases, ok_case(1, n, 1.0));
    add_case(cases, ok_case(7, n, 0.5));
  }
  CsvTable timeline = no_events();
  for (std::size_t row = 0; row < cases.size(); ++row)
    add_events(timeline, cases.text(row, "case_id"), "free");
  EXPECT_EQ(
      memory_timeline_figure(with_timeline(cases, timeline)).finding,
      "The peaks differ most at N = 1,000: 38.33 MiB (W = 1) is 2.48 times 15.44 MiB (W = 7).");
}

TEST(MemoryTimeline, ManyLengthsGiveFourPanelsFromShortestToLongest) {
  const CsvTable cases = cases_of({1}, {1000, 2000, 3000, 4000, 5000, 6000, 7000});
  CsvTable timeline = no_events();
  for (std::size_t row = 0; row < cases.size(); ++row)
    add_events(timeline, cases.text(row, "case_id"), "free");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  ASSERT_EQ(figure.panels.size(), 4u);
  EXPECT_EQ(figure.panels.front().title, "N = 1,000");
  EXPECT_EQ(figure.panels.back().title, "N = 7,000");
  EXPECT_THAT(figure.notes.back(), ::testing::HasSubstr("Not drawn: 3 of 7 lengths"));
}

TEST(MemoryTimeline, LengthsWithBothExtremesAreChosen) {
  const CsvTable cases = cases_of({1, 7, 31}, {1000, 2000});
  CsvTable timeline = no_events();
  for (const std::size_t row : {0u, 2u, 3u, 4u})
    add_events(timeline, cases.text(row, "case_id"), "free");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_EQ(figure.panels[0].title, "N = 1,000");
}

TEST(MemoryTimeline, RunningOutIsMarkedAtItsTimeAndAtWhatWasAskedFor) {
  const CsvTable cases = cases_of({1}, {1000});
  CsvTable timeline = no_events();
  add_events(timeline, cases.text(0, "case_id"), "oom");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  const Series& mark = figure.panels.at(0).series.at(1);
  EXPECT_EQ(mark.draw, Draw::out_of_memory);
  EXPECT_NEAR(mark.points.at(0).x, 250.0, 1e-9);
  EXPECT_EQ(mark.points.at(0).y, 2.0) << "1 MiB is active and 1 MiB is asked for";
  EXPECT_THAT(figure.notes,
              ::testing::Contains(::testing::HasSubstr("failed, of 1.00 MiB (W = 1, N = 1,000)")));
}

TEST(MemoryTimeline, NoTimelineGivesASentence) {
  EXPECT_EQ(memory_timeline_figure(with_timeline(cases_of({1}, {1000}), no_events())).empty_reason,
            "no case has a memory timeline");
}

}  // namespace
}  // namespace qb
