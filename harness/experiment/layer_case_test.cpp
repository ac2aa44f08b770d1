// Real layers in this process: what a row holds, and how a case ends that cannot be.
#include "harness/experiment/layer_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/numbers.h"
#include "harness/base/statistics.h"
#include "harness/experiment/device.h"
#include "harness/experiment/spec.h"

namespace qb {
namespace {

using testing::HasSubstr;

Case tiny_layer(std::int64_t block_tokens) {
  Case c;
  c.experiment = "tiny";
  c.workload = Workload::transformer_layer;
  c.threads = 1;
  c.shape = {.batch = 1,
             .q_heads = 2,
             .kv_heads = 2,
             .q_len = 100,
             .kv_len = 100,
             .head_dim = 16,
             .value_dim = 16};
  c.layer_block_tokens = block_tokens;
  c.measure = {.warmups = 1, .min_repeats = 3, .max_repeats = 3, .verify_rows = 32};
  return c;
}

double number(const CaseResult& result, const std::string& column) {
  return parse_real(result.values.at(column)).value();
}

TEST(LayerCase, IsVerifiedTimedAndItsMemoryIsThePredictedOne) {
  for (const std::int64_t block : {0, 32}) {
    const CaseResult result = run_case(tiny_layer(block), "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.values.at("verified_rows"), "32");
    EXPECT_LE(number(result, "max_error"), number(result, "tolerance"));
    EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
              result.values.at("predicted_active_peak_bytes"));
    EXPECT_EQ(result.values.at("worker_active_peak_bytes"),
              result.values.at("predicted_worker_active_peak_bytes"));
    EXPECT_EQ(result.samples.size(), 4u);
    EXPECT_GT(number(result, "achieved_flop_per_s"), 0.0);
    EXPECT_LT(number(result, "longest_subsequence_median_s"), number(result, "wall_time_median_s"))
        << "attention is a part of the layer";
    for (const auto& [column, value] : result.values)
      EXPECT_THAT(case_columns(), testing::Contains(column));
  }
}

TEST(LayerCase, HasARowForEachPartOfEachRepeatThatTogetherFillIt) {
  const CaseResult result = run_case(tiny_layer(0), "");
  ASSERT_EQ(result.parts.size(), 4 * kLayerParts);
  double flop = 0.0;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    EXPECT_EQ(result.parts[i].size() + 1, part_columns().size());
    EXPECT_EQ(result.parts[i][2], word(static_cast<LayerPart>(i % kLayerParts)));
    if (i < kLayerParts) flop += parse_real(result.parts[i][3]).value();
  }
  EXPECT_EQ(flop, number(result, "unmasked_flop"));
  for (std::size_t s = 0; s < 4; ++s) {
    double seconds = 0.0;
    for (std::size_t p = 0; p < kLayerParts; ++p)
      seconds += parse_real(result.parts[s * kLayerParts + p][4]).value();
    EXPECT_LE(seconds, result.samples[s].wall_s);
  }
}

TEST(LayerCase, OverItsBudgetIsOutOfMemoryWhereItsBlocksFit) {
  Case c = tiny_layer(10);
  const auto bytes = [](const Case& asked) {
    return parse_integer(predicted_values(asked).at("predicted_active_peak_bytes")).value();
  };
  c.memory_budget_bytes = bytes(c);
  EXPECT_EQ(run_case(c, "").status, Status::ok);
  EXPECT_GT(bytes(tiny_layer(0)), c.memory_budget_bytes);
  c.layer_block_tokens = 0;
  const CaseResult result = run_case(c, "");
  EXPECT_EQ(result.status, Status::oom);
  EXPECT_TRUE(result.parts.empty());
}

TEST(LayerCase, SaysWhatALayerCannotBe) {
  const auto expect_unsupported = [](const Case& c, const std::string& reason) {
    const CaseResult result = run_case(c, "");
    EXPECT_EQ(result.status, Status::unsupported) << reason;
    EXPECT_THAT(result.message, HasSubstr(reason));
    EXPECT_THROW((void)predicted_values(c), Unsupported);
  };
  Case c = tiny_layer(0);
  c.algorithm = "cqs";
  c.workers = 7;
  expect_unsupported(c, "is computed by one worker");
  c = tiny_layer(0);
  c.dtype = DType::bf16;
  expect_unsupported(c, "is computed in f32, not bf16");
  c = tiny_layer(0);
  c.shape.kv_heads = 1;
  expect_unsupported(c, "as many key-value heads as query heads, not 1 and 2");
  c = tiny_layer(0);
  c.shape.kv_len = 200;
  expect_unsupported(c, "attends to its own tokens");
}

TEST(LayerCase, WithoutItsWeightsIsAnErrorThatNamesTheFolder) {
  Case c = tiny_layer(0);
  c.layer_weights = "/nowhere/layer0";
  const CaseResult result = run_case(c, "");
  EXPECT_EQ(result.status, Status::error);
  EXPECT_THAT(result.message, HasSubstr("/nowhere/layer0: no such folder"));
}

TEST(LayerCase, TakesAFeedForwardOfFourTimesTheHiddenWidthWhereNoneIsGiven) {
  EXPECT_EQ(resolve_case(tiny_layer(0)).layer_feed_forward_dim, 4 * 32);
  Case given = tiny_layer(0);
  given.layer_feed_forward_dim = 7;
  EXPECT_EQ(resolve_case(given).layer_feed_forward_dim, 7);
  given.workload = Workload::attention;
  given.layer_feed_forward_dim = 0;
  EXPECT_EQ(resolve_case(given).layer_feed_forward_dim, 0);
}

TEST(LayerCase, IsWrittenInASpecAndKeptByTheResolvedOne) {
  const Spec spec = parse_spec(
      "experiment: e\n"
      "workload: transformer_layer\n"
      "n_tokens: 64\n"
      "q_heads: 12\n"
      "layer.feed_forward_dim: 3072\n"
      "layer.weights: some/layer0\n"
      "sweep: {layer.block_tokens: [~, 512]}\n",
      "spec.yaml", {});
  ASSERT_EQ(spec.cases.size(), 2u);
  EXPECT_EQ(spec.cases[0].layer_block_tokens, 0);
  EXPECT_EQ(spec.cases[1].layer_block_tokens, 512);
  EXPECT_EQ(spec.cases[1].layer_weights, "some/layer0");
  EXPECT_NE(case_id(spec.cases[0]), case_id(spec.cases[1]));
  const Spec again = parse_spec(spec.resolved_yaml, "resolved.yaml", {});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(case_parameters(again.cases[i]), case_parameters(spec.cases[i]));
    EXPECT_EQ(case_parameters(case_from_json(case_to_json(spec.cases[i]))),
              case_parameters(spec.cases[i]));
  }
}

}  // namespace
}  // namespace qb
