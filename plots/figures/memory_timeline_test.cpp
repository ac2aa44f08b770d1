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
  EXPECT_EQ(figure.title,
            "At N = 1,000 scores are 50 % of 2.00 MiB (W = 1) that a device holds at its peak");
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
  EXPECT_EQ(points[0].x_high, 2000.0);
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

// The committed figure: a slice is as high as it says, and the title has the share of the scores at
// the moment when a device holds most.
TEST(MemoryTimeline, CommittedTitleHasTheShareOfTheScoresAtEachPeak) {
  const CommittedFigure figure("case_study_2_tenth", "memory_timeline");
  std::map<std::string, double> peaks;  // by panel title
  std::map<std::string, double> scores;
  for (const Mark& mark : figure.marks()) {
    EXPECT_NEAR(mark.height(), mark.y, 1e-6 * mark.high) << mark.series;
    peaks[mark.panel_title] = std::fmax(peaks[mark.panel_title], mark.high);
  }
  for (const Mark& mark : figure.marks())
    if (mark.series == "scores" && mark.high == peaks.at(mark.panel_title))
      scores[mark.panel_title] = mark.height();
  ASSERT_EQ(scores.size(), 2u) << "scores are the last slice of each peak";
  constexpr double kMiBPerGiB = 1024.0;  // MiB, the unit of the first panel
  EXPECT_EQ(
      figure.title(),
      fmt::format("At N = 4,900 scores are {:.0f} % of {:.2f} MiB (W = 1), {:.0f} % of {:.2f} "
                  "MiB (W = 31) that a device holds at its peak",
                  100.0 * scores["W = 1"] / peaks["W = 1"], kMiBPerGiB * peaks["W = 1"],
                  100.0 * scores["W = 31"] / peaks["W = 31"], peaks["W = 31"]));
}

}  // namespace
}  // namespace qb
