// SPDX-License-Identifier: Apache-2.0
#include "plots/figures/figures.h"

#include <gmock/gmock.h>

#include <string_view>

#include "plots/testing/sample_sparse.h"

namespace qb {
namespace {

using namespace testing_support;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kWindow = "{block_local: {block: 16}}";

// The stages take 20, 30 and 40 %, and the fused kernel takes a quarter of the whole.
CsvTable staged_and_fused(std::int64_t n) {
  CsvTable cases = no_cases();
  Values staged = sparse_case(kWindow, n, 0.1, 0.1, "staged");
  staged["stage_scores_median_s"] = "0.02";
  staged["stage_softmax_median_s"] = "0.03";
  staged["stage_product_median_s"] = "0.04";
  add_case(cases, staged);
  add_case(cases, sparse_case(kWindow, n, 0.1, 0.025));
  return cases;
}

const Series& series_of(const Figure& figure, std::string_view name) {
  for (const Series& series : figure.panels.at(0).series)
    if (series.name == name) return series;
  throw std::out_of_range(std::string(name));
}

double height(const Figure& figure, const std::string& name) {
  const Point& point = series_of(figure, name).points.at(0);
  return point.high - point.low;
}

TEST(SparseStages, StagesAndTheRestFillTheStagedTimeAndTheFusedKernelStandsBeside) {
  const Figure figure = sparse_stages_figure(staged_and_fused(4096));
  ASSERT_EQ(figure.panels.size(), 1u);
  EXPECT_EQ(figure.panels[0].title, "block_local");
  EXPECT_NEAR(height(figure, "dense × dense → sparse"), 20.0, 1e-9);
  EXPECT_NEAR(height(figure, "softmax"), 30.0, 1e-9);
  EXPECT_NEAR(height(figure, "sparse × dense"), 40.0, 1e-9);
  EXPECT_NEAR(height(figure, "rest: buffers, schedule"), 10.0, 1e-9);
  EXPECT_NEAR(series_of(figure, "rest: buffers, schedule").points.at(0).high, 100.0, 1e-9);
  EXPECT_NEAR(height(figure, "fused: flash"), 25.0, 1e-9);
  EXPECT_EQ(series_of(figure, "fused: flash at N = 4096").text, "4.0×");
  const Point staged = series_of(figure, "softmax").points.at(0);
  EXPECT_LE(staged.x_high, series_of(figure, "fused: flash").points.at(0).x_low);
}

TEST(SparseStages, TheReportsStagesStandBesideItsShape) {
  const Figure figure = sparse_stages_figure(staged_and_fused(1024));
  const double total = 36.86 + 13.12 + 14.34;
  EXPECT_NEAR(height(figure, "published softmax"), 100.0 * 13.12 / total, 1e-9);
  EXPECT_TRUE(series_of(figure, "published softmax").published);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("Not comparable")));
}

TEST(SparseStages, WithoutStageTimesThereIsASentence) {
  CsvTable fused = no_cases();
  add_case(fused, sparse_case(kWindow, 1024, 0.1, 0.1));
  EXPECT_THAT(sparse_stages_figure(fused).empty_reason, HasSubstr("no case of the kernel"));
}

}  // namespace
}  // namespace qb
