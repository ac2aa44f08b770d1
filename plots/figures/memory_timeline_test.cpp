// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

CsvTable no_events() {
  return CsvTable({"case_id", "time_s", "action", "label", "worker", "bytes", "active_bytes",
                   "reserved_bytes"});
}

// Adds 1 MiB of Q, then 1 MiB of scores, which `last` ends: free, or oom in place of them.
void add_events(CsvTable& timeline, const std::string& id, const std::string& last,
                const std::string& worker = "0") {
  timeline.append({id, "10.5", "alloc", "q", worker, "1048576", "1048576", "2097152"});
  timeline.append({id, "10.6", "segment_alloc", "q", worker, "1", "1048576", "4194304"});
  if (last == "free")
    timeline.append({id, "10.75", "alloc", "scores", worker, "1048576", "2097152", "4194304"});
  timeline.append({id, "11.0", last, "scores", worker, "1048576", "2097152", "4194304"});
}

CsvTable timeline_cases(const std::vector<int>& workers, const std::vector<std::int64_t>& lengths) {
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

TEST(MemoryTimeline, OwnersAreStackedFromTheFirstEventOn) {
  const CsvTable cases = timeline_cases({1}, {1000});
  CsvTable timeline = no_events();
  add_events(timeline, cases.text(0, "case_id"), "free");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  const Panel& panel = figure.panels.at(0);
  const Series& inputs = series_named(panel, "Q, K and V");
  ASSERT_EQ(inputs.points.size(), 1u) << "a segment changes nothing active";
  EXPECT_DOUBLE_EQ(inputs.points[0].x_low, 0.0);
  EXPECT_NEAR(inputs.points[0].x_high, 500.0, 1e-9);
  EXPECT_DOUBLE_EQ(inputs.points[0].y, 1.0);
  const Point scores = series_named(panel, "scores").points.at(0);
  EXPECT_NEAR(scores.x_low, 250.0, 1e-9);
  EXPECT_DOUBLE_EQ(scores.low, 1.0) << "on top of Q";
  EXPECT_DOUBLE_EQ(scores.high, 2.0);
  EXPECT_EQ(figure.title, "At N = 1,000 the fullest device holds 2.00 MiB with W = 1");
}

TEST(MemoryTimeline, TheFewestAndTheMostWorkersAreDrawnAtTheLongestLengthThatHasBoth) {
  const CsvTable cases = timeline_cases({1, 7, 31}, {1000, 2000});
  CsvTable timeline = no_events();
  for (const std::size_t row : {0u, 1u, 2u, 3u, 4u})
    add_events(timeline, cases.text(row, "case_id"), "free", row < 2 ? "0" : "1");
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  EXPECT_THAT(titles(figure), ::testing::ElementsAre("W = 1", "W = 31"));
  EXPECT_THAT(figure.title, HasSubstr("N = 1,000"));
}

TEST(MemoryTimeline, OfSeveralWorkersItIsThatOfTheFullestAlone) {
  const CsvTable cases = timeline_cases({4}, {1000});
  const std::string id = cases.text(0, "case_id");
  CsvTable timeline = no_events();
  timeline.append({id, "10", "alloc", "q", "0", "9437184", "9437184", "0"});
  timeline.append({id, "11", "alloc", "q_local", "1", "1048576", "10485760", "0"});
  timeline.append({id, "12", "alloc", "q_local", "2", "2097152", "12582912", "0"});
  timeline.append({id, "13", "free", "q_local", "1", "1048576", "11534336", "0"});
  timeline.append({id, "14", "free", "q_local", "2", "2097152", "9437184", "0"});
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  const std::vector<Point>& points = series_named(figure.panels.at(0), "Q, K and V").points;
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].y, 2.0);
  EXPECT_EQ(points[0].x_low, 2000.0);
  EXPECT_EQ(points[0].x_high, 4000.0);
}

TEST(MemoryTimeline, ARootIsTheFullestDeviceAndAllPanelsHaveOneAxis) {
  Values cqs = ok_case(4, 1000, 0.5);
  cqs["root_sent_bytes"] = "1000";
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), cqs});
  CsvTable timeline = no_events();
  add_events(timeline, cases.text(0, "case_id"), "free");
  const std::string id = cases.text(1, "case_id");
  timeline.append({id, "10", "alloc", "q", "0", "1048576", "1048576", "0"});
  timeline.append({id, "11", "alloc", "q_local", "1", "524288", "1572864", "0"});
  timeline.append({id, "13", "free", "q_local", "1", "524288", "1048576", "0"});
  const Figure figure = memory_timeline_figure(with_timeline(cases, timeline));
  EXPECT_THAT(titles(figure), ::testing::ElementsAre("W = 1", "W = 4, the root"));
  EXPECT_TRUE(figure.shared_axes);
  const Point held = series_named(figure.panels[1], "Q, K and V").points.at(0);
  EXPECT_EQ(held.y, 1.0);
  EXPECT_EQ(held.x_high, 3000.0) << "it holds them to the end of the case";
  EXPECT_EQ(figure.title,
            "At N = 1,000 the fullest device holds 2.00 MiB with W = 1 and 1.00 MiB with W = 4, "
            "2 times less");
}

TEST(MemoryTimeline, RunningOutIsASentenceWithWhatWasAskedFor) {
  const CsvTable cases = timeline_cases({1}, {1000});
  CsvTable timeline = no_events();
  add_events(timeline, cases.text(0, "case_id"), "oom");
  EXPECT_THAT(memory_timeline_figure(with_timeline(cases, timeline)).notes,
              ::testing::Contains("W = 1 ran out of memory when it asked for 1.00 MiB."));
}

TEST(MemoryTimeline, NoTimelineGivesASentence) {
  EXPECT_EQ(
      memory_timeline_figure(with_timeline(timeline_cases({1}, {1000}), no_events())).empty_reason,
      "no case has a memory timeline");
}

// The committed figure: a slice is as high as it says, and the title compares the highest of each
// panel, the second of which is the root's.
TEST(MemoryTimeline, CommittedTitleComparesThePeaksOfTheFullestDevices) {
  const CommittedFigure figure("case_study_2_tenth", "memory_timeline");
  std::map<std::string, double> peaks;  // MiB, by panel title
  for (const Mark& mark : figure.marks()) {
    EXPECT_NEAR(mark.height(), mark.y, 1e-6 * mark.high) << mark.series;
    peaks[mark.panel_title] = std::fmax(peaks[mark.panel_title], mark.high);
  }
  const double alone = peaks.at("W = 1");
  const double root = peaks.at("W = 31, the root");
  EXPECT_EQ(figure.title(),
            fmt::format("At N = 4,900 the fullest device holds {:.2f} MiB with W = 1 and {:.2f} "
                        "MiB with W = 31, {:.3g} times less",
                        alone, root, alone / root));
}

}  // namespace
}  // namespace qb
