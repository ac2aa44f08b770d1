// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values causal_case(const std::string& algorithm, int workers, std::int64_t n, double seconds,
                   const Values& more = {}) {
  Values values = ok_case(workers, n, 1.0);
  values["algorithm"] = algorithm;
  values["mask"] = "causal";
  for (const char* prefix : {"critical_path", "wall_time"}) {
    const double time = std::string(prefix) == "wall_time" ? seconds * 10 : seconds;
    values[std::string(prefix) + "_median_s"] = to_text(time);
    values[std::string(prefix) + "_low95_s"] = to_text(time * 0.9);
    values[std::string(prefix) + "_high95_s"] = to_text(time * 1.2);
  }
  for (const auto& [column, value] : more) values[column] = value;
  values["case_id"] += algorithm + values["ranks"] + values["pass"];
  return values;
}

std::ptrdiff_t published_count(const Panel& panel) {
  return std::count_if(panel.series.begin(), panel.series.end(), [](const Series& series) {
    return series.published && !series.points.empty();
  });
}

TEST(StripedSpeedUp, SerialCasesCompareCriticalPathsOthersWallClocks) {
  const Values threads = {{"ranks", "threads"}, {"wall_time_median_s", "3"}};
  const CsvTable cases = cases_of(
      {causal_case("ring", 4, 4000, 1.5), causal_case("striped", 4, 4000, 1.0),
       causal_case("ring", 4, 4000, 1.5, threads), causal_case("striped", 4, 4000, 1.0, threads)});
  const Panel panel = striped_speed_up_figure(cases).panels.at(0);
  const Point serial = series_named(panel, "striped, serial").points.at(0);
  EXPECT_EQ(serial.x, 1000.0);
  EXPECT_DOUBLE_EQ(serial.y, 1.5);
  EXPECT_DOUBLE_EQ(serial.low, 1.5 * 0.9 / 1.2);
  EXPECT_DOUBLE_EQ(serial.high, 1.5 * 1.2 / 0.9);
  EXPECT_DOUBLE_EQ(series_named(panel, "striped, threads").points.at(0).y, 1.0);
}

TEST(StripedSpeedUp, APanelNamesTheDeviceThatItsCasesAreModelledOn) {
  const auto modelled_on = [](const char* device) {
    return Values{{"ranks", "model"}, {"model_device", device}};
  };
  const Values a100 = modelled_on("data/devices/a100.csv");
  const Values tpu = modelled_on("data/devices/tpu_v4.csv");
  const CsvTable cases =
      cases_of({causal_case("ring", 4, 4000, 1.5, a100), causal_case("striped", 4, 4000, 1.0, a100),
                causal_case("ring", 8, 4000, 1.5, tpu), causal_case("striped", 8, 4000, 1.2, tpu)});
  const Figure figure = striped_speed_up_figure(cases);
  EXPECT_EQ(figure.panels.at(0).title, "W = 4 A100");
  EXPECT_EQ(figure.panels.at(1).title, "W = 8 TPU_V4");
}

TEST(StripedSpeedUp, ZigzagIsASecondCurveUnderEitherOfItsNames) {
  const CsvTable cases =
      cases_of({causal_case("ring", 4, 4000, 1.5), causal_case("zigzag", 4, 4000, 1.0),
                causal_case("ring", 4, 8000, 4.0), causal_case("pass_kv", 4, 8000, 2.0)});
  const Figure figure = striped_speed_up_figure(cases);
  const Series& zigzag = series_named(figure.panels.at(0), "zigzag");
  ASSERT_EQ(zigzag.points.size(), 2u);
  EXPECT_DOUBLE_EQ(zigzag.points[1].y, 2.0);
  EXPECT_EQ(zigzag.style, algorithm_style("zigzag"));
}

TEST(StripedSpeedUp, OnlyARingOfTheSameParametersIsCompared) {
  CsvTable cases = cases_of({causal_case("ring", 4, 4000, 1.5, {{"dtype", "f32"}}),
                             causal_case("striped", 4, 4000, 1.0)});
  EXPECT_THAT(striped_speed_up_figure(cases).empty_reason, HasSubstr("ring case of the same"));
  add_case(cases, causal_case("ring", 4, 8000, 1.5, {{"link_latency_s", "1"}}));
  add_case(cases, causal_case("striped", 4, 8000, 1.5, {{"link_latency_s", "1"}}));
  const Figure figure = striped_speed_up_figure(cases);
  EXPECT_EQ(figure.panels.at(0).series.at(0).points.size(), 1u);
  EXPECT_THAT(figure.notes.back(), HasSubstr("Not drawn: 1 striped or zigzag case (no ring case"));
}

TEST(StripedSpeedUp, CasesOverALinkAreDrawnWhereThereAreNoOthers) {
  const Values link = {{"link_bandwidth_byte_per_s", "1e9"}, {"ranks", "threads"}};
  CsvTable cases = cases_of(
      {causal_case("ring", 4, 4000, 1.5, link), causal_case("striped", 4, 4000, 1.2, link)});
  EXPECT_DOUBLE_EQ(striped_speed_up_figure(cases).panels.at(0).series.at(0).points.at(0).y, 1.25);
  add_case(cases, causal_case("ring", 4, 8000, 1.5));
  add_case(cases, causal_case("striped", 4, 8000, 1.0));
  const Figure figure = striped_speed_up_figure(cases);
  ASSERT_EQ(figure.panels.at(0).series.at(0).points.size(), 1u);
  EXPECT_DOUBLE_EQ(figure.panels[0].series[0].points[0].y, 1.5);
  EXPECT_THAT(figure.notes.back(), HasSubstr("Not drawn: 1 case (over a link"));
}

TEST(StripedSpeedUp, TheBoundIsByTheRowsPairsAndTheFindingSaysWhatLiesAboveIt) {
  const auto figure_of = [](double ring_s) {
    const auto pairs = [](const char* critical_path) {
      return Values{{"unmasked_pairs", "8000"}, {"critical_path_pairs", critical_path}};
    };
    return striped_speed_up_figure(cases_of({causal_case("ring", 4, 4000, ring_s, pairs("3500")),
                                             causal_case("striped", 4, 4000, 1.0, pairs("2000")),
                                             causal_case("zigzag", 4, 4000, 2.0, pairs("2000"))}));
  };
  const Figure figure = figure_of(3.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels.at(0), "what balanced pairs allow").points.at(0).y,
                   1.75);
  EXPECT_EQ(figure.title,
            "A contiguous ring takes 3 times as long as a striped one, 1.5 times as long as a "
            "zigzag one");
  EXPECT_EQ(figure.finding,
            "1 of 2 cases gain more than balanced pairs allow, with the whole error bar.");
  EXPECT_THAT(figure_of(2.0).finding, HasSubstr("0 of 2")) << "the bar reaches below it";
}

TEST(StripedSpeedUp, PublishedStepsStandBesideTheSameWorkerCount) {
  std::vector<Values> rows;
  for (const int workers : {4, 7}) {
    rows.push_back(causal_case("ring", workers, 1000 * workers, 1.5));
    rows.push_back(causal_case("striped", workers, 1000 * workers, 1.0));
  }
  EXPECT_EQ(published_count(striped_speed_up_figure(cases_of(rows)).panels.at(0)), 0);
  const Figure figure = striped_speed_up_figure(with_published(cases_of(rows)));
  EXPECT_THAT(titles(figure), ElementsAre("W = 4", "W = 7"));
  EXPECT_EQ(published_count(figure.panels[0]), 4);
  EXPECT_EQ(published_count(figure.panels[1]), 0);
  const Series& one = series_named(figure.panels[0], "3B, A100 80GB NVLink, mesh 2x4");
  ASSERT_EQ(one.points.size(), 7u);
  EXPECT_EQ(one.points[0].x, 4096.0);
  EXPECT_EQ(one.points[0].y, 0.94);
  EXPECT_EQ(series_named(figure.panels[0], "1B, A100 80GB NVLink, mesh 1x4").points.at(3).x,
            24576.0);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("with feed-forward layers")));
}

TEST(StripedSpeedUp, OfBothPassesTheSumsAreCompared) {
  const Values both = {
      {"pass", "both"}, {"forward_time_median_s", "9"}, {"backward_time_median_s", "1"}};
  const Figure figure = striped_speed_up_figure(cases_of(
      {causal_case("ring", 4, 4000, 1.5, both), causal_case("striped", 4, 4000, 1.0, both)}));
  EXPECT_DOUBLE_EQ(series_named(figure.panels.at(0), "striped").points.at(0).y, 1.5);
}

TEST(StripedSpeedUp, WherePassesDifferTheLinesNameThem) {
  std::vector<Values> rows;
  for (const auto& [pass, ring_s] : {std::pair("forward", 1.5), {"both", 1.75}}) {
    rows.push_back(causal_case("ring", 4, 4000, ring_s, {{"pass", pass}}));
    rows.push_back(causal_case("striped", 4, 4000, 1.0, {{"pass", pass}}));
  }
  const Panel panel = striped_speed_up_figure(cases_of(rows)).panels.at(0);
  EXPECT_DOUBLE_EQ(series_named(panel, "striped").points.at(0).y, 1.5);
  EXPECT_DOUBLE_EQ(series_named(panel, "striped, both passes").points.at(0).y, 1.75);
}

// The committed figures: the title has the range of each layout, and the finding counts the error
// bars that lie above what balanced pairs explain.
TEST(StripedSpeedUp, CommittedTitlesHaveTheRangesAndFindingsCountTheErrorBarsAboveThePairs) {
  for (const CommittedFigure& figure :
       {CommittedFigure("striped_speed_up", "striped_speed_up"),
        CommittedFigure("striped_training_model", "striped_speed_up")}) {
    std::map<std::string, double> pairs;  // by panel
    for (const Mark& mark : figure.marks())
      if (mark.kind == "limit") pairs[mark.panel] = mark.y;
    std::map<std::string, std::set<double>> gains;  // by layout
    int above = 0;
    int all = 0;
    bool bars = false;
    for (const Mark& mark : figure.marks()) {
      if (!mark.is_data()) continue;
      gains[mark.series.substr(0, mark.series.find(','))].insert(mark.y);
      above += mark.low > pairs.at(mark.panel) ? 1 : 0;
      bars = bars || mark.low < mark.y;
      ++all;
    }
    std::vector<std::string> said;
    for (const auto& [layout, ratios] : gains)
      said.push_back(fmt::format("{:.3g} to {:.3g} times as long as a {} one", *ratios.begin(),
                                 *ratios.rbegin(), layout));
    EXPECT_EQ(figure.title(),
              (bars ? "" : "Modelled: ") + ("A contiguous ring takes " + listed(said)));
    EXPECT_THAT(figure.finding(), ::testing::EndsWith(fmt::format(
                                      "{} of {} cases gain more than balanced pairs allow{}.",
                                      above, all, bars ? ", with the whole error bar" : "")));
  }
}

}  // namespace
}  // namespace qb
