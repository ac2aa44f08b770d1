// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

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

// The committed figure: steps go from exact attention to the fastest, each mark lies on them or
// above and right of one; the title names the operators that no mark may beat in any panel, and the
// least distance of the inexact ones.
TEST(Pareto, CommittedFrontiersAreBeatenByNoneAndBeatTheOthers) {
  const CommittedFigure figure("landscape_pareto", "pareto");
  std::map<std::string, int> best;
  double nearest = 1e9;
  for (const std::string panel : {"1", "2", "3", "4"}) {
    const std::vector<Mark> front = figure.marks(panel, "beaten by none");
    ASSERT_GE(front.size(), 3u);
    EXPECT_EQ(front.front().x, figure.marks(panel, "exact").at(0).x);
    for (std::size_t i = 1; i < front.size(); ++i)
      EXPECT_TRUE(i % 2 == 1 ? front[i].y == front[i - 1].y : front[i].x == front[i - 1].x);
    std::vector<Mark> marks;
    for (const Mark& mark : figure.marks())
      if (mark.panel == panel && std::isnan(mark.x_low) && mark.series != "beaten by none")
        marks.push_back(mark);
    for (const Mark& mark : marks) {
      bool beaten = false;
      bool on_front = false;
      for (const Mark& one : front) {
        EXPECT_FALSE(mark.x < one.x && mark.y < one.y) << mark.series;
        on_front = on_front || (one.x == mark.x && one.y == mark.y);
        beaten = beaten || (one.x <= 1.01 * mark.x && one.y <= mark.y);
      }
      EXPECT_TRUE(on_front || beaten) << mark.series;
      if (mark.series != "exact") nearest = std::fmin(nearest, mark.x);
      if (mark.fields.at("disturbed") == "1") continue;
      best[mark.series] += std::ranges::none_of(marks, [&](const Mark& other) {
        return other.series != mark.series && other.fields.at("disturbed") == "0" &&
               other.x <= 1.01 * mark.x && (other.y <= mark.y || other.low <= mark.high);
      });
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, panels] : best)
    if (panels == 4) names.push_back(name);
  EXPECT_EQ(figure.title(),
            fmt::format("At N = 16,384 none beats {} in both distance and time; inexact operators "
                        "come no nearer than {:.3g}",
                        listed(names, " or "), nearest));
}

}  // namespace
}  // namespace qb
