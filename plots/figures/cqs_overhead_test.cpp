#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/frame/figure_layout.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;

void add_overhead(CsvTable& table, const std::string& workers, const std::string& overhead,
                  const Values& more = {}) {
  Values values = {{"benchmark", "cqs"}, {"workers", workers}, {"overhead", overhead}};
  values.insert(more.begin(), more.end());
  add_repeat(table, values);
}

TEST(CqsOverhead, ALinePerWorkerCountAndTheLimit) {
  CsvTable table = no_microbench();
  add_overhead(table, "7", "1.05");
  add_overhead(table, "31", "1.2");
  add_repeat(table, {{"peak_fraction", "0.8"}});
  const Figure figure = cqs_overhead_figure(table, {});
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].name, "W = 7");
  EXPECT_EQ(series[0].style, worker_style(7));
  EXPECT_EQ(series[1].name, "W = 31");
  EXPECT_EQ(series[2].name, "1.08");
  EXPECT_EQ(series[2].draw, Draw::limit);
  EXPECT_EQ(series[2].points.at(0).y, 1.08);
}

TEST(CqsOverhead, TheLimitIsInThePictureHoweverLowTheOverhead) {
  CsvTable table = no_microbench();
  add_overhead(table, "7", "1.001");
  EXPECT_GE(y_scale(cqs_overhead_figure(table, {}), 0).max, 1.08);
}

TEST(CqsOverhead, ElementTypesOfOneWorkerCountAreToldApart) {
  CsvTable table = no_microbench();
  add_overhead(table, "7", "1.05");
  add_overhead(table, "7", "1.06", {{"dtype", "f32"}});
  add_overhead(table, "7", "1.06", {{"dtype", "f32"}, {"head_dim", "128"}});
  const Figure figure = cqs_overhead_figure(table, {});
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].series[1].name, "W = 7, f32");
  EXPECT_NE(figure.panels[0].series[0].style, figure.panels[0].series[1].style);
  EXPECT_EQ(figure.panels[0].series[1].style, figure.panels[1].series[0].style)
      << "a line looks the same in every panel";
}

TEST(CqsOverhead, NothingToDrawIsASentence) {
  EXPECT_FALSE(cqs_overhead_figure(no_microbench(), {}).empty_reason.empty());
}

}  // namespace
}  // namespace qb
