// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A case of `seconds` whose products reach 100 GFLOP/s.
Values timed_kernel(const std::string& kernel, std::int64_t n, double seconds,
                    const Values& more = {}) {
  Values values = ok_case(1, n, 1.0);
  values["kernel"] = kernel;
  values["peak_flop_per_s"] = kernel == "torch_sdpa" ? "" : "1e11";
  values["achieved_flop_per_s"] = to_text(1e8 / seconds);
  for (const char* clock : {"wall_time", "critical_path"})
    for (const auto& [end, factor] : {std::pair{"median", 1.0}, {"low95", 0.9}, {"high95", 1.1}})
      values[fmt::format("{}_{}_s", clock, end)] = to_text(factor * seconds);
  for (const auto& [column, value] : more) values[column] = value;
  for (const char* column : {"kernel", "dtype", "threads", "mask", "pass", "head_dim"})
    values["case_id"] += values[column];
  return values;
}

const Point& only(const Figure& figure, const char* series) {
  return series_named(figure.panels.at(0), series).points.at(0);
}

TEST(KernelBars, BesideAnotherProgramAMarkIsOurSpeedOverItsWithTheWidestInterval) {
  const Figure figure = kernel_bars_figure(
      cases_of({timed_kernel("flash", 512, 0.01), timed_kernel("torch_sdpa", 512, 0.02),
                timed_kernel("flash", 512, 0.1, {{"threads", "1"}})}));
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_EQ(figure.panels[0].title, "d = 64, full mask");
  const Point& mark = only(figure, "flash, f16");
  EXPECT_DOUBLE_EQ(mark.y, 2.0) << "of the most threads";
  EXPECT_DOUBLE_EQ(mark.low, 2.0 * 0.9 / 1.1);
  EXPECT_DOUBLE_EQ(mark.high, 2.0 * 1.1 / 0.9);
  EXPECT_THAT(mark.more, ElementsAre("512"));
  EXPECT_EQ(only(figure, "as fast as PyTorch SDPA").y, 1.0);
  EXPECT_EQ(figure.title,
            "flash runs at 2 times the speed of PyTorch SDPA: faster in 1 of 1 pair, slower in 0");
  EXPECT_THAT(figure.notes, Contains("Lowest: 2 at flash, f16, N = 512, d = 64, full mask, where "
                                     "products ran at 100 % of their peak."));
  EXPECT_THAT(figure.notes, Contains("Drawn: 2 threads."));
}

TEST(KernelBars, ATieIsNeitherFasterNorSlowerAndADisturbedPairIsInNoTitle) {
  const Figure figure = kernel_bars_figure(
      cases_of({timed_kernel("flash", 512, 0.01), timed_kernel("torch_sdpa", 512, 0.0105),
                timed_kernel("flash", 1024, 0.01), timed_kernel("torch_sdpa", 1024, 0.005),
                timed_kernel("flash", 2048, 0.01),
                timed_kernel("torch_sdpa", 2048, 0.1, {{"disturbed_by", "stolen"}})}));
  EXPECT_EQ(
      figure.title,
      "flash runs at 0.5 to 1.05 times the speed of PyTorch SDPA: faster in 0 of 2 pairs, slower "
      "in 1");
  EXPECT_TRUE(series_named(figure.panels[0], "flash, f16").points.at(2).disturbed);
}

TEST(KernelBars, SingleRepeatsAreNotToldApart) {
  const auto single = [](const char* kernel, double seconds) {
    return timed_kernel(kernel, 512, seconds, {{"n_samples", "1"}});
  };
  EXPECT_THAT(
      kernel_bars_figure(cases_of({single("flash", 0.01), single("torch_sdpa", 0.1)})).title,
      HasSubstr("faster in 0 of 1 pair, slower in 0"));
}

TEST(KernelBars, WhereAllIsDisturbedTheTitleClaimsNothing) {
  for (const char* kernel : {"torch_sdpa", "materialized"})
    EXPECT_EQ(kernel_bars_figure(
                  cases_of({timed_kernel("flash", 512, 0.01, {{"disturbed_by", "stolen"}}),
                            timed_kernel(kernel, 512, 0.02, {{"disturbed_by", "stolen"}})}))
                  .title,
              "Speed of kernels");
}

TEST(KernelBars, RatiosAreOfCasesThatDifferInTheKernelAlone) {
  for (const auto& [column, other] : {std::pair{"dtype", "bf16"},
                                      {"n_tokens", "1024"},
                                      {"head_dim", "128"},
                                      {"mask", "causal"},
                                      {"pass", "both"}})
    EXPECT_THAT(
        kernel_bars_figure(cases_of({timed_kernel("flash", 512, 0.01),
                                     timed_kernel("torch_sdpa", 512, 0.02, {{column, other}})}))
            .title,
        Not(HasSubstr("times the speed")))
        << column;
}

TEST(KernelBars, AloneAMarkIsTheSpeedAndOnACpuNothingIsPublished) {
  const Figure figure = kernel_bars_figure(
      cases_of({timed_kernel("flash", 1024, 0.004), timed_kernel("flash", 512, 0.002)}));
  const Panel& panel = figure.panels.at(0);
  EXPECT_EQ(panel.y.label, "GFLOP/s");
  ASSERT_EQ(panel.series.size(), 1u);
  EXPECT_DOUBLE_EQ(panel.series[0].points.at(0).y, 50.0);
  EXPECT_NEAR(panel.series[0].points[0].high, 50.0 / 0.9, 1e-9);
  EXPECT_EQ(figure.title, "Kernels reach 25 to 50 (flash, f16) GFLOP/s");
  std::vector<std::string> lengths;
  for (const Axis::Tic& tic : panel.x.tics) lengths.push_back(tic.label);
  EXPECT_THAT(lengths, ElementsAre("512", "1,024"));
}

TEST(KernelBars, MarksOfALengthStandBesideOneAnotherAroundItsPlace) {
  const Figure figure = kernel_bars_figure(cases_of(
      {timed_kernel("flash", 512, 0.01), timed_kernel("flash", 512, 0.02, {{"dtype", "f32"}})}));
  EXPECT_DOUBLE_EQ(only(figure, "flash, f16").x, -0.1);
  EXPECT_DOUBLE_EQ(only(figure, "flash, f32").x, 0.1);
  EXPECT_NE(series_named(figure.panels[0], "flash, f16").style,
            series_named(figure.panels[0], "flash, f32").style);
}

Figure of_gpu(const char* pass, bool published = true) {
  PlottedRun run(cases_of({timed_kernel("flash", 512, 0.001,
                                        {{"device", "cuda"},
                                         {"gpu", "NVIDIA H200"},
                                         {"pass", pass},
                                         {"peak_flop_per_s", "7e14"},
                                         {"achieved_flop_per_s", "4e14"}})}));
  run.published = published;
  return kernel_bars_figure(run);
}

TEST(KernelBars, OnAGpuMarksAreTflopPerSecondBesideTheWholePublishedRowOfN) {
  const Figure figure = of_gpu("forward");
  EXPECT_EQ(figure.panels.at(0).y.label, "TFLOP/s");
  EXPECT_DOUBLE_EQ(only(figure, "flash, f16").y, 400.0);
  const Series& published = series_named(figure.panels[0], "published: FlashAttention-3");
  EXPECT_TRUE(published.published);
  ASSERT_EQ(published.points.size(), 6u) << "512 to 16k";
  EXPECT_DOUBLE_EQ(published.points[0].y, 333.0);
  EXPECT_EQ(figure.title,
            "flash (f16, NVIDIA H200) reaches 1.2 times the speed published for FlashAttention-3 "
            "on an H100");
  EXPECT_THAT(figure.notes, Contains("Useful FLOP/s of one NVIDIA H200, whose matrix products "
                                     "reach 700 TFLOP/s."));
}

TEST(KernelBars, BothPassesAreBesideThePublishedFigureOfBothAndABackwardPassBesideNone) {
  const Figure both = of_gpu("both");
  EXPECT_EQ(both.panels.at(0).title, "d = 64, full mask, both passes");
  EXPECT_DOUBLE_EQ(only(both, "published: FlashAttention-2").y, 215.0);
  EXPECT_EQ(both.title, "Kernels reach 400 (flash, f16) TFLOP/s");
  EXPECT_EQ(of_gpu("backward").panels.at(0).series.size(), 1u);
  EXPECT_EQ(of_gpu("forward", false).panels.at(0).series.size(), 1u) << "nobody asked for them";
}

TEST(KernelBars, CasesThatDidNotRunAreSaidToBeLeftOut) {
  const Figure figure = kernel_bars_figure(
      cases_of({timed_kernel("flash", 512, 0.01), failed_case(1, 1024, "timeout", "too slow")}));
  EXPECT_THAT(figure.notes, Contains("Not drawn: 1 of 2 cases (timeout: too slow)."));
  EXPECT_THAT(kernel_bars_figure(cases_of({failed_case(1, 512, "oom", "")})).empty_reason,
              HasSubstr("no case of one worker"));
}

// The committed figure: the title has the range of all ratios, and counts those whose intervals
// lie above 1 and below it; a note names the lowest.
TEST(KernelBars, CommittedTitleHasTheRangeOfTheRatiosAndCountsTheirIntervals) {
  const CommittedFigure figure("cpu_attention", "kernel_bars");
  std::map<double, std::string> ratios;
  int faster = 0;
  int slower = 0;
  for (const Mark& mark : figure.marks()) {
    if (!mark.is_data()) continue;
    EXPECT_LE(mark.low, mark.y);
    EXPECT_GE(mark.high, mark.y);
    faster += mark.low > 1.0 ? 1 : 0;
    slower += mark.high < 1.0 ? 1 : 0;
    ratios[mark.y] = mark.series;
  }
  EXPECT_EQ(ratios.size(), 40u) << "two types in four panels of five lengths";
  EXPECT_EQ(
      figure.title(),
      fmt::format("flash runs at {:.3g} to {:.3g} times the speed of PyTorch SDPA: faster in "
                  "{} of {} pairs, slower in {}",
                  ratios.begin()->first, ratios.rbegin()->first, faster, ratios.size(), slower));
  EXPECT_THAT(figure.notes(),
              Contains(HasSubstr(fmt::format("Lowest: {:.3g} at {}", ratios.begin()->first,
                                             ratios.begin()->second))));
}

// The committed figure of a GPU: all marks are TFLOP/s, ours have intervals, and the title has the
// range of the ratios of ours to the published ones of the same length and panel.
TEST(KernelBars, CommittedTitleOfAGpuHasTheRatiosToThePublishedMarksBesideThem) {
  const CommittedFigure figure("gpu_attention", "kernel_bars");
  std::map<std::tuple<std::string, std::string, std::string>, double> speeds;
  for (const Mark& mark : figure.marks()) {
    EXPECT_EQ(mark.fields.at("speed_tflop_per_s"), to_text(mark.y));
    EXPECT_EQ(mark.is_data(), mark.low <= mark.y) << "published ones have no interval";
    speeds[{mark.panel, mark.series, mark.fields.at("n_tokens")}] = mark.y;
  }
  std::set<double> ratios;
  for (const auto& [key, speed] : speeds) {
    const auto& [panel, name, length] = key;
    if (name == "flash, f16")
      ratios.insert(speed / speeds.at({panel, "published: FlashAttention-3", length}));
  }
  EXPECT_EQ(ratios.size(), 16u);
  EXPECT_EQ(figure.title(),
            fmt::format("flash (f16, NVIDIA H200) reaches {:.3g} to {:.3g} times the speed "
                        "published for FlashAttention-3 on an H100",
                        *ratios.begin(), *ratios.rbegin()));
}

TEST(CommittedTimeOverPeers, FlashIsSlowerAtEightTokensAndTheFastestAtTheLongest) {
  const CommittedFigure figure("short_sequences", "time_over_peers");
  std::size_t longest = 0;
  for (const Mark& mark : figure.marks()) {
    if (!mark.is_data()) continue;
    SCOPED_TRACE(mark.panel_title + ", " + mark.series);
    if (mark.x == 8.0) {
      EXPECT_GT(mark.y, 1.0);
    }
    if (mark.x < 1024.0) continue;
    ++longest;
    EXPECT_LT(mark.y, 1.0) << mark.x;
  }
  EXPECT_EQ(longest, 16u) << "four libraries, two masks, two lengths";
}

}  // namespace
}  // namespace qb
