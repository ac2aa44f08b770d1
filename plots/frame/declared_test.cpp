// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/declared.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <regex>

#include "base/source_root.h"
#include "base/status.h"
#include "plots/figures/figures.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Figure drawn(const PlottedRun& run, const std::string& json) {
  return declared_figure(read_declared_figure(json), run);
}

std::vector<std::string> lines_of_panel(const Panel& panel) {
  std::vector<std::string> names;
  for (const Series& series : panel.series)
    if (series.in_legend && series.draw != Draw::limit && !is_cross(series) &&
        !series.name.starts_with("∝"))
      names.push_back(series.name);
  return names;
}

TEST(Declared, WhatDiffersAndIsNotOnXIsALine) {
  const Figure figure = drawn(case_study_2(10), R"({"y": "critical_path"})");
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(lines_of_panel(figure.panels[0]),
              ::testing::UnorderedElementsAre("dense, W = 1", "cqs, W = 4", "cqs, W = 7",
                                              "cqs, W = 8", "cqs, W = 31"));
  EXPECT_EQ(figure.panels[0].x.column, "n_tokens");
  EXPECT_EQ(figure.panels[0].y.column, "critical_path_ms");
  const Series& dense = series_named(figure.panels[0], "dense, W = 1");
  EXPECT_EQ(dense.style, algorithm_style("dense"));
  EXPECT_EQ(series_named(figure.panels[0], "cqs, W = 4").style.mark, algorithm_style("cqs").mark);
  EXPECT_NE(series_named(figure.panels[0], "cqs, W = 4").style.colour,
            series_named(figure.panels[0], "cqs, W = 7").style.colour);
}

TEST(Declared, TimesHaveTheirIntervalsAndRepeatedCasesTheLastRow) {
  CsvTable cases = no_cases();
  add_case(cases, failed_case(7, 2000, "timeout", "too slow"));
  add_case(cases, ok_case(7, 1000, 1.0));
  add_case(cases, ok_case(7, 2000, 1.0));
  const Figure figure = drawn(cases, R"({"y": "longest_subsequence", "lines": "workers"})");
  const auto& points = series_named(figure.panels.at(0), "cqs").points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(points[0].y, 20.0);
  EXPECT_DOUBLE_EQ(points[0].low, 18.6);
  EXPECT_DOUBLE_EQ(points[0].high, 22.4);
}

TEST(Declared, ACaseThatDidNotRunBreaksTheLineAndIsSaid) {
  CsvTable cases = no_cases();
  for (const int n : {1000, 3000}) add_case(cases, ok_case(1, n, 1.0));
  add_case(cases, failed_case(1, 2000, "timeout", "too slow"));
  const Figure figure = drawn(cases, R"({"y": "critical_path"})");
  const auto& points = series_named(figure.panels.at(0), "dense").points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_TRUE(std::isnan(points[1].y));
  EXPECT_THAT(figure.notes, Contains("Not drawn: 1 of 3 cases (timeout: too slow)."));
}

TEST(Declared, WhatNoLineMayJoinHasAPanelOfItsOwn) {
  std::vector<Values> rows;
  for (const char* scheme : {"ring", "zigzag"})
    for (const int workers : {2, 4})
      for (const int n : {1024, 4096}) rows.push_back(scheme_case(scheme, workers, n, 1.0));
  const Figure figure =
      drawn(scheme_table(rows), R"({"y": "time", "x": "workers", "lines": "algorithm"})");
  EXPECT_THAT(titles(figure), ElementsAre("N = 1,024", "N = 4,096"));
  EXPECT_THAT(lines_of_panel(figure.panels.at(0)), ElementsAre("ring", "zigzag"));
}

TEST(Declared, OfSeveralShapesOfAGridTheBestIsDrawn) {
  std::vector<Values> rows;
  for (const int workers : {4, 8})
    for (const char* heads : {"2", "4"}) {
      rows.push_back(
          scheme_case("grid", workers, 1024, heads[0] == '2' ? 3.0 : 2.0, {{"grid_heads", heads}}));
      rows.back()["case_id"] += heads;
    }
  const Figure figure =
      drawn(scheme_table(rows), R"({"y": "time", "x": "workers", "lines": "algorithm"})");
  const auto& points = series_named(figure.panels.at(0), "grid").points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(points[0].y, 2.0);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("the best is drawn")));
}

TEST(Declared, MoreThanSixLinesBecomePanelsOfOneAlgorithm) {
  std::vector<Values> rows;
  for (const char* scheme : {"ring", "zigzag", "striped"})
    for (const int workers : {2, 4, 8})
      for (const int n : {1024, 4096}) rows.push_back(scheme_case(scheme, workers, n, 1.0));
  const Figure figure = drawn(scheme_table(rows), R"({"y": "time"})");
  ASSERT_EQ(figure.panels.size(), 3u);
  EXPECT_THAT(titles(figure), ::testing::UnorderedElementsAre("ring", "striped", "zigzag"));
  for (const Panel& panel : figure.panels)
    EXPECT_THAT(lines_of_panel(panel), ElementsAre("W = 2", "W = 4", "W = 8")) << panel.title;
}

TEST(Declared, OneXMakesARowOfEachLineWithItsInterval) {
  const Figure figure =
      drawn(scheme_table({scheme_case("ring", 4, 1024, 2.0), scheme_case("zigzag", 4, 1024, 1.0)}),
            R"({"y": "time"})");
  const Panel& panel = figure.panels.at(0);
  ASSERT_EQ(panel.y.tics.size(), 2u);
  EXPECT_EQ(panel.y.tics[0].label, "ring");
  EXPECT_DOUBLE_EQ(series_named(panel, "ring").points.at(0).x, 2.0);
  const auto& bar = series_named(panel, "ring, interval").points;
  EXPECT_DOUBLE_EQ(bar.at(0).x, 1.8);
  EXPECT_DOUBLE_EQ(bar.at(1).x, 2.2);
}

TEST(Declared, WhereNothingFitsItSaysSo) {
  CsvTable cases = no_cases();
  for (const int n : {1000, 2000}) {
    Values lost = failed_case(4, n, "oom", "over the budget");
    lost["memory_budget_bytes"] = "65536";
    add_case(cases, lost);
  }
  EXPECT_EQ(drawn(cases, R"({"y": "device_peak", "bound": "memory"})").empty_reason,
            "nothing fits 64.00 KiB");
}

TEST(Declared, RepeatsAreAStripBehindTheirMedian) {
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), ok_case(1, 2000, 1.0)});
  PlottedRun run(cases);
  run.samples = CsvTable::parse(
      "case_id,repeat,warmup,critical_path_s\n000100001000,0,1,9\n000100001000,0,0,0.5\n"
      "000100001000,1,0,0.25\n",
      "samples.csv");
  const Figure figure = drawn(run, R"({"y": "critical_path"})");
  const Series& strip = series_named(figure.panels.at(0), "dense, repeats");
  ASSERT_EQ(strip.points.size(), 2u) << "without the warm-up";
  EXPECT_DOUBLE_EQ(strip.points[0].y, 500.0);
  EXPECT_FALSE(strip.in_legend);
}

TEST(Declared, PairsBoundASpeedUpAndTheLineNamesTheMost) {
  const CsvTable cases =
      scheme_table({scheme_case("dense", 1, 1024, 4.0), scheme_case("dense", 1, 4096, 64.0),
                    scheme_case("ring", 4, 1024, 2.0, {{"critical_path_pairs", "262144"}}),
                    scheme_case("ring", 4, 4096, 30.0, {{"critical_path_pairs", "4194304"}})});
  const Figure figure = drawn(cases, R"({"y": "speed_up", "only": "workers>1", "bound": "pairs"})");
  const Panel& panel = figure.panels.at(0);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, bound").points.at(0).y, 2.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, ≤ 2").points.at(1).y, 64.0 / 30.0);
  EXPECT_EQ(figure.title, "ring: speed-up 2 to 2.13");
}

TEST(Declared, ConditionsCompareNumbersWordsAndColumns) {
  const CsvTable cases = scheme_table({scheme_case("ring", 8, 1024, 1.0, {{"kv_len", "4096"}})});
  const Row row{&cases, 0};
  const auto is = [&](const char* text) { return holds(read_condition(text), row); };
  EXPECT_TRUE(is("workers>1"));
  EXPECT_FALSE(is("workers>8"));
  EXPECT_TRUE(is("workers<=8"));
  EXPECT_TRUE(is("algorithm=striped|ring"));
  EXPECT_FALSE(is("algorithm!=ring"));
  EXPECT_TRUE(is("n_tokens<kv_len"));
  EXPECT_TRUE(is("tokens_per_worker=128"));
  EXPECT_TRUE(is("interest_set="));
  EXPECT_THROW((void)read_condition("workers"), UsageError);
}

TEST(Declared, ATitleComparesWhatDiffersInOneThingAndIsToldApart) {
  const auto title = [](double zigzag, const char* disturbed = "") {
    return drawn(scheme_table(
                     {scheme_case("ring", 4, 1024, 2.0), scheme_case("ring", 4, 4096, 2.0),
                      scheme_case("zigzag", 4, 4096, zigzag, {{"disturbed_by", disturbed}})}),
                 R"({"y": "time"})")
        .title;
  };
  EXPECT_EQ(title(1.0), "At N = 4,096 ring has 2 times the time of zigzag");
  EXPECT_EQ(title(1.9), "Time against N") << "the intervals overlap";
  EXPECT_EQ(title(1.0, "stolen"), "Time against N");
}

TEST(Declared, ATitleOfMemorySaysWhatDoesNotFit) {
  PlottedRun run(case_study_2(10));
  run.provenance.memory_bytes = 8e9;
  EXPECT_EQ(drawn(run, R"({"y": "device_peak", "bound": "memory"})").title,
            "dense, W = 1 does not fit into 7.45 GiB from N = 4,500 on; cqs, W = 31 fits at N = "
            "4,900");
}

TEST(Declared, ARatioThatPassesOneSaysWhere) {
  std::vector<Values> rows;
  for (const auto& [n, q, kv] : {std::tuple(64, 1.0, 2.0), {256, 3.0, 2.0}, {512, 6.0, 2.0}})
    for (const auto& [scheme, seconds] : {std::pair("pass_q", q), {"pass_kv", kv}})
      rows.push_back(scheme_case(scheme, 4, n, seconds, {{"kv_len", "1024"}}));
  EXPECT_EQ(figures_of_run(PlottedRun(scheme_table(rows)), {"ttft_miss_rate"}).at(0).title,
            "pass_kv: speed-up over pass_q 0.5 to 3; it passes 1 between miss rate 6.25 % and "
            "miss rate 25 %");
}

TEST(Declared, ATitleOfSeveralBudgetsNamesNone) {
  CsvTable cases = no_cases();
  add_case(cases, ok_case(7, 4000, 0.43));
  for (const auto& [n, budget] : {std::pair(4000, "1e6"), {5000, "2e6"}}) {
    Values lost = failed_case(1, n, "oom", "over the budget");
    lost["memory_budget_bytes"] = budget;
    add_case(cases, lost);
  }
  EXPECT_THAT(drawn(cases, R"({"y": "device_peak", "bound": "memory"})").title,
              ::testing::Not(HasSubstr("fit")));
}

TEST(Declared, ALimitStandsWithValuesOfItsKindAlone) {
  Values one = scheme_case("ring", 4, 1024, 1.0, {{"peak_flop_per_s", "1e12"}});
  Values other = scheme_case("ring", 4, 4096, 2.0, {{"peak_flop_per_s", "1e12"}});
  const Figure figure = drawn(scheme_table({one, other}),
                              R"({"y": ["achieved_flop_per_s", "time"], "bound": "peak"})");
  const auto limits = [](const Panel& panel) {
    return std::ranges::count(panel.series, Draw::limit, &Series::draw);
  };
  EXPECT_EQ(limits(figure.panels.at(0)), 1);
  EXPECT_EQ(limits(figure.panels.at(1)), 0) << "a speed is no bound of a time";
}

TEST(Declared, EachCaseOfAWordIsAMark) {
  const Figure figure =
      drawn(scheme_table({scheme_case("ring", 4, 1024, 2.0), scheme_case("ring", 8, 1024, 1.0)}),
            R"({"y": "time", "x": "algorithm", "lines": "dtype"})");
  EXPECT_EQ(figure.panels.at(0).series.at(0).points.size(), 2u);
}

// ---- what committed figures claim ---------------------------------------------------------------

double number_of(std::string text) {
  std::erase(text, ',');
  return std::stod(text);
}

// The value of a series at an x, which a title writes as `N = 4,096` or as a number with its name.
std::vector<double> values_at(const CommittedFigure& figure, const std::string& series,
                              const std::string& panel) {
  std::vector<double> found;
  for (const Mark& mark : figure.marks())
    if (mark.is_data() && mark.series.substr(0, mark.series.find(", ≤")) == series &&
        (panel.empty() || mark.panel_title.find(panel) != std::string::npos))
      found.push_back(mark.y);
  return found;
}

// Every number of a title of a committed declared figure follows from its marks.
TEST(DeclaredTitles, CommittedOnesFollowFromTheirMarks) {
  namespace fs = std::filesystem;
  const std::regex farthest(R"((?:Modelled: )?(?:At|With) (.+) has ([\d.,e+]+) times the .+)");
  const std::regex reached(
      R"((?:Modelled: )?(.+?)(?: \((.+)\))?: (.*?) ([\d.e+-]+)(?: to ([\d.e+-]+))?(,.*|;.*)?)");
  int declared = 0;
  int claims = 0;
  for (const auto& file : fs::recursive_directory_iterator(source_path("paper_figures"))) {
    const fs::path path = file.path();
    if (path.extension() != ".svg" || !is_declared(path.stem().string())) continue;
    ++declared;
    const CommittedFigure figure(path.parent_path().parent_path().filename().string(),
                                 path.stem().string());
    const std::string title = figure.title();
    std::smatch said;
    if (std::regex_match(title, said, farthest)) {
      ++claims;
      const double ratio = number_of(said[2]);
      bool found = false;
      for (const Mark& more : figure.marks())
        for (const Mark& less : figure.marks())
          found = found ||
                  (more.panel == less.panel && more.x == less.x &&
                   std::abs(more.y / less.y / ratio - 1.0) < 6e-3) ||
                  (more.y == less.y && more.panel == less.panel &&
                   std::abs(more.x / less.x / ratio - 1.0) < 6e-3);  // rows of marks
      EXPECT_TRUE(found) << path << ": " << title;
    } else if (std::regex_match(title, said, reached)) {
      ++claims;
      const std::vector<double> values = values_at(figure, said[1], said[2]);
      ASSERT_FALSE(values.empty()) << path << ": " << title;
      for (const auto& end : {said[4], said[5].matched ? said[5] : said[4]})
        EXPECT_TRUE(std::ranges::any_of(
            values, [&](double value) { return std::abs(value / number_of(end) - 1.0) < 6e-3; }))
            << path << ": " << title;
    }
  }
  EXPECT_GE(declared, 15);
  EXPECT_GE(claims, 10);
}

}  // namespace
}  // namespace qb
