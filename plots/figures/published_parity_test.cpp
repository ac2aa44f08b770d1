// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plots/figures/figures.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CsvTable answers(const std::vector<std::string>& rows) {
  std::string text = "paper,table,line,claim,kind,published,ours,verdict\n";
  for (const std::string& row : rows) text += row + "\n";
  return CsvTable::parse(text, "a");
}

TEST(PublishedParity, APaperHasAPanelAndAStandingAMark) {
  const Figure figure = published_parity_figure(
      answers({"p,t.csv,7,c,exact,2,2,derived", "q,t.csv,7,c,self,4,5,contradicts",
               "q,t.csv,8,c,modelled,10,15,predicted", "q,t.csv,9,c,modelled,10,30,differs",
               "q,t.csv,9,c,exact,0,0,derived"}));
  EXPECT_THAT(titles(figure), ElementsAre("q", "p"));
  const Point agrees = series_named(figure.panels[1], "derived").points.at(0);
  EXPECT_EQ(agrees.x, 2.0);
  EXPECT_EQ(agrees.more, (std::vector<std::string>{"p", "t.csv", "7", "c"}));
  EXPECT_EQ(series_named(figure.panels[0], "differs").points.at(0).y, 30.0);
  EXPECT_EQ(series_named(figure.panels[0], "contradicts").points.at(0).y, 5.0);
  EXPECT_EQ(figure.title,
            "1 of 1 numbers that parameters decide agree, 1 of 2 modelled ones are within a factor "
            "of 2, 1 contradicts other cells");
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("1 of 5 answers (not above zero)")));
}

TEST(PublishedParity, WithoutANumberThereIsASentence) {
  EXPECT_THAT(published_parity_figure(answers({})).empty_reason, HasSubstr("no published number"));
}

// The committed figure: what agrees lies on the diagonal to the digits that papers print, and the
// title counts the modelled marks between the dotted lines.
TEST(PublishedParity, CommittedVerdictsAreWhereTheirMarksAre) {
  const CommittedFigure figure("papers", "published_parity");
  std::map<std::string, int> marks;
  int near = 0;
  for (const Mark& mark : figure.marks()) {
    if (mark.fields.at("paper").empty()) continue;  // a diagonal
    ++marks[mark.series];
    const double ratio = mark.y / mark.x;
    if (mark.series == "derived") {
      EXPECT_NEAR(ratio, 1.0, 0.2) << mark.fields.at("table") << " line " << mark.fields.at("line");
    } else if (mark.series != "contradicts") {
      near += ratio >= 0.5 && ratio <= 2.0 ? 1 : 0;
    }
  }
  const int modelled = marks["predicted"] + marks["differs"];
  EXPECT_GT(modelled, 50);
  EXPECT_EQ(figure.title(),
            fmt::format("{} of {} numbers that parameters decide agree, {} of {} modelled ones are "
                        "within a factor of 2, {} contradict other cells",
                        marks["derived"], marks["derived"], near, modelled, marks["contradicts"]));
}

}  // namespace
}  // namespace qb
