// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <string_view>

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
  ASSERT_EQ(figure.panels.size(), 6u);
  const auto value = [&](const char* title, const char* series) {
    return series_named(panel_titled(figure, title), series).points.at(0).y;
  };
  EXPECT_DOUBLE_EQ(value("pairs of the slowest worker", "ring"), 4 * 0.45);
  EXPECT_DOUBLE_EQ(value("pairs of the slowest worker", "zigzag"), 1.0);
  EXPECT_DOUBLE_EQ(value("pairs of all workers", "ring"), 1.25);
  EXPECT_DOUBLE_EQ(value("sent by the busiest device", "ring"), 3.0);
  EXPECT_DOUBLE_EQ(value("memory of the fullest device", "ring, threads"), 2.0);
  EXPECT_DOUBLE_EQ(value("memory of the fullest device", "zigzag, threads"), 1.0) << "predicted";
  EXPECT_DOUBLE_EQ(value("exposed communication, longest", "ring, threads"), 3.0);
  EXPECT_DOUBLE_EQ(value("exposed communication, longest", "zigzag, threads"), 0.0);
  const Point wall = series_named(panel_titled(figure, "wall clock"), "ring, threads").points.at(0);
  EXPECT_DOUBLE_EQ(wall.x, 4.0);
  EXPECT_DOUBLE_EQ(wall.y, 20.0);
  EXPECT_DOUBLE_EQ(wall.low, 18.0);
  EXPECT_DOUBLE_EQ(wall.high, 22.0);
}

TEST(SchemeComparison, AZeroKeepsItsAxisLinear) {
  const Figure figure = scheme_comparison_figure(two_schemes());
  EXPECT_FALSE(panel_titled(figure, "exposed communication, longest").y.log);
}

TEST(SchemeComparison, ModelledCasesAreThinLinesOfTheirOwn) {
  CsvTable cases = two_schemes();
  add_case(cases,
           scheme_case("ring", 4, 1024, 0.05, {{"ranks", "model"}, {"provenance", "model"}}));
  const Figure figure = scheme_comparison_figure(cases);
  const Series& modelled = series_named(panel_titled(figure, "wall clock"), "ring, model");
  EXPECT_TRUE(modelled.thin);
  EXPECT_DOUBLE_EQ(modelled.points.at(0).y, 50.0);
  const Series& measured = series_named(panel_titled(figure, "wall clock"), "ring, threads");
  EXPECT_FALSE(measured.thin);
  EXPECT_EQ(measured.style.colour, modelled.style.colour);
  EXPECT_EQ(series_named(figure.panels[0], "ring").points.size(), 1u) << "one plan, one point";
  EXPECT_THAT(figure.notes, Contains(HasSubstr("nothing was timed")));
}

TEST(SchemeComparison, ModelledCasesAloneAreOfFullWidth) {
  const Values model = {{"ranks", "model"}, {"provenance", "model"}};
  const Figure figure = scheme_comparison_figure(scheme_table(
      {scheme_case("ring", 4, 1024, 0.05, model), scheme_case("zigzag", 4, 1024, 0.05, model)}));
  EXPECT_FALSE(series_named(panel_titled(figure, "wall clock"), "ring, model").thin);
  EXPECT_THAT(figure.notes, ::testing::Not(Contains(HasSubstr("bars are"))));
}

TEST(SchemeComparison, TheSettingWithMostSchemesIsDrawnAndTheOthersNamed) {
  CsvTable cases = two_schemes();
  add_case(cases, scheme_case("ring", 4, 4096, 0.3));
  add_case(cases, scheme_case("ring", 4, 512, 0.005));
  add_case(cases, scheme_case("ulysses", 4, 512, 0.004));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_THAT(figure.subtitle, HasSubstr("N = 1,024"));
  EXPECT_THAT(figure.notes.at(0), HasSubstr("Drawn: N = 1,024, no link limit, threads."));
  EXPECT_EQ(figure.notes.at(1),
            "Not drawn: 2 schemes (N = 512, no link limit); 1 scheme (N = 4,096, no link limit).");
}

TEST(SchemeComparison, ClocksHaveAPanelForEachLinkAndPlansHaveOne) {
  CsvTable cases = no_cases();
  const std::pair<const char*, double> links[] = {{"2e9", 0.02}, {"5e8", 0.08}, {"", 0.01}};
  for (const auto& [bandwidth, seconds] : links)
    for (const char* algorithm : {"ring", "zigzag"})
      add_case(cases, scheme_case(algorithm, 4, 1024, seconds,
                                  {{"link_bandwidth_byte_per_s", bandwidth}}));
  const Figure figure = scheme_comparison_figure(cases);
  ASSERT_EQ(figure.panels.size(), 2u + 3u) << "pairs, and wall clocks";
  const auto wall_ms = [&](std::size_t panel) {
    return series_named(figure.panels.at(panel), "ring, threads").points.at(0).y;
  };
  EXPECT_EQ(figure.panels.at(2).title, "wall clock, 500 MB/s");
  EXPECT_DOUBLE_EQ(wall_ms(2), 80.0);
  EXPECT_EQ(figure.panels.at(3).title, "wall clock, 2 GB/s");
  EXPECT_DOUBLE_EQ(wall_ms(3), 20.0);
  EXPECT_EQ(figure.panels.at(4).title, "wall clock, no link limit");
  EXPECT_DOUBLE_EQ(wall_ms(4), 10.0);
  EXPECT_EQ(series_named(figure.panels.at(0), "ring").points.size(), 1u) << "one plan";
  EXPECT_THAT(figure.subtitle, HasSubstr("links of 500 MB/s and 2 GB/s and no link limit"));
  EXPECT_THAT(figure.notes, ::testing::Not(Contains(HasSubstr("Not drawn"))));
}

TEST(SchemeComparison, ASchemeOfOneLinkOnlyHasItsPlanDrawnToo) {
  CsvTable cases = no_cases();
  for (const char* bandwidth : {"5e8", "2e9"})
    for (const char* algorithm : {"ring", "zigzag"})
      add_case(cases,
               scheme_case(algorithm, 4, 1024, 0.02, {{"link_bandwidth_byte_per_s", bandwidth}}));
  add_case(cases, scheme_case("striped", 4, 1024, 0.02, {{"link_bandwidth_byte_per_s", "2e9"}}));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_EQ(series_named(figure.panels.at(0), "striped").points.size(), 1u);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("once for all links")));
}

TEST(SchemeComparison, OfManyLinksOneIsDrawnAndTheOthersNamed) {
  CsvTable cases = no_cases();
  for (const char* bandwidth : {"1e9", "2e9", "4e9", "8e9"})
    for (const char* algorithm : {"ring", "zigzag"})
      add_case(cases,
               scheme_case(algorithm, 4, 1024, 0.02, {{"link_bandwidth_byte_per_s", bandwidth}}));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_EQ(figure.panels.size(), 3u);
  EXPECT_THAT(figure.subtitle, HasSubstr("1 GB/s"));
  EXPECT_EQ(figure.notes.at(1),
            "Not drawn: 2 schemes (2 GB/s); 2 schemes (4 GB/s); 2 schemes (8 GB/s).");
}

TEST(SchemeComparison, PackingsOfOneLengthAreSettingsOfTheirOwn) {
  const std::pair<const char*, double> packings[] = {{"0+1024", 0.02}, {"0+512 0+512", 0.01}};
  CsvTable cases = no_cases();
  for (const auto& [sequences, seconds] : packings)
    for (const char* algorithm : {"ring", "zigzag"})
      add_case(cases, scheme_case(algorithm, 4, 1024, seconds, {{"sequences", sequences}}));
  const Figure figure = scheme_comparison_figure(cases);
  EXPECT_THAT(figure.subtitle, HasSubstr("sequences 0+1024"));
  const Series& ring = series_named(panel_titled(figure, "wall clock"), "ring, threads");
  EXPECT_DOUBLE_EQ(ring.points.at(0).y, 20.0);
  EXPECT_THAT(figure.notes.at(1), HasSubstr("2 schemes (sequences 0+512 0+512"));
}

TEST(SchemeComparison, OfThreadsAndMpiOneIsDrawnSoThatAnySchemeHasOneLine) {
  CsvTable cases = two_schemes();
  for (const char* algorithm : {"ring", "zigzag"})
    add_case(cases, scheme_case(algorithm, 4, 1024, 0.03, {{"ranks", "mpi"}}));
  const Figure figure = scheme_comparison_figure(cases);
  const std::vector<Series>& lines = panel_titled(figure, "wall clock").series;
  EXPECT_EQ(lines.at(0).name, "ring, threads");
  EXPECT_EQ(std::ranges::count_if(lines, [](const Series& one) { return !one.points.empty(); }), 2);
  EXPECT_THAT(figure.notes.at(1), HasSubstr("2 cases (mpi ranks, of the same plans"));
}

TEST(SchemeComparison, AnAlgorithmThatIsNotComparedIsSaidToBeLeftOut) {
  CsvTable cases = two_schemes();
  for (const int workers : {2, 4}) add_case(cases, scheme_case("pass_q", workers, 1024, 0.03));
  EXPECT_EQ(scheme_comparison_figure(cases).notes.at(1),
            "Not drawn: 2 cases (pass_q is not one of the schemes compared here).");
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

TEST(SchemeComparison, OneSchemeAloneIsNoComparison) {
  EXPECT_THAT(scheme_comparison_figure(case_study_2(10)).empty_reason, HasSubstr("no two schemes"));
  EXPECT_THAT(scheme_comparison_figure(no_cases()).empty_reason, HasSubstr("no two schemes"));
}

}  // namespace
}  // namespace qb
