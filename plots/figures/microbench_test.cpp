// SPDX-License-Identifier: Apache-2.0
// Figures of single kernels.
#include <gmock/gmock.h>

#include "base/status.h"
#include "plots/figures/figures.h"
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
  const Figure figure = kernel_peak_fraction_figure(with_microbench(microbench()));
  ASSERT_EQ(figure.panels.size(), 1u);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 5u);
  EXPECT_EQ(series[0].name, "bf16, 1 thread");
  EXPECT_EQ(series[1].name, "bf16, 2 threads");
  EXPECT_EQ(series[0].style.colour, shade(dtype_style("bf16").colour, 0, 2));
  EXPECT_EQ(series[1].style.colour, shade(dtype_style("bf16").colour, 1, 2));
  EXPECT_EQ(series[0].style.mark, kernel_style("flash").mark);
  EXPECT_EQ(series[1].style.mark, kernel_style("flash").mark);
  EXPECT_EQ(series[2].name, "f32, 1 thread");
  EXPECT_EQ(series[2].style.colour, dtype_style("f32").colour);
  EXPECT_EQ(series[3].style.mark, kernel_style("materialized").mark);
  EXPECT_EQ(series[4].name, "measured peak");
  EXPECT_EQ(series[4].draw, Draw::limit);
  EXPECT_EQ(series[4].points.at(0).y, 100.0);
  EXPECT_EQ(series[3].name, "materialized, bf16, 1 thread");
  EXPECT_TRUE(series[3].thin);
  EXPECT_DOUBLE_EQ(series[0].points.at(0).y, 80.0);
}

TEST(KernelPeakFraction, TheAxisReachesTheCeilingHoweverLowTheKernel) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.02"}});
  const Figure figure = kernel_peak_fraction_figure(with_microbench(table));
  EXPECT_TRUE(figure.panels.at(0).x.log);
  EXPECT_EQ(figure.panels.at(0).y.tics.front().value, 0.0);
  EXPECT_GE(figure.panels.at(0).y.tics.back().value, 100.0);
}

TEST(KernelPeakFraction, ARepeatAboveTheCeilingIsInThePicture) {
  CsvTable table = no_microbench();
  for (const char* fraction : {"0.8", "1.25", "0.8"})
    add_repeat(table, {{"peak_fraction", fraction}});
  const Figure figure = kernel_peak_fraction_figure(with_microbench(table));
  EXPECT_EQ(figure.panels.at(0).y.tics.back().label, "120");
}

TEST(KernelPeakFraction, NamesTheInstructionSetsThatTheRunHas) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.8"}, {"isa", "avx2"}});
  const Figure figure = kernel_peak_fraction_figure(with_microbench(table));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("products of the type with avx2, measured beside")));
  EXPECT_THAT(figure.notes, ::testing::Not(Contains(HasSubstr("vdpbf16ps"))));
}

TEST(KernelPeakFraction, NothingToDrawIsASentence) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"benchmark", "merge"}, {"peak_fraction", "0.5"}});
  EXPECT_FALSE(kernel_peak_fraction_figure(with_microbench(table)).empty_reason.empty());
}

Figure peaks(const CsvTable& table) { return kernel_peak_fraction_figure(with_microbench(table)); }

TEST(Microbench, MedianAndIntervalOverTheRepeatsWithoutWarmUps) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.1"}, {"warmup", "1"}});
  for (const char* value : {"0.75", "0.5", "0.625", "0.9", "0.4", "0.8", "0.25"})
    add_repeat(table, {{"peak_fraction", value}});
  add_repeat(table, {{"peak_fraction", "0.2"}, {"benchmark", "decode"}});
  const Figure figure = peaks(table);
  ASSERT_EQ(figure.panels.at(0).series.size(), 2u) << "and the peak";
  ASSERT_EQ(figure.panels[0].series[0].points.size(), 1u);
  const Point point = figure.panels[0].series[0].points[0];
  EXPECT_EQ(point.x, 1024.0);
  EXPECT_EQ(point.y, 62.5);
  EXPECT_EQ(point.low, 25.0);
  EXPECT_EQ(point.high, 90.0);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("98.4 % intervals, 7 repeats")));
}

TEST(Microbench, FewRepeatsAreSaid) {
  CsvTable table = no_microbench();
  for (const char* value : {"0.7", "0.5", "0.6"}) add_repeat(table, {{"peak_fraction", value}});
  EXPECT_THAT(peaks(table).notes, Contains(HasSubstr("75 % intervals, 3 repeats")));
}

TEST(Microbench, LengthsAscendAndRowsWithoutAValueAreNoPoints) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.7"}, {"n_tokens", "4096"}});
  add_repeat(table, {{"peak_fraction", "0.5"}});
  add_repeat(table, {{"n_tokens", "8192"}});
  const auto points = peaks(table).panels.at(0).series.at(0).points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].x, 1024.0);
}

TEST(Microbench, OfSeveralHeadCountsTheLargestProblemStands) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.2"}, {"flop", "1e9"}, {"case_id", "h:2"}});
  add_repeat(table, {{"peak_fraction", "0.7"}, {"flop", "4e9"}, {"case_id", "h:8"}});
  add_repeat(table, {{"peak_fraction", "0.8"}, {"flop", "4e9"}, {"case_id", "sweep/h:8"}});
  add_repeat(table, {{"peak_fraction", "0.1"}, {"flop", "1e9"}, {"case_id", "sweep/h:2"}});
  const auto points = peaks(table).panels.at(0).series.at(0).points;
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].y, 75.0);
}

TEST(Microbench, WithoutAPlanThereAreNoWorkers) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.5"}, {"workers", ""}});
  EXPECT_EQ(peaks(table).panels.at(0).series.at(0).name, "bf16, 1 thread");
}

TEST(Microbench, ShapesArePanels) {
  CsvTable table = no_microbench();
  for (const char* head_dim : {"128", "64"})
    for (const char* mask : {"full", "causal"})
      add_repeat(table, {{"peak_fraction", "0.5"}, {"head_dim", head_dim}, {"mask", mask}});
  const Figure figure = peaks(table);
  ASSERT_EQ(figure.panels.size(), 4u);
  EXPECT_EQ(figure.panels[0].title, "d = 64, causal mask");
  EXPECT_EQ(figure.panels[3].title, "d = 128, full mask");
}

TEST(Microbench, InstructionSetsAreNamedWhereALineHasSeveralInAnyPanel) {
  CsvTable table = no_microbench();
  add_repeat(table, {{"peak_fraction", "0.8"}});
  add_repeat(table, {{"peak_fraction", "0.8"}, {"n_tokens", "2048"}});
  add_repeat(table, {{"peak_fraction", "0.6"}, {"isa", "avx2"}});
  add_repeat(table, {{"peak_fraction", "0.7"}, {"head_dim", "128"}});
  add_repeat(table, {{"peak_fraction", "0.5"}, {"dtype", "f32"}});
  const Figure figure = peaks(table);
  ASSERT_EQ(figure.panels.size(), 2u);
  const auto& series = figure.panels[0].series;
  ASSERT_EQ(series.size(), 4u);
  EXPECT_EQ(series[0].name, "bf16, 1 thread, avx2");
  EXPECT_EQ(series[1].name, "bf16, 1 thread, avx512");
  EXPECT_EQ(series[2].name, "f32, 1 thread");
  EXPECT_NE(series[0].style.colour, series[1].style.colour);
  EXPECT_EQ(series[0].style.mark, series[1].style.mark);
  EXPECT_EQ(figure.panels[1].series[0].name, "bf16, 1 thread, avx512");
}

TEST(Microbench, AMissingColumnIsNamed) {
  CsvTable table({"case_id", "benchmark"});
  table.append({"x", "flash"});
  EXPECT_THROW((void)peaks(table), UsageError);
}

}  // namespace
}  // namespace qb
