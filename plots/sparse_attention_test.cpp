#include "plots/sparse_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb {
namespace {

CsvTable sparse_cases() {
  CsvTable cases({"case_id", "status", "mask", "kernel", "n_tokens", "unmasked_pairs",
                  "executed_pairs", "wall_time_median_s", "wall_time_low95_s", "wall_time_high95_s",
                  "active_memory_peak_bytes", "n_samples", "interval_coverage"});
  const auto add = [&](const char* id, const char* status, const char* mask, const char* pairs,
                       const char* executed, const char* time) {
    cases.append({id, status, mask, "flash", "1000", pairs, executed, time, time, time, "1048576",
                  "5", "0.95"});
  };
  add("a", "ok", "full", "1000000", "1000000", "0.8");
  add("b", "ok", "{sliding_window: {left: 4, right: 5}}", "10000", "15000", "0.01");
  add("c", "timeout", "{block_local: {block: 10}}", "10000", "10000", "");
  return cases;
}

TEST(SparseAttentionFigure, ComparesWithDenseAndTheIdeal) {
  const Figure figure = sparse_attention_figure(sparse_cases(), {});
  ASSERT_EQ(figure.panels.size(), 5u);
  const auto window = [&](std::size_t panel) {
    EXPECT_EQ(figure.panels[panel].series.size(), 2u);
    EXPECT_EQ(figure.panels[panel].series[1].name, "sliding_window");
    return figure.panels[panel].series[1].points.at(0).y;
  };
  EXPECT_DOUBLE_EQ(window(0), 10.0);
  EXPECT_DOUBLE_EQ(window(1), 80.0);
  EXPECT_DOUBLE_EQ(window(2), 0.01 / (0.8 * 0.01));
  EXPECT_DOUBLE_EQ(window(3), 1.5);
  EXPECT_DOUBLE_EQ(window(4), 1.0);
}

TEST(SparseAttentionFigure, MasksOfOneKindAreNamedWithTheirParameters) {
  const auto names =
      mask_names({"causal", "{block_local: {block: 16}}", "{sliding_window: {left: 4, right: 4}}",
                  "{sliding_window: {left: 8, right: 8}}"});
  EXPECT_EQ(names.at("causal"), "causal");
  EXPECT_EQ(names.at("{block_local: {block: 16}}"), "block_local");
  EXPECT_EQ(names.at("{sliding_window: {left: 8, right: 8}}"), "sliding_window, left: 8, right: 8");
}

TEST(SparseAttentionFigure, SaysThatThereIsNothing) {
  CsvTable cases({"case_id", "status", "mask", "kernel", "n_tokens"});
  EXPECT_EQ(sparse_attention_figure(cases, {}).empty_reason,
            "no case with a sparse mask has a time");
}

}  // namespace
}  // namespace qb
