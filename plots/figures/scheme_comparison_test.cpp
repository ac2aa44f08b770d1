// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "plots/draw/draw.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double kPairs = 0.5 * 1024 * 1024;

const Panel& panel_titled(const Figure& figure, std::string_view title) {
  for (const Panel& panel : figure.panels)
    if (panel.title == title) return panel;
  throw std::out_of_range("no panel " + std::string(title));
}

CsvTable two_schemes() {
  return scheme_table({scheme_case("ring", 4, 1024, 0.02,
                                   {{"critical_path_pairs", to_text(kPairs * 0.45)},
                                    {"executed_pairs", to_text(kPairs * 1.25)},
                                    {"device_sent_bytes", "3145728"},
                                    {"device_peak_bytes", "2097152"},
                                    {"predicted_device_peak_bytes", "1048576"},
                                    {"exposed_communication_median_s", "0.003"}}),
                       scheme_case("zigzag", 4, 1024, 0.01,
                                   {{"predicted_device_peak_bytes", "1048576"},
                                    {"exposed_communication_median_s", "0"}})});
}

TEST(SchemeComparison, EachPanelHasOneQuantityPerScheme) {
  const Figure figure = scheme_comparison_figure(two_schemes());
  const auto value = [&](const char* title, const char* series) {
    return series_named(panel_titled(figure, title), series).points.at(0).y;
  };
  EXPECT_EQ(figure.panels.size(), 4u);
  EXPECT_DOUBLE_EQ(value("pairs of the slowest worker", "ring"), 4 * 0.45);
  EXPECT_DOUBLE_EQ(value("pairs of the slowest worker", "zigzag"), 1.0);
  EXPECT_DOUBLE_EQ(value("sent by the busiest device", "ring"), 3.0);
  EXPECT_DOUBLE_EQ(value("memory of the fullest device", "ring"), 2.0);
  EXPECT_DOUBLE_EQ(value("memory of the fullest device", "zigzag"), 1.0) << "predicted";
  const Point wall = series_named(panel_titled(figure, "wall clock"), "ring").points.at(0);
  EXPECT_DOUBLE_EQ(wall.x, 4.0);
  EXPECT_DOUBLE_EQ(wall.y, 20.0);
  EXPECT_DOUBLE_EQ(wall.low, 18.0);
  EXPECT_DOUBLE_EQ(wall.high, 22.0);
}

TEST(SchemeComparison, WhatARootSendsIsCountedInTheCsvAndInTheTitle) {
  CsvTable cases = two_schemes();
  add_case(cases, scheme_case("cqs", 4, 1024, 0.02,
                              {{"device_sent_bytes", "1048576"}, {"root_sent_bytes", "12582912"}}));
  const Figure figure = scheme_comparison_figure(cases);
  std::map<std::string, double> sent;
  const CsvTable csv = figure_csv(figure);
  for (const Row& row : all_rows(csv))
    if (row.at("panel_title") == "sent by the busiest device")
      sent[row.at("series")] = row.number_at("y");
  EXPECT_EQ(sent.at("cqs"), 12.0);
  EXPECT_EQ(sent.at("ring"), 3.0);
  EXPECT_EQ(figure.title, "At W = 4 a device sends least in ring, 4 times less than in cqs");
}

TEST(SchemeComparison, ClocksOfMoreWorkersThanCoresAreNotDrawn) {
  CsvTable cases = two_schemes();
  add_case(cases, scheme_case("ring", 2, 1024, 0.02));
  PlottedRun run(cases);
  on_two_cores(run);
  const Figure figure = scheme_comparison_figure(run);
  EXPECT_EQ(series_named(panel_titled(figure, "wall clock"), "ring").points.size(), 1u);
  EXPECT_EQ(series_named(panel_titled(figure, "pairs of the slowest worker"), "ring").points.size(),
            2u);
  EXPECT_THAT(figure.notes, Contains("Not drawn: 2 times (threads on 2 cores)."));
  EXPECT_THAT(figure.title + figure.finding, ::testing::Not(HasSubstr("fast")));
}

TEST(SchemeComparison, TheSettingWithMostSchemesIsDrawnAndTheOthersCounted) {
  CsvTable cases = two_schemes();
  add_case(cases, scheme_case("ring", 4, 4096, 0.3));
  add_case(cases, scheme_case("ring", 4, 512, 0.005));
  add_case(cases, scheme_case("ulysses", 4, 512, 0.004));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_THAT(figure.subtitle, HasSubstr("N = 1,024"));
  EXPECT_THAT(figure.notes, Contains("Not drawn: 2 settings (smaller)."));
}

TEST(SchemeComparison, LinksAndWhoPlayedTheWorkersAreSettings) {
  CsvTable cases = no_cases();
  for (const char* bandwidth : {"1e9", "2e9", "4e9"})
    for (const char* algorithm : {"ring", "zigzag"})
      add_case(cases,
               scheme_case(algorithm, 4, 1024, 0.02, {{"link_bandwidth_byte_per_s", bandwidth}}));
  for (const char* algorithm : {"ring", "zigzag"})
    add_case(cases, scheme_case(algorithm, 4, 1024, 0.03, {{"ranks", "mpi"}}));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_THAT(figure.subtitle, HasSubstr("threads, 1 GB/s"));
  const std::vector<Series>& lines = panel_titled(figure, "wall clock").series;
  EXPECT_EQ(std::ranges::count_if(lines, [](const Series& one) { return !one.points.empty(); }), 2);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("3 settings")));
}

TEST(SchemeComparison, ModelledCasesSayThatNothingWasTimed) {
  const Values model = {{"ranks", "model"}, {"provenance", "model"}};
  const Figure figure = scheme_comparison_figure(scheme_table(
      {scheme_case("ring", 4, 1024, 0.05, model), scheme_case("zigzag", 4, 1024, 0.05, model)}));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("nothing was timed")));
  EXPECT_THAT(figure.notes, ::testing::Not(Contains(HasSubstr("Bars"))));
}

TEST(SchemeComparison, PackingsOfOneLengthAreSettingsOfTheirOwn) {
  const std::pair<const char*, double> packings[] = {{"0+1024", 0.02}, {"0+512 0+512", 0.01}};
  CsvTable cases = no_cases();
  for (const auto& [sequences, seconds] : packings)
    for (const char* algorithm : {"ring", "zigzag"})
      add_case(cases, scheme_case(algorithm, 4, 1024, seconds, {{"sequences", sequences}}));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_THAT(figure.subtitle, HasSubstr("sequences 0+1024"));
  const Series& ring = series_named(panel_titled(figure, "wall clock"), "ring");
  EXPECT_DOUBLE_EQ(ring.points.at(0).y, 20.0);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("1 setting")));
}

TEST(SchemeComparison, AnAlgorithmThatIsNotComparedIsSaidToBeLeftOut) {
  CsvTable cases = two_schemes();
  for (const int workers : {2, 4}) add_case(cases, scheme_case("pass_q", workers, 1024, 0.03));
  EXPECT_THAT(scheme_comparison_figure(cases).notes, Contains("Not drawn: 2 cases (pass_q)."));
}

TEST(SchemeComparison, OutOfMemoryIsACrossAtItsWorkerCount) {
  CsvTable cases = two_schemes();
  Values lost = scheme_case("cqs", 7, 1024, 0.0, {{"status", "oom"}});
  lost["wall_time_median_s"] = "";
  add_case(cases, lost);
  const Figure figure = scheme_comparison_figure(cases);
  const Series& crosses = series_named(panel_titled(figure, "wall clock"), "cqs");
  EXPECT_EQ(crosses.draw, Draw::out_of_memory);
  EXPECT_EQ(crosses.points.at(0).x, 7.0);
}

TEST(SchemeComparison, AnAlgorithmOfOnesOwnHasALineAfterTheOthers) {
  CsvTable cases = two_schemes();
  add_case(cases, scheme_case("two_way", 4, 1024, 0.02, {{"device_sent_bytes", "1048576"}}));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_EQ(figure.title, "At W = 4 a device sends least in two_way, 3 times less than in ring");
  EXPECT_EQ(panel_titled(figure, "sent by the busiest device").series.back().name, "two_way");
}

TEST(SchemeComparison, SchemesThatSendTheSameAreNotRanked) {
  CsvTable cases = two_schemes();
  add_case(cases, scheme_case("cqs", 4, 1024, 0.02, {{"device_sent_bytes", "3145728"}}));
  EXPECT_EQ(scheme_comparison_figure(cases).title.find("times less"), std::string::npos);
}

TEST(SchemeComparison, OneSchemeAloneIsNoComparison) {
  EXPECT_THAT(scheme_comparison_figure(case_study_2(10)).empty_reason, HasSubstr("no two schemes"));
  EXPECT_THAT(scheme_comparison_figure(no_cases()).empty_reason, HasSubstr("no two schemes"));
}

// The committed figure: the title names the scheme that sends least at the most workers, and how
// many times less than a ring.
TEST(SchemeComparison, CommittedTitleNamesTheSchemeThatSendsLeast) {
  const CommittedFigure figure("schemes", "scheme_comparison");
  std::map<double, std::map<std::string, double>> sent;  // by workers and scheme
  for (const Mark& mark : figure.marks())
    if (mark.panel_title == "sent by the busiest device") sent[mark.x][mark.series] = mark.y;
  const auto& [workers, of_most] = *sent.rbegin();
  const auto least =
      std::ranges::min_element(of_most, {}, [](const auto& one) { return one.second; });
  EXPECT_EQ(figure.title(),
            fmt::format("At W = {} a device sends least in {}, {:.3g} times less than in ring",
                        workers, least->first, of_most.at("ring") / least->second));
}

}  // namespace
}  // namespace qb
