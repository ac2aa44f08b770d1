// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_schemes.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

TEST(Pareto, ARunOfSchemesIsASentence) {
  EXPECT_THAT(pareto_figure(scheme_table({scheme_case("ring", 8, 1000, 0.2, {})})).empty_reason,
              HasSubstr("scheme_comparison"));
}

// The committed figure: the title names the operators of the frontier; no mark is left of and below
// one of them, of which exact attention is the nearest, and each other operator is right of or
// above one.
TEST(Pareto, CommittedFrontiersAreBeatenByNoneAndBeatTheOthers) {
  const CommittedFigure figure("landscape_pareto", "pareto");
  for (const std::string panel : {"1", "2", "3", "4"}) {
    const std::vector<Mark> frontier = figure.marks(panel, "beaten by none");
    ASSERT_GE(frontier.size(), 2u);
    EXPECT_EQ(frontier.front().x, figure.marks(panel, "exact").at(0).x);
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
    EXPECT_GE(beaten_marks, 1);
  }
  EXPECT_EQ(figure.title(),
            "At N = 16,384 no operator beats exact or linear in both distance and time");
}

}  // namespace
}  // namespace qb
