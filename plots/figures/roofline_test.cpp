// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

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
  const Series& shares = series_named(figure.panels.at(1), "flash, f32");
  EXPECT_DOUBLE_EQ(shares.points.at(0).x, 512.0);
  EXPECT_DOUBLE_EQ(shares.points.at(0).y, 60.0);
  EXPECT_DOUBLE_EQ(series_named(figure.panels[1], "decode, f32").points.at(0).y, 90.0);
}

TEST(Roofline, TheTitleHasTheRangeOverTypesAndMarksAboveMemorysCeilingAreCounted) {
  CsvTable table = no_microbench();
  add_repeat(table, kernel("flash", "1024", "flop", "8e7"));
  Values half = kernel("flash", "1024", "flop", "7e7");
  half["dtype"] = "bf16";
  add_repeat(table, half);
  add_repeat(table, kernel("decode", "1024", "bytes", "9e6"));
  add_repeat(table, kernel("decode", "64", "bytes", "1.5e7"));
  const Figure figure = roofline_figure(with_microbench(table));
  EXPECT_THAT(figure.title, HasSubstr("decode 90 %, flash 70 to 80 %"));
  EXPECT_THAT(figure.notes.at(1), HasSubstr("1 mark above memory's ceiling, to 150 %, served by "
                                            "caches, whose ceilings were not measured"));
}

TEST(Roofline, CachesHaveRoofsOfTheirOwnWhereTheyWereMeasuredWithThoseThreads) {
  CsvTable table = no_microbench();
  for (const auto& [benchmark, threads, bytes] :
       {std::tuple{"read_l2", "1", "9e9"}, {"read_l2", "2", "8e10"}, {"read_l3", "2", "4e10"}})
    add_repeat(
        table,
        {{"benchmark", benchmark}, {"threads", threads}, {"bytes", bytes}, {"wall_time_s", "1"}});
  for (Values one :
       {kernel("flash", "1024", "flop", "8e7"), kernel("decode", "64", "bytes", "1.5e7")}) {
    one["threads"] = "2";
    add_repeat(table, one);
  }
  const Figure figure = roofline_figure(with_microbench(table));
  const Panel& panel = figure.panels.at(0);
  EXPECT_DOUBLE_EQ(series_named(panel, "keys in L2").points.at(0).y, 40.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "keys in L2").points.at(1).x, 1.25) << "the ridge";
  EXPECT_DOUBLE_EQ(series_named(panel, "keys in L3").points.at(0).y, 20.0);
  EXPECT_DOUBLE_EQ(series_named(panel, "keys in L3").points.at(2).y, 100.0);
  EXPECT_THAT(figure.notes.at(1), HasSubstr("served by caches (L2 80.0 GB/s, L3 40.0 GB/s)"));
}

TEST(Roofline, DisturbedRepeatsAreHollowAndInNoTitle) {
  std::vector<std::string> header = no_microbench().header();
  header.emplace_back("disturbed_by");
  CsvTable table(header);
  for (Values values :
       {kernel("flash", "1024", "flop", "8e7"), kernel("decode", "64", "bytes", "9e6")}) {
    values["disturbed_by"] = "stolen";
    add_repeat(table, values);
  }
  const Figure figure = roofline_figure(with_microbench(table));
  EXPECT_EQ(figure.title, "Kernels under the measured ceilings");
  EXPECT_TRUE(series_named(figure.panels.at(0), "flash, f32").points.at(0).disturbed);
}

TEST(Roofline, WithoutCeilingsOrMicrobenchmarksThereIsASentence) {
  EXPECT_THAT(roofline_figure(PlottedRun(no_cases())).empty_reason, HasSubstr("microbench.csv"));
  EXPECT_THAT(roofline_figure(with_microbench(no_microbench())).empty_reason,
              HasSubstr("ceilings"));
}

// The committed figure: no kernel that products bound is above what products reached, the title has
// the range of the shares at each kernel's longest N, and a note counts what lies above memory's.
TEST(Roofline, CommittedTitleHasTheSharesOfTheCeilingsAtTheLongestLengths) {
  const CommittedFigure figure("microbench", "roofline");
  const std::vector<Mark> roof = figure.marks("1", "measured ceilings");
  ASSERT_EQ(roof.size(), 3u);
  const double ridge = roof[1].x;
  const double products = roof[1].y;
  std::map<std::string, std::map<double, std::set<double>>> shares;  // by kernel and N
  std::map<std::pair<std::string, double>, double> drawn;            // in the second panel
  std::set<double> above;
  const auto is_roof = [](const Mark& mark) {
    return mark.series == "measured ceilings" || mark.series.starts_with("keys in L");
  };
  for (const Mark& mark : figure.marks()) {
    if (mark.panel == "2" && mark.is_data()) drawn[{mark.series, mark.x}] = mark.y;
    if (mark.panel == "2" || is_roof(mark)) continue;
    EXPECT_TRUE(mark.x < ridge || mark.y <= 1.02 * products) << mark.series << " at " << mark.x;
    const double share = 100.0 * mark.y / std::fmin(products, mark.x * products / ridge);
    shares[mark.series.substr(0, mark.series.find(','))][std::stod(mark.fields.at("n_tokens"))]
        .insert(share);
    if (mark.x < ridge && share > 100.0) above.insert(share);
  }
  for (const Mark& mark : figure.marks())
    if (mark.panel == "1" && !is_roof(mark)) {
      EXPECT_NEAR(drawn.at({mark.series, std::stod(mark.fields.at("n_tokens"))}),
                  100.0 * mark.y / std::fmin(products, mark.x * products / ridge), 1e-6);
    }
  std::vector<std::string> said;
  for (const auto& [kernel, by_length] : shares) {
    const std::set<double>& of_longest = by_length.rbegin()->second;
    said.push_back(of_longest.size() == 1 ? fmt::format("{} {:.3g} %", kernel, *of_longest.begin())
                                          : fmt::format("{} {:.3g} to {:.3g} %", kernel,
                                                        *of_longest.begin(), *of_longest.rbegin()));
  }
  EXPECT_EQ(figure.title(),
            "Of the measured ceiling kernels reach at their longest N: " + listed(said));
  EXPECT_THAT(figure.notes().at(1),
              HasSubstr(fmt::format("{} marks above memory's ceiling, to {:.0f} %", above.size(),
                                    *above.rbegin())));
}

TEST(Roofline, TheCeilingIsThatOfTheFastestTypeAndNoTypeIsNamedThatWasNotMeasured) {
  CsvTable table = no_microbench();
  add_repeat(table, kernel("flash", "1024", "flop", "8e7"));
  add_repeat(table, kernel("decode", "1024", "bytes", "9e6"));
  Values wide = kernel("flash", "1024", "flop", "1.5e8");
  wide["dtype"] = "bf16";
  wide["peak_per_s"] = "2e11";
  add_repeat(table, wide);
  const Figure figure = roofline_figure(with_microbench(table));
  EXPECT_DOUBLE_EQ(series_named(figure.panels.at(0), "measured ceilings").points.at(2).y, 200.0);
  EXPECT_THAT(figure.title, HasSubstr("flash 40 to 75 %"));
  EXPECT_THAT(figure.notes.at(0), HasSubstr("products 200 GFLOP/s in the fastest type"));
  EXPECT_THAT(figure.notes.at(0), ::testing::Not(HasSubstr("f32")));
}

}  // namespace
}  // namespace qb
