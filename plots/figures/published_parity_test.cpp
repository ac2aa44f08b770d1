// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/frame.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

CsvTable answers(const std::vector<std::string>& rows) {
  std::string text = "paper,table,line,claim,kind,published,ours,verdict\n";
  for (const std::string& row : rows) text += row + "\n";
  return CsvTable::parse(text, "a");
}

CsvTable coverage(const std::vector<std::string>& rows) {
  std::string text = "paper,table,rows,contradicts,differs\n";
  for (const std::string& row : rows) text += row + "\n";
  return CsvTable::parse(text, "c");
}

TEST(PublishedParity, APaperHasARowWithItsRatiosAndItsDisputedRows) {
  const Figure figure = published_parity_figure(
      answers({"p,t.csv,7,c,exact,2,2,derived", "q,u.csv,7,c,self,4,5,contradicts",
               "q,u.csv,8,c,modelled,10,15,predicted", "q,u.csv,9,c,modelled,10,30,differs",
               "q,u.csv,9,c,exact,0,0,derived"}),
      coverage({"p,t.csv,4,0,0", "q,u.csv,10,2,1", "q,v.csv,20,1,0", "r,w.csv,1000,0,0"}));
  const Panel& ratios = figure.panels.at(0);
  ASSERT_EQ(ratios.y.tics.size(), 2u) << "nothing is known of r";
  EXPECT_EQ(ratios.y.tics[0].label, "q") << "the most disputed on top";
  EXPECT_DOUBLE_EQ(series_named(ratios, "q, predicted").points.at(0).x, 1.5);
  EXPECT_DOUBLE_EQ(series_named(ratios, "q, differs").points.at(0).x, 3.0);
  EXPECT_EQ(series_named(ratios, "p, derived").points.at(0).more,
            (std::vector<std::string>{"p", "t.csv", "7", "c", "2", "2"}));
  const Panel& disputed = figure.panels.at(1);
  EXPECT_EQ(series_named(disputed, "contradicts").points.at(0).x_high, 3.0);
  EXPECT_EQ(series_named(disputed, "differs").points.at(0).x_low, 3.0);
  EXPECT_EQ(series_named(disputed, "rows").points.at(0).text, "3 + 1 of 30");
  EXPECT_EQ(series_named(disputed, "rows").points.at(1).text, "0 + 0 of 4");
  EXPECT_EQ(figure.title, "Of 1,034 published rows 3 contradict and 1 differ");
  EXPECT_THAT(figure.notes, ::testing::Contains(HasSubstr("2 of 5 answers")));
}

TEST(PublishedParity, OnePaperHasARowForEachTableAndItsBiasIsInTheTitle) {
  std::vector<std::string> rows;
  for (int i = 0; i < 20; ++i) rows.emplace_back("p_q,p_q_t.csv,7,c,modelled,10,15,predicted");
  const auto title = [&](const char* last) {
    rows.back() = last;
    const Figure figure = published_parity_figure(
        answers(rows), coverage({"p_q,p_q_t.csv,20,0,0", "p_q,u.csv,4,0,1"}));
    EXPECT_EQ(figure.panels.at(0).y.tics.at(1).label, "t");
    return figure.title;
  };
  EXPECT_EQ(title("p_q,p_q_t.csv,7,c,modelled,10,12,predicted"),
            "Of 24 published rows 0 contradict and 1 differ; modelled numbers of p q (20): all "
            "above 1, the median at 1.5");
  EXPECT_EQ(title("p_q,p_q_t.csv,7,c,modelled,10,8,predicted"),
            "Of 24 published rows 0 contradict and 1 differ");
}

TEST(PublishedParity, WithoutANumberThereIsASentence) {
  EXPECT_THAT(published_parity_figure(answers({}), coverage({})).empty_reason,
              HasSubstr("no published number"));
}

// The committed figure: what agrees lies at 1 to the digits that papers print, the bars and the
// title count the rows of data/papers/coverage.csv, and the title has the bias of its marks.
TEST(PublishedParity, CommittedBarsAndTitleCountTheCoverageAndTheBias) {
  const CommittedFigure figure("papers", "published_parity");
  std::map<std::string, double> bars;
  std::map<std::string, std::vector<double>> modelled;
  for (const Mark& mark : figure.marks()) {
    if (mark.panel == "2") bars[mark.series] += mark.width();
    if (mark.fields.at("paper").empty()) continue;
    if (mark.series.ends_with("derived")) {
      EXPECT_NEAR(mark.x, 1.0, 0.2)
          << mark.fields.at("table") << " line " << mark.fields.at("line");
    } else {
      modelled[mark.fields.at("paper")].push_back(mark.x);
    }
  }
  const std::string path = "data/papers/coverage.csv";
  const CsvTable coverage = CsvTable::parse(read_text(source_path(path)), path);
  std::map<std::string, double> sums;
  for (const Row& row : all_rows(coverage))
    for (const char* column : {"rows", "contradicts", "differs"})
      sums[column] += row.number_at(column);
  EXPECT_EQ(bars["contradicts"], sums["contradicts"]);
  EXPECT_EQ(bars["differs"], sums["differs"]);
  const std::vector<double>& striped = modelled["striped_attention"];
  EXPECT_GT(std::ranges::min(striped), 1.0);
  EXPECT_EQ(figure.title(),
            fmt::format("Of {} published rows {} contradict and {} differ; modelled numbers of "
                        "striped attention ({}): all above 1, the median at {:.3g}",
                        grouped(sums["rows"]), sums["contradicts"], sums["differs"], striped.size(),
                        median(striped)));
}

}  // namespace
}  // namespace qb
