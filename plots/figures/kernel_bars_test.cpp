// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Values timed_kernel(const std::string& kernel, std::int64_t n, const char* speed, const char* peak,
                    const char* threads = "2") {
  Values values = ok_case(1, n, 1.0);
  values["case_id"] += kernel + threads;
  values["kernel"] = kernel;
  values["threads"] = threads;
  values["achieved_flop_per_s"] = speed;
  values["peak_flop_per_s"] = peak;
  return values;
}

double height(const Series& series) { return series.points.at(0).high; }

TEST(KernelBars, ABarIsThePercentOfThePeakAndItsNumberIsAboveIt) {
  const Figure figure = kernel_bars_figure(cases_of(
      {timed_kernel("flash", 512, "5e10", "1e11"), timed_kernel("torch_sdpa", 512, "2.5e10", ""),
       timed_kernel("flash", 512, "1e10", "5e10", "1")}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_EQ(panel.title, "d = 64, full mask");
  ASSERT_EQ(series_named(panel, "flash, f16").points.size(), 1u) << "of the most threads";
  EXPECT_DOUBLE_EQ(height(series_named(panel, "flash, f16")), 50.0);
  EXPECT_DOUBLE_EQ(height(series_named(panel, "torch_sdpa, f16")), 25.0)
      << "over the peak that our rows of the machine have";
  const Series& number = series_named(panel, "flash, f16 at N = 512");
  EXPECT_EQ(number.text, "50");
  EXPECT_DOUBLE_EQ(number.points.at(0).y, 50.0) << "the CSV has the value";
  EXPECT_GT(number.text_y, 50.0) << "the text is above it";
  EXPECT_FALSE(number.in_legend);
  EXPECT_EQ(figure.title, "flash reaches 2.00 to 2.00 (f16) times the speed of PyTorch SDPA")
      << "the case of one thread is compared with none of two";
}

TEST(KernelBars, APeakThatWasHalvedBesideOneCaseIsThatOfTheOthers) {
  const Figure figure = kernel_bars_figure(cases_of(
      {timed_kernel("flash", 512, "4.5e10", "5e10"), timed_kernel("flash", 1024, "6e10", "1e11")}));
  const Series& bars = series_named(figure.panels.at(0), "flash, f16");
  EXPECT_DOUBLE_EQ(bars.points.at(0).high, 45.0);
  EXPECT_DOUBLE_EQ(bars.points.at(1).high, 60.0);
  EXPECT_EQ(series_named(figure.panels.at(0), "flash, f16 at N = 512").text, "45")
      << "nothing disturbed it";
}

TEST(KernelBars, ADisturbedBarHasAnAsteriskAndTheThreadsAreNamedWhereThereAreOthers) {
  Values spoilt = timed_kernel("flash", 512, "5e10", "1e11");
  spoilt["disturbed_by"] = "stolen";
  const Values fine = timed_kernel("flash", 1024, "5e10", "1e11");
  const Figure figure =
      kernel_bars_figure(cases_of({spoilt, fine, timed_kernel("flash", 512, "1e10", "1e11", "1")}));
  EXPECT_EQ(series_named(figure.panels.at(0), "flash, f16 at N = 512").text, "50*");
  EXPECT_EQ(series_named(figure.panels.at(0), "flash, f16 at N = 1024").text, "50");
  EXPECT_THAT(figure.notes, Contains(HasSubstr("*: something disturbed")));
  EXPECT_THAT(figure.notes, Contains("Drawn: 2 threads."));
  const Figure quiet = kernel_bars_figure(cases_of({fine}));
  EXPECT_THAT(quiet.notes, Not(Contains(HasSubstr("disturbed"))));
  EXPECT_THAT(quiet.notes, Not(Contains(HasSubstr("threads"))));
}

TEST(KernelBars, PublishedBarsAreBesideOursOfTheSameLength) {
  const Figure figure = kernel_bars_figure(cases_of(
      {timed_kernel("flash", 512, "5e10", "1e11"), timed_kernel("flash", 1000, "5e10", "1e11")}));
  const Panel& panel = figure.panels.at(0);
  const Series& published = series_named(panel, "published: FlashAttention-2");
  EXPECT_TRUE(published.published);
  ASSERT_EQ(published.points.size(), 1u) << "of 512; none is published of 1,000";
  EXPECT_DOUBLE_EQ(height(published), 100.0 * 282.0 / 989.4);
  const Point ours = series_named(panel, "flash, f16").points.at(0);
  EXPECT_GE(published.points[0].x_low, ours.x_high - 1e-9);
  std::vector<std::string> lengths;
  for (const Axis::Tic& tic : panel.x.tics) lengths.push_back(tic.label);
  EXPECT_THAT(lengths, ElementsAre("512", "1,000"));
}

TEST(KernelBars, BothPassesAreBesideThePublishedFigureOfBoth) {
  const auto figure_of = [](const char* pass) {
    Values values = timed_kernel("flash", 512, "5e10", "1e11");
    values["pass"] = pass;
    return kernel_bars_figure(cases_of({values}));
  };
  const Figure both = figure_of("both");
  EXPECT_EQ(both.panels.at(0).title, "d = 64, full mask, both passes");
  EXPECT_DOUBLE_EQ(height(series_named(both.panels[0], "published: FlashAttention-2")),
                   100.0 * 215.0 / 989.4);
  EXPECT_THROW((void)series_named(both.panels[0], "published: FlashAttention-3"),
               std::out_of_range);
  EXPECT_THAT(both.notes, Contains(HasSubstr("FlashAttention-2, both passes")));
  const Figure backward = figure_of("backward");
  EXPECT_THROW((void)series_named(backward.panels.at(0), "published: FlashAttention-2"),
               std::out_of_range);
  EXPECT_THAT(backward.notes, Not(Contains(HasSubstr("Published"))));
}

TEST(KernelBars, WithoutAPeakThereIsASentence) {
  EXPECT_THAT(kernel_bars_figure(cases_of({timed_kernel("flash", 512, "5e10", "")})).empty_reason,
              HasSubstr("measured peak"));
}

}  // namespace
}  // namespace qb
