// SPDX-License-Identifier: Apache-2.0
#include "plots/published/published.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

TEST(Published, TheCompiledInTablesAreWhole) {
  EXPECT_EQ(published_table("cqs_case_study_2").size(), 45u);
  EXPECT_EQ(published_table("striped_attention_tables").size(), 59u);
  EXPECT_EQ(published_table("context_parallel_table_4_pass_kv_vs_pass_q").size(), 14u);
}

CsvTable one_case_of_four(std::int64_t n_tokens) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(4, n_tokens, 0.75));
  return cases;
}

// A figure of a panel without lines of its own, to which the published ones were added.
Figure with_published_lines(const PlottedRun& run, const std::string& name) {
  Figure figure{.panels = {{}}};
  add_published(figure, {{.lines = group(all_rows(run.cases), Columns{"workers"})}}, name, run);
  return figure;
}

std::vector<Series> drawn_beside(PlottedRun run, const std::string& name) {
  run.published = true;
  return with_published_lines(run, name).panels.back().series;
}

TEST(Published, StripedSpeedUpsStandAtTokensAWorker) {
  const std::vector<Series> series = drawn_beside(one_case_of_four(1000), "striped_speed_up");
  ASSERT_EQ(series.size(), 4u) << "three models on a 2x4 mesh, one on 1x4";
  EXPECT_EQ(series[0].name, "1B, A100 80GB NVLink, mesh 1x4");
  EXPECT_EQ(series[0].points.at(3).x, 24576.0) << "table 5 prints the block";
  EXPECT_EQ(series[1].name, "1B, A100 80GB NVLink, mesh 2x4");
  EXPECT_EQ(series[1].points.at(0).x, 4096.0) << "table 3 the sequence";
  EXPECT_EQ(series[1].points[0].y, 0.95);
  CsvTable cases = no_cases();
  add_case(cases, ok_case(7, 1000, 0.75));
  EXPECT_TRUE(drawn_beside(PlottedRun(cases), "striped_speed_up").empty());
}

TEST(Published, TimesToFirstTokenStandAtTheirMissRates) {
  const std::vector<Series> series = drawn_beside(one_case_of_four(1000), "ttft_miss_rate");
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].points.size(), 14u);
  EXPECT_TRUE(series[0].published);
}

TEST(Published, NothingIsDrawnBesideOtherLengthsOrAnotherShape) {
  EXPECT_TRUE(drawn_beside(one_case_of_four(1234), "wall_clock").empty());
  CsvTable cases = no_cases();
  Values values = ok_case(1, 10000, 1.0);
  values["head_dim"] = "128";
  add_case(cases, values);
  EXPECT_TRUE(drawn_beside(PlottedRun(cases), "wall_clock").empty());
}

TEST(Published, PointsStandAtThePublishedLengths) {
  const Series times = drawn_beside(one_case_of_four(1000), "wall_clock").at(0);
  ASSERT_EQ(times.points.size(), 9u);
  EXPECT_TRUE(times.published);
  EXPECT_EQ(times.points[0].x, 10000.0);
  EXPECT_DOUBLE_EQ(times.points[0].y, 2.476334571838379);
}

TEST(Published, SpeedUpsAreOverOneWorker) {
  const Series series = drawn_beside(one_case_of_four(10000), "speed_up").at(0);
  EXPECT_NEAR(series.points[0].y, 3.43102 / 2.47633, 1e-4);
  EXPECT_EQ(series.points[0].x, 10000.0);
}

TEST(Published, ANoteSaysWhyTheNumbersAreIncomparable) {
  const PlottedRun run(one_case_of_four(1000));
  EXPECT_TRUE(with_published_lines(run, "speed_up").notes.empty()) << "nobody asked for them";
  EXPECT_EQ(with_published_lines(with_published(run), "speed_up").notes.at(0),
            "Published: one A100, N 10 times ours, clock unsynchronised; W = 1 jumps 28.7 times "
            "at N = 45,000.");
}

}  // namespace
}  // namespace qb
