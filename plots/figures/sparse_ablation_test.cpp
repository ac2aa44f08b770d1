// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string_view>

#include "plots/testing/sample_sparse.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::Not;

CsvTable windows(std::int64_t n) {
  CsvTable cases = no_cases();
  add_case(cases, sparse_case("full", n, 1.0, 1.0));
  for (const int side : {4, 8, 16})
    add_case(cases,
             sparse_case(fmt::format("{{sliding_window: {{left: {}, right: {}}}}}", side, side - 1),
                         n, 0.01 * side, 0.02 * side));
  add_case(cases, sparse_case("{random: {fraction: 0.1}}", n, 0.1, 0.2));
  return cases;
}

const Series& series_of(const Panel& panel, std::string_view name) {
  for (const Series& series : panel.series)
    if (series.name == name) return series;
  throw std::out_of_range(std::string(name));
}

TEST(SparseAblation, TimeIdealAndPairsStandAgainstTheWindow) {
  const Figure figure = sparse_ablation_figure(windows(4096));
  ASSERT_EQ(figure.panels.size(), 2u) << "one fraction alone is not an ablation";
  const Panel& time = figure.panels[0];
  EXPECT_EQ(time.title, "time against window (tokens)");
  const Series& measured = series_of(time, "sliding_window, N = 4,096");
  ASSERT_EQ(measured.points.size(), 3u);
  EXPECT_EQ(measured.points[0].x, 8.0) << "4 left, 3 right and the token itself";
  EXPECT_DOUBLE_EQ(measured.points[2].y, 320.0);
  EXPECT_DOUBLE_EQ(series_of(time, "sliding_window, N = 4,096, ideal").points[2].y, 160.0);
  const Panel& pairs = figure.panels[1];
  EXPECT_DOUBLE_EQ(series_of(pairs, "sliding_window, N = 4,096").points[1].y, 8.0);
  EXPECT_DOUBLE_EQ(series_of(pairs, "sliding_window, N = 4,096, executed").points[1].y, 12.0);
  EXPECT_EQ(figure.published_legend, "");
  EXPECT_EQ(time.series.at(2).name, "ideal: dense time × pairs kept");
}

TEST(SparseAblation, PatternsThatDifferElsewhereAreLinesOfTheirOwn) {
  CsvTable cases = no_cases();
  for (const char* block : {"", ", block: 64"})
    for (const char* fraction : {"0.1", "0.2"})
      add_case(cases, sparse_case(fmt::format("{{random: {{fraction: {}{}}}}}", fraction, block),
                                  4096, 0.1, 0.1));
  const Figure figure = sparse_ablation_figure(cases);
  ASSERT_EQ(figure.panels.size(), 2u);
  const Panel& time = figure.panels[0];
  EXPECT_EQ(series_of(time, "random, N = 4,096").points.size(), 2u);
  EXPECT_EQ(series_of(time, "random, block: 64, N = 4,096").points.at(1).x, 0.2);
  EXPECT_NE(time.series[0].style, time.series[1].style);
  ASSERT_EQ(time.series.size(), 3u) << "no ideal without dense attention";
  EXPECT_EQ(time.series[2].name, "pairs executed") << "what is drawn thin has a key";
  for (const std::string& note : figure.notes) EXPECT_THAT(note, Not(HasSubstr("the ideal")));
}

TEST(SparseAblation, TheReportsTableStandsBesideItsShape) {
  const Figure figure = sparse_ablation_figure(windows(1024));
  const Series& published = series_of(figure.panels.at(0), "15-618 window_size, N = 1,024");
  ASSERT_EQ(published.points.size(), 3u);
  EXPECT_EQ(published.points[2].x, 64.0);
  EXPECT_DOUBLE_EQ(published.points[2].y, 0.18432);
  EXPECT_THAT(figure.notes.back(), HasSubstr("Not comparable"));
}

TEST(SparseAblation, WithoutTwoValuesThereIsASentence) {
  CsvTable cases = no_cases();
  add_case(cases, sparse_case("{global: {tokens: 16}}", 1024, 0.1, 0.1));
  add_case(cases, sparse_case("{global: {tokens: 32}}", 2048, 0.1, 0.1));
  EXPECT_THAT(sparse_ablation_figure(cases).empty_reason, HasSubstr("two values"));
}

}  // namespace
}  // namespace qb
