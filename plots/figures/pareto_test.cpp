// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

Values holds(const char* scheme, double seconds, const char* bytes) {
  return scheme_case(scheme, 8, 1000, seconds, {{"predicted_device_peak_bytes", bytes}});
}

TEST(Pareto, TheFrontierIsWhatNoOtherSchemeBeatsInBoth) {
  const Figure figure =
      pareto_figure(scheme_table({holds("ring", 0.2, "1048576"), holds("zigzag", 0.1, "2097152"),
                                  holds("ulysses", 0.15, "4194304")}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring").points.at(0).x, 1.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "ring").points.at(0).y, 200.0);
  EXPECT_EQ(series_named(panel, "beaten by none").points.size(), 2u);
  EXPECT_EQ(figure.title, "At W = 8 no scheme beats ring or zigzag in both memory and time");
}

TEST(Pareto, CrowdedClocksHaveNoFrontier) {
  PlottedRun run(scheme_table({holds("ring", 0.2, "1048576"), holds("zigzag", 0.1, "2097152")}));
  run.provenance.cores = 2;
  const Figure figure = pareto_figure(run);
  EXPECT_EQ(figure.title, "Time against memory of a device, threads on 2 cores");
  EXPECT_THROW((void)series_named(figure.panels.at(0), "beaten by none"), std::out_of_range);
}

TEST(Pareto, OneSchemeIsASentence) {
  EXPECT_THAT(pareto_figure(scheme_table({holds("ring", 0.2, "1048576")})).empty_reason,
              HasSubstr("no two schemes"));
}

// The committed figure: the title names the schemes of the frontier; no mark is left of and below
// one of them, and each other scheme is right of or above one.
TEST(Pareto, CommittedFrontiersAreBeatenByNoneAndBeatTheOthers) {
  const CommittedFigure figure("landscape_pareto", "pareto");
  for (const std::string panel : {"1", "2", "3", "4"}) {
    const std::vector<Mark> frontier = figure.marks(panel, "beaten by none");
    ASSERT_GE(frontier.size(), 2u);
    int beaten_marks = 0;
    for (const Mark& mark : figure.marks()) {
      if (mark.panel != panel || mark.series == "beaten by none") continue;
      bool beaten = false;
      bool best = false;
      for (const Mark& one : frontier) {
        EXPECT_FALSE(mark.x < one.x && mark.y < one.y) << mark.series;
        const bool same = one.x == mark.x && one.y == mark.y;
        best = best || same;
        beaten = beaten || (!same && one.x <= 1.01 * mark.x && one.y <= mark.y);
      }
      EXPECT_TRUE(best || beaten) << mark.series;
      beaten_marks += best ? 0 : 1;
    }
    EXPECT_GE(beaten_marks, 2);
  }
  EXPECT_EQ(figure.title(),
            "At N = 16,384 no operator beats exact or linear in both distance and time");
}

}  // namespace
}  // namespace qb
