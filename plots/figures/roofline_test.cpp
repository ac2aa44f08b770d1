// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

// On a machine of 100 GFLOP/s and 10 GB/s.
Values kernel(const char* benchmark, const char* n, const char* column, const char* amount) {
  const bool decode = std::string_view(benchmark) == "decode";
  return {{"benchmark", benchmark}, {"dtype", "f32"},
          {"n_tokens", n},          {column, amount},
          {"wall_time_s", "0.001"}, {"peak_per_s", decode ? "1e10" : "1e11"}};
}

TEST(Roofline, MarksStandAtTheirIntensityUnderTheCeilings) {
  CsvTable table = no_microbench();
  add_repeat(table, kernel("flash", "1024", "flop", "8e7"));
  add_repeat(table, kernel("flash", "512", "flop", "6e7"));
  add_repeat(table, kernel("flash", "512", "flop", "1e7"));
  add_repeat(table, kernel("decode", "1024", "bytes", "9e6"));
  Values causal = kernel("flash", "2048", "flop", "9e7");
  causal["mask"] = "causal";
  add_repeat(table, causal);
  const Figure figure = roofline_figure(with_microbench(table));
  const Panel& panel = figure.panels.at(0);
  const Series& flash = series_named(panel, "flash, f32");
  ASSERT_EQ(flash.points.size(), 2u) << "the largest problem of each length, full mask";
  EXPECT_DOUBLE_EQ(flash.points[0].x, 128.0);
  EXPECT_DOUBLE_EQ(flash.points[0].y, 60.0);
  EXPECT_DOUBLE_EQ(flash.points[1].x, 256.0);
  EXPECT_DOUBLE_EQ(flash.points[1].y, 80.0);
  const Point decode = series_named(panel, "decode, f32").points.at(0);
  EXPECT_DOUBLE_EQ(decode.x, 0.5);
  EXPECT_DOUBLE_EQ(decode.y, 4.5);
  const Series& roof = series_named(panel, "measured ceilings");
  EXPECT_DOUBLE_EQ(roof.points.at(1).x, 10.0) << "the ridge";
  EXPECT_DOUBLE_EQ(roof.points.at(0).y, 5.0);
  EXPECT_DOUBLE_EQ(roof.points.at(2).y, 100.0);
  EXPECT_EQ(figure.title,
            "Of the measured ceiling kernels reach at their longest N: decode 90 %, flash 80 %");
}

TEST(Roofline, WithoutCeilingsOrMicrobenchmarksThereIsASentence) {
  EXPECT_THAT(roofline_figure(PlottedRun(no_cases())).empty_reason, HasSubstr("microbench.csv"));
  EXPECT_THAT(roofline_figure(with_microbench(no_microbench())).empty_reason,
              HasSubstr("ceilings"));
}

// The committed figure: no kernel that products bound is above what products reached.
TEST(Roofline, CommittedKernelsStayBelowTheProducts) {
  auto lines = CommittedFigure("microbench", "roofline").lines("1");
  const double products = lines.at("measured ceilings").rbegin()->second;
  const double ridge = std::next(lines.at("measured ceilings").begin())->first;
  for (const auto& [kernel, marks] : lines)
    for (const auto& [intensity, rate] : marks)
      EXPECT_TRUE(intensity < ridge || rate <= 1.02 * products) << kernel << " at " << intensity;
}

}  // namespace
}  // namespace qb
