// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/statistics.h"
#include "plots/frame/palette.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values modelled_case(const std::string& algorithm, const std::string& ranks, double modelled_s,
                     double ratio) {
  Values values = ok_case(4, 8192, 1.0);
  values["algorithm"] = algorithm;
  values["ranks"] = ranks;
  values["modelled_wall_time_s"] = to_text(modelled_s);
  values["model_residual_ratio"] = to_text(ratio);
  values["model_device"] = "data/devices/epyc-2-cores.csv";
  values["case_id"] += algorithm + ranks + values["modelled_wall_time_s"];
  return values;
}

TEST(ModelResidual, AnAlgorithmHasItsCasesAndTheirMedian) {
  const Figure figure = model_residual_figure(cases_of(
      {modelled_case("ring", "threads", 0.1, 0.1), modelled_case("ring", "threads", 0.2, -0.05),
       modelled_case("ring", "threads", 0.3, 0.4), modelled_case("cqs", "threads", 0.3, 0.2)}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(panel.x.column, "model_residual_percent");
  const Series& cases = series_named(panel, "ring, threads");
  EXPECT_EQ(cases.draw, Draw::points);
  EXPECT_FALSE(cases.thin) << "hollow marks are disturbed ones";
  ASSERT_EQ(cases.points.size(), 3u);
  EXPECT_DOUBLE_EQ(cases.points[2].x, 40.0);
  EXPECT_DOUBLE_EQ(cases.points[2].y, 0.0);
  const Series& medians = series_named(panel, "median");
  ASSERT_EQ(medians.points.size(), 2u);
  EXPECT_DOUBLE_EQ(medians.points[0].x, 10.0) << "the better algorithm is on top";
  EXPECT_DOUBLE_EQ(medians.points[1].x, 20.0);
  EXPECT_TRUE(panel.y.reversed);
  ASSERT_EQ(panel.y.tics.size(), 2u);
  EXPECT_EQ(panel.y.tics[0].label, "ring");
}

TEST(ModelResidual, ColourTellsTheAlgorithmAndTheMarkWhoPlayedTheWorkers) {
  const Figure figure = model_residual_figure(cases_of(
      {modelled_case("ring", "threads", 0.25, 0.1), modelled_case("ring", "mpi", 0.25, 0.2),
       modelled_case("zigzag", "mpi", 0.25, 0.2)}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(series_named(panel, "zigzag, mpi").style,
            (Style{algorithm_style("zigzag").colour, ranks_mark("mpi")}));
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, mpi").points.at(0).y, -0.125);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring, threads").points.at(0).y, 0.125);
  std::vector<std::string> legend;
  for (const Series& series : panel.series)
    if (series.in_legend) legend.push_back(series.name);
  EXPECT_THAT(legend, ElementsAre("median", "a case, mpi", "a case, threads"));
}

TEST(ModelResidual, OneAlgorithmIsToldApartByWhoPlayedItsWorkers) {
  const Figure figure = model_residual_figure(cases_of(
      {modelled_case("cqs", "threads", 0.25, 0.1), modelled_case("cqs", "serial", 0.25, 0.05)}));
  const auto& tics = figure.panels.at(0).y.tics;
  ASSERT_EQ(tics.size(), 2u);
  EXPECT_EQ(tics[0].label, "cqs, serial");
  EXPECT_EQ(tics[1].label, "cqs, threads");
}

TEST(ModelResidual, TheTitleHasTheSideOfThoseThatCount) {
  Values disturbed = modelled_case("ring", "threads", 0.2, 0.9);
  disturbed["disturbed_by"] = "neighbours";
  Values shared = modelled_case("zigzag", "threads", 0.1, -0.5);
  shared["disturbed_by"] = "oversubscribed";  // as the model's workers share cores
  const Figure figure =
      model_residual_figure(cases_of({modelled_case("ring", "threads", 0.1, -0.02), disturbed,
                                      modelled_case("ring", "threads", 0.3, 0.06), shared}));
  EXPECT_EQ(figure.title,
            "2 of 3 cases were faster than modelled (median -2 %, nine of ten at most 6 %)");
  const Series& ring = series_named(figure.panels.at(0), "ring, threads");
  EXPECT_TRUE(ring.points.at(1).disturbed) << "hollow";
  EXPECT_FALSE(series_named(figure.panels[0], "zigzag, threads").points.at(0).disturbed);
  EXPECT_EQ(series_named(figure.panels[0], "median").points.at(0).x, 2.0) << "of -2 and 6";
  EXPECT_EQ(figure.notes.at(1), "Modelled device: epyc-2-cores.");
  EXPECT_THAT(figure.notes.at(2), HasSubstr("at most 12 % wide"));
}

TEST(ModelResidual, CasesWithoutAModelledTimeHaveNoMark) {
  Values none = modelled_case("ring", "threads", 0.1, 0.02);
  none["model_residual_ratio"].clear();
  EXPECT_THAT(model_residual_figure(cases_of({none})).empty_reason, HasSubstr("modelled"));
}

// The committed figure: the title has the side, the median and the p90 of its full marks.
TEST(ModelResidual, CommittedTitleHasTheSideTheMedianAndTheP90) {
  const CommittedFigure figure("schemes", "model_residual");
  std::vector<double> distances;
  for (const Mark& mark : figure.marks())
    if (mark.series.find(", ") != std::string::npos && mark.fields.at("disturbed") != "1")
      distances.push_back(mark.x);
  std::ranges::sort(distances);
  EXPECT_GE(distances.size(), 40u);
  EXPECT_EQ(
      figure.title(),
      fmt::format("{} of {} cases took longer than modelled (median {:.3g} %, nine of ten at "
                  "most {:.3g} %)",
                  std::ranges::count_if(distances, [](double x) { return x > 0.0; }),
                  distances.size(), median(distances), distances[(9 * distances.size() - 1) / 10]));
}

}  // namespace
}  // namespace qb
