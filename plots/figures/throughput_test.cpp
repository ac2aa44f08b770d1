// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/status.h"
#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Values dense_case(const std::string& kernel, const std::string& dtype, std::int64_t n,
                  const Values& more = {}) {
  Values values = ok_case(1, n, 1.0);
  values["kernel"] = kernel;
  values["dtype"] = dtype;
  for (const auto& [column, value] : more) values[column] = value;
  values["case_id"] += kernel + dtype + values["head_dim"] + values["mask"];
  return values;
}

Figure figure_of(const CsvTable& cases) { return throughput_figure(joined_cases(cases)); }

std::vector<std::string> names(const Panel& panel) {
  std::vector<std::string> out;
  for (const Series& series : panel.series) out.push_back(series.name);
  return out;
}

TEST(Throughput, ALinePerKernelAndTypeWithIntervalsFromTheWallClock) {
  const CsvTable cases =
      cases_of({dense_case("flash", "f32", 2000), dense_case("flash", "f32", 1000),
                dense_case("flash", "bf16", 1000), dense_case("materialized", "f32", 1000)});
  const Figure figure = figure_of(cases);
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(names(figure.panels[0]), ElementsAre("flash bf16", "flash f32", "materialized f32"));
  const Series& flash = figure.panels[0].series[1];
  ASSERT_EQ(flash.points.size(), 2u);
  EXPECT_EQ(flash.points[0].x, 1000.0);
  const double gflop = 4.0 * 8 * 64 * 1000 * 1000 / 1e9;
  const double seconds = 0.0226;
  EXPECT_NEAR(flash.points[0].y, gflop / seconds, 1e-9 * gflop / seconds);
  EXPECT_NEAR(flash.points[0].low, gflop / (seconds * 1.12), 1e-6);
  EXPECT_NEAR(flash.points[0].high, gflop / (seconds * 0.93), 1e-6);
}

TEST(Throughput, HeadDimensionAndMaskArePanelsWithOneRange) {
  const CsvTable cases = cases_of({dense_case("flash", "f32", 1000, {{"head_dim", "128"}}),
                                   dense_case("flash", "f32", 1000, {{"mask", "causal"}}),
                                   dense_case("flash", "f32", 1000)});
  const Figure figure = figure_of(cases);
  ASSERT_EQ(figure.panels.size(), 3u);
  EXPECT_EQ(figure.panels[0].title, "d = 64, causal mask");
  EXPECT_EQ(figure.panels[1].title, "d = 64, full mask");
  EXPECT_EQ(figure.panels[2].title, "d = 128, full mask");
  EXPECT_TRUE(figure.shared_axes);
  for (const Panel& panel : figure.panels) EXPECT_THAT(names(panel), ElementsAre("flash f32"));
}

TEST(Throughput, WhatElseDiffersIsNamed) {
  const CsvTable cases =
      cases_of({dense_case("flash", "f32", 1000),
                dense_case("flash", "f32", 1000, {{"threads", "1"}, {"case_id", "one"}}),
                dense_case("flash", "f32", 1000, {{"cpu_isa", "avx2"}, {"case_id", "forced"}}),
                dense_case("flash", "f32", 1000, {{"kv_len", "8000"}, {"case_id", "long"}})});
  EXPECT_THAT(names(figure_of(cases).panels.at(0)),
              ::testing::UnorderedElementsAre("flash f32, 2 threads", "flash f32, 1 thread",
                                              "flash f32, 2 threads, avx2 forced",
                                              "flash f32, 2 threads, 8000 keys"));
}

TEST(Throughput, AnotherRunStandsInTheSamePanelUnderItsKernel) {
  const CsvTable own =
      cases_of({dense_case("flash", "f32", 1000), dense_case("flash", "f32", 2000)});
  const CsvTable other = cases_of({dense_case("torch_sdpa", "f32", 1000)});
  const Figure figure = throughput_figure(joined_cases(side_by_side(own, "a", other, "b")));
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_THAT(names(figure.panels[0]), ElementsAre("flash f32", "PyTorch SDPA f32"));
  EXPECT_EQ(figure.panels[0].series[0].style.colour, dtype_style("f32").colour)
      << "one element type, one colour";
  EXPECT_EQ(figure.panels[0].series[1].style.colour, dtype_style("f32").colour);
  EXPECT_EQ(figure.panels[0].series[0].style.mark, kernel_style("flash").mark);
  EXPECT_EQ(figure.panels[0].series[1].style.mark, kernel_style("torch_sdpa").mark);
}

TEST(Throughput, APassIsNamedEvenWhereItFollowsFromTheRun) {
  const auto of_pass = [](const char* kernel, const char* pass) {
    return cases_of({dense_case(kernel, "f32", 1000, {{"pass", pass}})});
  };
  const CsvTable forward = of_pass("flash", "forward");
  const CsvTable backward = of_pass("flash", "backward");
  const CsvTable other = of_pass("torch_sdpa", "backward");
  const Figure mixed = throughput_figure(joined_cases(side_by_side(forward, "a", other, "b")));
  EXPECT_THAT(names(mixed.panels.at(0)),
              ElementsAre("flash f32", "PyTorch SDPA f32, backward pass"));
  EXPECT_THAT(mixed.notes, Contains(HasSubstr("A backward pass has 10 in place of 4")));
  const Figure alike = throughput_figure(joined_cases(side_by_side(backward, "a", other, "b")));
  EXPECT_THAT(names(alike.panels.at(0)), ElementsAre("flash f32", "PyTorch SDPA f32"));
}

TEST(Throughput, TheMeasuredPeakOfEachTypeAndNumberOfThreadsIsALine) {
  const auto with_peak = [](const char* dtype, const char* threads, const char* peak) {
    return dense_case("flash", dtype, 1000,
                      {{"threads", threads}, {"peak_flop_per_s", peak}, {"case_id", peak}});
  };
  const Figure figure =
      figure_of(cases_of({with_peak("f32", "1", "1e11"), with_peak("f32", "2", "2e11"),
                          with_peak("bf16", "2", "4e11")}));
  std::vector<std::string> peaks;
  for (const Series& series : figure.panels.at(0).series)
    if (series.draw == Draw::limit)
      peaks.push_back(fmt::format("{} {}", series.name, series.points.at(0).y));
  EXPECT_THAT(peaks, ElementsAre("measured peak, bf16 400", "measured peak, f32, 1 thread 100",
                                 "measured peak, f32, 2 threads 200"));
  EXPECT_THAT(names(figure_of(cases_of({dense_case("flash", "f32", 1000)})).panels.at(0)),
              ElementsAre("flash f32"))
      << "no case was compared with a peak";
}

TEST(Throughput, OneKernelInTwoRunsIsNamedByRunAndColouredApart) {
  const CsvTable own = cases_of({dense_case("flash", "f32", 1000)});
  const CsvTable other =
      cases_of({dense_case("flash", "f32", 1000), dense_case("materialized", "f32", 1000)});
  const Figure figure = throughput_figure(joined_cases(side_by_side(own, "a", other, "b")));
  EXPECT_THAT(names(figure.panels.at(0)),
              ElementsAre("flash f32, a", "flash f32, b", "materialized f32"));
  const auto& series = figure.panels[0].series;
  EXPECT_NE(series[0].style.colour, series[1].style.colour);
  EXPECT_NE(series[1].style.colour, series[2].style.colour);
}

TEST(Throughput, WhatDidNotRunHasNoPointAndANote) {
  Values lost = failed_case(1, 4000, "oom", "too large");
  Values slow = failed_case(1, 2000, "timeout", "too slow");
  const CsvTable cases = cases_of({ok_case(1, 1000, 1.0), slow, lost});
  const Figure figure = figure_of(cases);
  const auto& points = figure.panels.at(0).series.at(0).points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_TRUE(std::isnan(points[1].y));
  EXPECT_THAT(figure.notes, Contains("Not drawn: 1 of 3 cases (timeout: too slow); 1 of 3 cases "
                                     "(out of memory)."));
}

TEST(Throughput, ALineWithoutAnyPointIsNotInTheLegend) {
  Values failed = failed_case(1, 1000, "unsupported", "no such type");
  failed["kernel"] = "torch_sdpa";
  failed["case_id"] = "failed";
  EXPECT_THAT(names(figure_of(cases_of({ok_case(1, 1000, 1.0), failed})).panels.at(0)),
              ElementsAre("materialized f16"));
}

TEST(Throughput, NoRatesGiveASentence) {
  EXPECT_EQ(figure_of(no_cases()).empty_reason, "no case has a rate");
  EXPECT_EQ(figure_of(cases_of({failed_case(1, 1000, "oom", "")})).empty_reason,
            "no case has a rate");
}

TEST(Throughput, ARunOfOtherColumnsIsRefused) {
  const CsvTable own = no_cases();
  CsvTable other({"case_id", "kernel"});
  other.append({"x", "flash"});
  EXPECT_THROW((void)joined_cases(side_by_side(own, "a", other, "b")), UsageError);
}

TEST(Throughput, TheTitleHasTheRangeOfAllPlottedRowsThatCount) {
  const auto of = [](const char* kernel, std::int64_t n, const char* rate,
                     const char* disturbed_by = "") {
    return dense_case(kernel, "f32", n,
                      {{"achieved_flop_per_s", rate}, {"disturbed_by", disturbed_by}});
  };
  EXPECT_EQ(figure_of(cases_of({of("flash", 1000, "5e10"), of("flash", 2000, "4e10"),
                                of("flash", 4000, "9e10", "stolen")}))
                .title,
            "flash f32 reaches 40 to 50 GFLOP/s");
  EXPECT_EQ(
      figure_of(cases_of({of("flash", 1000, "5e10"), of("materialized", 2000, "2e10")})).title,
      "Lines reach 20 (materialized f32) to 50 GFLOP/s (flash f32)");
  EXPECT_EQ(figure_of(cases_of({of("flash", 1000, "5e10")})).title, "flash f32 reaches 50 GFLOP/s");
  EXPECT_EQ(figure_of(cases_of({of("flash", 1000, "5e10", "stolen")})).title,
            "Throughput against sequence length");
  const CsvTable quiet = cases_of({of("flash", 1000, "5e10"), of("flash", 2000, "4e10")});
  const CsvTable busy = cases_of({of("flash", 1000, "2e10", "neighbours")});
  EXPECT_EQ(throughput_figure(joined_cases(side_by_side(quiet, "a", busy, "b"))).title,
            "Disturbed by neighbours, flash f32 reaches 40 % of its speed");
}

// The committed figure: the title has the range of the hollow rates over the others of their N.
TEST(Throughput, CommittedTitleHasTheRangeOfWhatNeighboursLeave) {
  const CommittedFigure figure("disturbance", "throughput");
  std::map<double, std::map<std::string, double>> rates;  // by N and whether disturbed
  for (const Mark& mark : figure.marks())
    if (mark.is_data()) rates[mark.x][mark.fields.at("disturbed")] = mark.y;
  std::vector<double> shares;
  for (const auto& [tokens, of_length] : rates)
    shares.push_back(100.0 * of_length.at("1") / of_length.at("0"));
  EXPECT_EQ(shares.size(), 5u);
  const auto [least, most] = std::ranges::minmax(shares);
  EXPECT_EQ(
      figure.title(),
      fmt::format("Disturbed by neighbours, flash f32 reaches {:.3g} to {:.3g} % of its speed",
                  least, most));
}

}  // namespace
}  // namespace qb
