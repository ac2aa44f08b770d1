// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <map>
#include <string_view>

#include "plots/testing/committed_figure.h"
#include "plots/testing/sample_sparse.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSparseWindow = "{sliding_window: {left: 4, right: 5}}";

CsvTable sparse_cases_of(const std::vector<Values>& rows) {
  CsvTable cases = no_cases();
  for (const Values& values : rows) add_case(cases, values);
  return cases;
}

CsvTable one_window() {
  return sparse_cases_of(
      {sparse_case("full", 10000, 1.0, 0.8), sparse_case(kSparseWindow, 10000, 0.01, 0.01)});
}

const Panel& panel_of(const Figure& figure, std::string_view column) {
  for (const Panel& panel : figure.panels)
    if (panel.y.column == column) return panel;
  throw std::out_of_range(std::string(column));
}

const Series& series_of(const Panel& panel, std::string_view name) {
  for (const Series& series : panel.series)
    if (series.name == name) return series;
  throw std::out_of_range(std::string(name));
}

TEST(SparseAttentionFigure, ComparesWithDenseAndTheIdeal) {
  const Figure figure = sparse_attention_figure(one_window());
  const auto window = [&](const char* column) {
    return series_of(panel_of(figure, column), "sliding_window").points.at(0);
  };
  EXPECT_DOUBLE_EQ(window("time_ms").y, 10.0);
  EXPECT_DOUBLE_EQ(window("over_ideal_ratio").y, 0.01 / (0.8 * 0.01));
  EXPECT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.title,
            "At N = 10,000 sliding_window takes 1.25 times what dense attention takes for as many "
            "pairs");
}

TEST(SparseAttentionFigure, NeitherADisturbedPatternNorADisturbedDenseCaseIsInTheTitle) {
  for (const char* spoilt : {"full", kSparseWindow}) {
    std::vector<Values> rows = {sparse_case("full", 10000, 1.0, 0.8),
                                sparse_case(kSparseWindow, 10000, 0.01, 0.01)};
    for (Values& values : rows)
      if (values["mask"] == spoilt) values["disturbed_by"] = "stolen";
    const Figure figure = sparse_attention_figure(sparse_cases_of(rows));
    EXPECT_EQ(figure.title, "Sparse attention against sequence length");
    EXPECT_TRUE(
        series_of(panel_of(figure, "over_ideal_ratio"), "sliding_window").points.at(0).disturbed);
  }
}

TEST(SparseAttentionFigure, CpuAndGpuStandSideBySideEachOverItsOwnDense) {
  CsvTable cpu = one_window();
  CsvTable gpu =
      sparse_cases_of({on_gpu(sparse_case("full", 10000, 1.0, 0.02), "Made-up GPU"),
                       on_gpu(sparse_case(kSparseWindow, 10000, 0.01, 0.001), "Made-up GPU")});
  for (const CsvTable& both :
       {joined_cases(side_by_side(cpu, "a", gpu, "b")),
        sparse_cases_of({sparse_case("full", 10000, 1.0, 0.8),
                         sparse_case(kSparseWindow, 10000, 0.01, 0.01),
                         on_gpu(sparse_case("full", 10000, 1.0, 0.02), "Made-up GPU"),
                         on_gpu(sparse_case(kSparseWindow, 10000, 0.01, 0.001), "Made-up GPU")})}) {
    const Figure figure = sparse_attention_figure(both);
    ASSERT_EQ(figure.columns, 2);
    ASSERT_EQ(figure.panels.size() % 2, 0u);
    for (std::size_t i = 0; i < figure.panels.size(); i += 2) {
      EXPECT_THAT(figure.panels[i].title, HasSubstr(", CPU"));
      EXPECT_THAT(figure.panels[i + 1].title, HasSubstr(", Made-up GPU"));
      EXPECT_EQ(figure.panels[i].y.column, figure.panels[i + 1].y.column);
    }
    EXPECT_DOUBLE_EQ(series_of(figure.panels[2], "sliding_window").points.at(0).y, 1.25);
    EXPECT_DOUBLE_EQ(series_of(figure.panels[3], "sliding_window").points.at(0).y, 5.0);
  }
}

TEST(SparseAttentionFigure, TwoRunsOfOneDeviceAreTwoLines) {
  const CsvTable a = one_window();
  const Figure figure =
      sparse_attention_figure(joined_cases(side_by_side(a, "first", a, "second")));
  std::vector<std::string> names;
  for (const Series& series : figure.panels.at(0).series) names.push_back(series.name);
  EXPECT_THAT(names, ::testing::ElementsAre("full, first", "full, second", "sliding_window, first",
                                            "sliding_window, second"));
  EXPECT_DOUBLE_EQ(figure.panels[1].series[1].points.at(0).y, 1.25);
}

TEST(SparseAttentionFigure, KernelsDifferInTheDashAndPatternsInTheColour) {
  const Figure figure = sparse_attention_figure(sparse_cases_of(
      {sparse_case("full", 1000, 1.0, 1.0), sparse_case(kSparseWindow, 1000, 0.1, 0.1),
       sparse_case(kSparseWindow, 1000, 0.1, 0.2, "staged")}));
  const Series& fused = series_of(figure.panels.at(0), "sliding_window, flash");
  const Series& staged = series_of(figure.panels.at(0), "sliding_window, staged");
  EXPECT_EQ(fused.style.colour, staged.style.colour);
  EXPECT_NE(fused.style.dash, staged.style.dash);
  EXPECT_NE(fused.style.colour, series_of(figure.panels[0], "full, flash").style.colour);
  // The staged kernel is compared with the fused dense one.
  EXPECT_DOUBLE_EQ(series_of(figure.panels[1], "sliding_window, staged").points.at(0).y, 2.0);
}

TEST(SparseAttentionFigure, ManyPatternsAreDrawnByFamilyWithDenseInEachPanel) {
  std::vector<Values> rows = {sparse_case("full", 10000, 1.0, 0.8)};
  for (const char* mask :
       {kSparseWindow, "{block_local: {block: 16}}",
        "{dilated_window: {left: 4, right: 3, dilation: 2}}", "{global: {tokens: 16}}",
        "{longformer: {left: 4, right: 3, tokens: 16}}",
        "{bigbird: {left: 4, right: 3, tokens: 16, random_blocks: 3, block: 64}}",
        "{random: {fraction: 0.1}}"})
    rows.push_back(sparse_case(mask, 10000, 0.1, 0.1));
  const Figure figure = sparse_attention_figure(sparse_cases_of(rows));
  EXPECT_EQ(figure.panels.at(0).title, "time, windows");
  EXPECT_EQ(figure.panels.at(1).title, "time, global tokens, others");
  for (const Panel& panel : figure.panels) {
    if (panel.y.column != "time_ms") continue;
    EXPECT_LE(panel.series.size(), 6u);
    EXPECT_EQ(panel.series.at(0).name, "full");
  }
}

TEST(SparseAttentionFigure, ManyLinesOfTwoKernelsAreDrawnByKernel) {
  std::vector<Values> rows;
  for (const char* kernel : {"flash", "staged"})
    for (const char* mask :
         {"full", kSparseWindow, "{global: {tokens: 16}}", "{random: {fraction: 0.1}}"})
      rows.push_back(sparse_case(mask, 10000, 0.1, 0.1, kernel));
  const Figure figure = sparse_attention_figure(sparse_cases_of(rows));
  EXPECT_EQ(figure.panels.at(0).title, "time, flash");
  EXPECT_EQ(figure.panels.at(1).title, "time, staged");
  EXPECT_EQ(figure.panels[1].series.size(), 4u);
}

TEST(SparseAttentionFigure, WithoutDenseTheNotesDefineNoIdeal) {
  const Figure figure =
      sparse_attention_figure(sparse_cases_of({sparse_case(kSparseWindow, 10000, 0.1, 0.1)}));
  for (const std::string& note : figure.notes) EXPECT_THAT(note, Not(HasSubstr("Ideal:")));
  for (const Panel& panel : figure.panels)
    EXPECT_NE(std::string(panel.y.column), "over_ideal_ratio");
}

TEST(SparseAttentionFigure, SaysThatThereIsNothing) {
  EXPECT_EQ(
      sparse_attention_figure(sparse_cases_of({sparse_case("full", 100, 1.0, 1.0)})).empty_reason,
      "no case with a sparse mask has a time");
}

// The committed figure: the title has the patterns that are nearest to their ideal time and
// farthest from it at the longest N, of the marks that are not hollow.
TEST(SparseAttentionFigure, CommittedTitleHasThePatternsNearestToTheIdealAndFarthest) {
  const CommittedFigure figure("sparse_patterns", "sparse_attention");
  std::map<double, std::map<double, std::string>> ratios;  // by N and ratio
  for (const Mark& mark : figure.marks())
    if (mark.is_data() && mark.panel_title.starts_with("time over the ideal") &&
        mark.fields.at("disturbed") == "0")
      ratios[mark.x][mark.y] = mark.series;
  const auto& [tokens, of_longest] = *ratios.rbegin();
  EXPECT_EQ(of_longest.size(), 7u) << "eight patterns, of which one was disturbed";
  EXPECT_EQ(figure.title(),
            fmt::format("At N = {} patterns take {:.3g} ({}) to {:.3g} ({}) times what dense "
                        "attention takes for as many pairs",
                        grouped(tokens), of_longest.begin()->first, of_longest.begin()->second,
                        of_longest.rbegin()->first, of_longest.rbegin()->second));
}

}  // namespace
}  // namespace qb
