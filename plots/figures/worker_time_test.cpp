// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

Values parts(const char* scheme, double compute_s, double exposed_s, double idle_s,
             const Values& more = {}) {
  Values values = {{"compute_median_s", to_text(compute_s)},
                   {"exposed_communication_median_s", to_text(exposed_s)},
                   {"idle_median_s", to_text(idle_s)}};
  values.insert(more.begin(), more.end());
  return scheme_case(scheme, 8, 1000, compute_s + exposed_s + idle_s, values);
}

TEST(WorkerTime, PartsFollowOneAnotherAndTheWholeStandsAtTheEnd) {
  const Figure figure = worker_time_figure(
      scheme_table({parts("ring", 0.04, 0.06, 0.0), parts("zigzag", 0.03, 0.01, 0.01)}));
  const Panel& panel = figure.panels.at(0);
  ASSERT_EQ(panel.y.tics.size(), 2u);
  EXPECT_EQ(panel.y.tics[0].label, "ring");
  const Point whole = series_named(panel, "wall clock").points.at(0);
  EXPECT_EQ(whole.text, "100 ms");
  EXPECT_EQ(whole.x_low, whole.x_high);
  const Point waited = series_named(panel, "exposed communication").points.at(0);
  EXPECT_NEAR(waited.x_low, 40.0, 1e-9);
  EXPECT_NEAR(waited.x_high, 100.0, 1e-9);
  EXPECT_NEAR(waited.x, 60.0, 1e-9) << "the value is the part's own time";
  EXPECT_EQ(figure.title,
            "At W = 8 a ring waits for 60 % of its 100 ms; zigzag ends after 50.0 ms");
}

TEST(WorkerTime, WhatARootMovesHasItsOwnPartAndALongBarIsCut) {
  const Figure figure = worker_time_figure(
      scheme_table({parts("ring", 0.04, 0.06, 0.0),
                    parts("cqs", 0.02, 0.98, 0.0, {{"root_sent_bytes", "1000"}})}));
  const Panel& panel = figure.panels.at(0);
  const Point root = series_named(panel, "scatter and gather of a root").points.at(0);
  EXPECT_NEAR(root.x, 980.0, 1e-9);
  EXPECT_NEAR(root.x_high, 130.0, 1e-9);
  EXPECT_EQ(series_named(panel, "wall clock").points.at(0).text, "→ 1000 ms");
  const Series& cut = series_named(panel, "cut");
  ASSERT_EQ(cut.points.size(), 1u);
  EXPECT_EQ(cut.points[0].y, 0.0);
  EXPECT_LT(cut.points[0].x, 130.0);
}

TEST(WorkerTime, TiesWithinTheModelsErrorAndCrowdedClocksAreNotRanked) {
  PlottedRun run(scheme_table(
      {parts("ring", 0.04, 0.06, 0.0, {{"ranks", "model"}, {"model_device", "a100"}}),
       parts("zigzag", 0.04, 0.05, 0.0, {{"ranks", "model"}, {"model_device", "a100"}})}));
  run.model_grade = [] { return ModelGrade{1.3}; };
  EXPECT_EQ(worker_time_figure(run).title,
            "Modelled: At W = 8 a ring waits for 60 % of its 100 ms");
  PlottedRun crowded(
      scheme_table({parts("ring", 0.04, 0.06, 0.0), parts("zigzag", 0.03, 0.01, 0.0)}));
  on_two_cores(crowded);
  EXPECT_EQ(worker_time_figure(crowded).title,
            "Where the time of the worker that ends last goes, threads on 2 cores");
}

TEST(WorkerTime, SerialCasesHaveNoParts) {
  EXPECT_THAT(worker_time_figure(scheme_table({scheme_case("ring", 4, 1000, 0.5)})).empty_reason,
              HasSubstr("serial"));
}

// The committed figure: the parts of each bar that is not cut add up to the wall clock at its end,
// which is that of a case, and at the most workers a ring waits, and the first scheme ends, as the
// title says.
TEST(WorkerTime, CommittedPartsAddUpToTheWallClock) {
  const CommittedFigure figure("scaling_model", "worker_time");
  const CsvTable cases =
      CsvTable::parse(read_text(source_path("paper_figures/scaling_model/cases.csv")), "cases");
  std::map<std::pair<std::string, double>, double> sums;  // by panel title and place
  std::map<std::pair<std::string, double>, double> walls;
  double waits = 0.0;  // a ring at W = 128
  const std::map<double, std::string> names = figure.tics("3", "y");
  for (const Mark& mark : figure.marks()) {
    const std::pair bar(mark.panel_title, mark.y);
    if (mark.series == "no time" || mark.series == "cut") continue;
    if (mark.series == "wall clock")
      walls[bar] = mark.x;
    else
      sums[bar] += mark.x;
    if (mark.panel_title == "W = 128" && mark.series == "exposed communication" &&
        names.at(mark.y) == "ring")
      waits = mark.x;
  }
  std::set<std::string> measured;  // ms, to three digits
  for (const Row& row : all_rows(cases))
    if (row.at("status") == "ok")
      measured.insert(fmt::format("{:.3g}", 1e3 * row.number_at("wall_time_median_s")));
  ASSERT_GE(walls.size(), 15u);
  std::map<double, std::string> ends;  // at W = 128
  for (const auto& [bar, wall] : walls) {
    EXPECT_NEAR(sums.at(bar), wall, 1e-3 * wall) << bar.first << " " << bar.second;
    EXPECT_TRUE(measured.contains(fmt::format("{:.3g}", wall))) << bar.first << " " << bar.second;
    if (bar.first == "W = 128") ends[wall] = names.at(bar.second);
  }
  const auto ring = std::ranges::find(ends, "ring", [](const auto& one) { return one.second; });
  ASSERT_NE(ring, ends.end());
  EXPECT_EQ(
      figure.title(),
      fmt::format("Modelled: At W = 128 a ring waits for {:.0f} % of its {} ms; {} ends after "
                  "{} ms",
                  100.0 * waits / ring->first, significant(ring->first), ends.begin()->second,
                  significant(ends.begin()->first)));
}

}  // namespace
}  // namespace qb
