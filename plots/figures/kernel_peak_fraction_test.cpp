#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/frame/figure_layout.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::HasSubstr;

CsvTable microbench() {
  CsvTable table = no_microbench();
  for (const char* n : {"1024", "2048"})
    for (const char* threads : {"1", "2"})
      add_repeat(table, {{"n_tokens", n}, {"threads", threads}, {"peak_fraction", "0.8"}});
  add_repeat(table, {{"dtype", "f32"}, {"peak_fraction", "0.7"}});
  add_repeat(table, {{"benchmark", "materialized"}, {"isa", "library"}, {"peak_fraction", "0.3"}});
  return table;
}

TEST(KernelPeakFraction, ALinePerTypeAndThreadsInPercentAndMaterializedThin) {
  const Figure figure = kernel_peak_fraction_figure(microbench(), {});
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 4u);
  EXPECT_EQ(series[0].name, "bf16, 1 thread");
  EXPECT_EQ(series[1].name, "bf16, 2 threads");
  EXPECT_EQ(series[0].style.colour, series[1].style.colour);
  EXPECT_NE(series[0].style.mark, series[1].style.mark);
  EXPECT_EQ(series[2].name, "f32, 1 thread");
  EXPECT_EQ(series[3].name, "materialized, bf16, 1 thread");
  EXPECT_TRUE(series[3].thin);
  EXPECT_DOUBLE_EQ(series[0].points.at(0).y, 80.0);
}

TEST(KernelPeakFraction, TheAxisReachesTheCeilingHoweverLowTheKernel) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.02"}});
  const Figure figure = kernel_peak_fraction_figure(table, {});
  EXPECT_TRUE(figure.panels.at(0).x.log);
  EXPECT_EQ(y_scale(figure, 0).min, 0.0);
  EXPECT_GE(y_scale(figure, 0).max, 100.0);
}

TEST(KernelPeakFraction, ARepeatAboveTheCeilingIsInThePicture) {
  CsvTable table = no_microbench();
  for (const char* fraction : {"0.8", "1.25", "0.8"})
    add_repeat(table, {{"peak_fraction", fraction}});
  const Figure figure = kernel_peak_fraction_figure(table, {});
  EXPECT_EQ(figure.panels.at(0).y.tics.back().label, "120");
  EXPECT_GT(y_scale(figure, 0).max, 125.0);
}

TEST(KernelPeakFraction, SaysWhatTheCeilingIs) {
  EXPECT_THAT(kernel_peak_fraction_figure(microbench(), {}).notes,
              Contains(HasSubstr("f32: FMA peak of the instruction set, bf16: of vdpbf16ps, both "
                                 "measured beside each repeat")));
}

TEST(KernelPeakFraction, NothingToDrawIsASentence) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"benchmark", "merge"}, {"peak_fraction", "0.5"}});
  EXPECT_FALSE(kernel_peak_fraction_figure(table, {}).empty_reason.empty());
}

}  // namespace
}  // namespace qb
