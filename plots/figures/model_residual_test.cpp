#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/frame/palette.h"
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
  values["case_id"] += algorithm + ranks + values["modelled_wall_time_s"];
  return values;
}

TEST(ModelResidual, AMarkACaseInPercentWithTheIntervalOfTheMeasuredTime) {
  const Figure figure =
      model_residual_figure(cases_of({modelled_case("ring", "threads", 0.25, 0.1)}));
  const Panel& panel = figure.panels.at(0);
  const Series& ring = panel.series.at(0);
  EXPECT_EQ(ring.name, "ring, threads");
  EXPECT_EQ(ring.draw, Draw::points);
  ASSERT_EQ(ring.points.size(), 1u);
  EXPECT_DOUBLE_EQ(ring.points[0].x, 250.0);
  EXPECT_NEAR(ring.points[0].y, 10.0, 1e-9);
  EXPECT_NEAR(ring.points[0].low, (1.1 * 0.93 - 1) * 100, 1e-9);
  EXPECT_NEAR(ring.points[0].high, (1.1 * 1.12 - 1) * 100, 1e-9);
  EXPECT_EQ(panel.x.column, "modelled_wall_time_ms");
  EXPECT_TRUE(panel.x.log);
}

TEST(ModelResidual, ColourTellsTheAlgorithmAndTheMarkWhoPlayedTheWorkers) {
  const Figure figure = model_residual_figure(cases_of(
      {modelled_case("ring", "threads", 0.25, 0.1), modelled_case("ring", "mpi", 0.25, 0.2),
       modelled_case("zigzag", "mpi", 0.25, 0.2)}));
  std::vector<std::string> legend;
  for (const Series& series : figure.panels.at(0).series) {
    if (series.in_legend) legend.push_back(series.name);
    if (series.name != "zigzag, mpi") continue;
    EXPECT_EQ(series.style, (Style{algorithm_style("zigzag").colour, ranks_mark("mpi")}));
  }
  EXPECT_THAT(legend, ElementsAre("measured = modelled", "ring", "zigzag", "mpi", "threads"));
}

TEST(ModelResidual, TheNoteHasMediansAndTheWorstCase) {
  const Figure figure = model_residual_figure(cases_of(
      {modelled_case("ring", "threads", 0.1, 0.02), modelled_case("ring", "threads", 0.2, -0.04),
       modelled_case("ring", "threads", 0.3, 0.06), modelled_case("zigzag", "mpi", 0.1, -0.5)}));
  EXPECT_EQ(figure.notes.at(0),
            "Median absolute residual 5.0 % of 4 cases (mpi 50.0 % of 1, threads 4.0 % of 3); the "
            "worst: zigzag, N = 8,192, W = 4, mpi: -50.0 %.");
}

TEST(ModelResidual, CasesWithoutAModelledTimeHaveNoMark) {
  Values none = modelled_case("ring", "threads", 0.1, 0.02);
  none["model_residual_ratio"].clear();
  EXPECT_THAT(model_residual_figure(cases_of({none})).empty_reason, HasSubstr("modelled"));
}

}  // namespace
}  // namespace qb
