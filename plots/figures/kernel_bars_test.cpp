// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "plots/frame/table.h"
#include "plots/testing/committed_figure.h"
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
  EXPECT_DOUBLE_EQ(series_named(panel, "flash, f16").points[0].y, 50.0) << "not its middle";
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
  const Figure figure = kernel_bars_figure(with_published(cases_of(
      {timed_kernel("flash", 512, "5e10", "1e11"), timed_kernel("flash", 1000, "5e10", "1e11")})));
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
    return kernel_bars_figure(with_published(cases_of({values})));
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

TEST(KernelBars, BarsOfAGpuAndPublishedOnesAreTflopPerSecond) {
  Values values = timed_kernel("flash", 512, "4e14", "7e14");
  values["device"] = "cuda";
  values["gpu"] = "NVIDIA H200";
  EXPECT_EQ(kernel_bars_figure(cases_of({values})).title, "Speed of kernels")
      << "nobody asked for published ones";
  const Figure figure = kernel_bars_figure(with_published(cases_of({values})));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(panel.y.label, "TFLOP/s");
  EXPECT_DOUBLE_EQ(height(series_named(panel, "flash, f16")), 400.0);
  EXPECT_DOUBLE_EQ(height(series_named(panel, "published: FlashAttention-3")), 333.0);
  EXPECT_EQ(figure.title,
            "flash (f16, NVIDIA H200) reaches 1.20 to 1.20 times the speed published for "
            "FlashAttention-3 on an H100");
  EXPECT_THAT(figure.notes, Contains("Useful FLOP/s of one NVIDIA H200, whose matrix products "
                                     "reach 700 TFLOP/s."));
  EXPECT_THAT(figure.notes, Not(Contains(HasSubstr("data sheet"))));
}

TEST(KernelBars, CasesThatDidNotRunAreSaidToBeLeftOut) {
  const Values fine = timed_kernel("flash", 512, "5e10", "1e11");
  const Figure figure =
      kernel_bars_figure(cases_of({fine, failed_case(1, 1024, "timeout", "too slow")}));
  EXPECT_THAT(figure.notes, Contains("Not drawn: 1 of 2 cases (timeout: too slow)."));
}

TEST(KernelBars, WithoutAPeakThereIsASentence) {
  EXPECT_THAT(kernel_bars_figure(cases_of({timed_kernel("flash", 512, "5e10", "")})).empty_reason,
              HasSubstr("measured peak"));
}

// The committed figure: a bar is as high as its value, and the title has the least and the most of
// the ratios of two bars that differ in the kernel alone.
TEST(KernelBars, CommittedTitleHasTheRatiosOfBarsThatDifferInTheKernelAlone) {
  const CommittedFigure figure("cpu_attention", "kernel_bars");
  std::map<std::tuple<std::string, std::string, double>, double> bars;  // panel, name and length
  for (const Mark& mark : figure.marks()) {
    if (mark.series.find(" at N = ") != std::string::npos) continue;
    EXPECT_EQ(mark.low, 0.0);
    EXPECT_EQ(mark.high, mark.y);
    bars[{mark.panel, mark.series, std::round(mark.x)}] = mark.y;
  }
  std::vector<std::string> said;
  for (const std::string type : {"bf16", "f32"}) {
    std::set<double> ratios;
    for (const auto& [bar, percent] : bars) {
      const auto& [panel, name, length] = bar;
      if (name == "flash, " + type)
        ratios.insert(percent / bars.at({panel, "torch_sdpa, " + type, length}));
    }
    EXPECT_EQ(ratios.size(), 20u) << "four panels of five lengths";
    said.push_back(fmt::format("{} to {} ({})", significant(*ratios.begin()),
                               significant(*ratios.rbegin()), type));
  }
  EXPECT_EQ(figure.title(),
            fmt::format("flash reaches {} times the speed of PyTorch SDPA", listed(said)));
}

// The committed figure of a GPU: all bars are TFLOP/s, and the title has the least and the most of
// the ratios of ours to the published ones beside them.
TEST(KernelBars, CommittedTitleOfAGpuHasTheRatiosToThePublishedBarsBesideThem) {
  const CommittedFigure figure("gpu_attention", "kernel_bars");
  std::map<std::tuple<std::string, std::string, double>, double> bars;  // panel, name and length
  for (const Mark& mark : figure.marks()) {
    EXPECT_EQ(mark.fields.at("speed_tflop_per_s"), to_text(mark.y));
    if (mark.series.find(" at N = ") == std::string::npos)
      bars[{mark.panel, mark.series, std::round(mark.x)}] = mark.y;
  }
  std::set<double> ratios;
  for (const auto& [bar, speed] : bars) {
    const auto& [panel, name, length] = bar;
    if (name != "flash, f16") continue;
    EXPECT_GT(speed, bars.at({panel, "published: FlashAttention-2", length}));
    ratios.insert(speed / bars.at({panel, "published: FlashAttention-3", length}));
  }
  EXPECT_EQ(ratios.size(), 16u);
  EXPECT_EQ(figure.title(),
            fmt::format("flash (f16, NVIDIA H200) reaches {} to {} times the speed published for "
                        "FlashAttention-3 on an H100",
                        significant(*ratios.begin()), significant(*ratios.rbegin())));
}

TEST(KernelBars, RatiosAreOfCasesThatDifferInTheKernelAlone) {
  const auto title_of = [](const char* column, const char* other) {
    Values theirs = timed_kernel("torch_sdpa", 512, "2.5e10", "");
    theirs[column] = other;
    theirs["case_id"] += other;
    return kernel_bars_figure(cases_of({timed_kernel("flash", 512, "5e10", "1e11"), theirs})).title;
  };
  EXPECT_THAT(title_of("dtype", "f16"), HasSubstr("2.00 to 2.00 (f16)"));
  for (const auto& [column, other] : {std::pair{"dtype", "bf16"},
                                      {"threads", "1"},
                                      {"n_tokens", "1024"},
                                      {"head_dim", "128"},
                                      {"mask", "causal"},
                                      {"pass", "both"}})
    EXPECT_THAT(title_of(column, other), Not(HasSubstr("times the speed"))) << column;
}

TEST(KernelBars, PublishedBarsAreSaidToBeOverADataSheetAndNotOverAMeasuredPeak) {
  const Figure figure =
      kernel_bars_figure(with_published(cases_of({timed_kernel("flash", 512, "5e10", "1e11")})));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("over the peak that the machine reached")));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("over its data sheet, which no product reaches")));
}

TEST(KernelBars, ABarHasAnAsteriskWhereThroughputHasAHollowMark) {
  for (const char* by : {"", "stolen", "neighbours"}) {
    Values values = timed_kernel("flash", 512, "5e10", "1e11");
    values["disturbed_by"] = by;
    const CsvTable cases = cases_of({values});
    const Figure bars = kernel_bars_figure(cases);
    const bool starred =
        series_named(bars.panels.at(0), "flash, f16 at N = 512").text.ends_with("*");
    const Figure rates = figures_of_run(PlottedRun(cases), {"throughput"}).at(0);
    EXPECT_EQ(series_named(rates.panels.at(0), "flash f16").points.at(0).disturbed, starred) << by;
    EXPECT_EQ(starred, *by != '\0');
  }
}

}  // namespace
}  // namespace qb
