// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/transformer_layer.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "harness/workload/layer/layer_reference.h"
#include "harness/workload/layer/testing/layer_fakes.h"

namespace qb {
namespace {

using testing_support::RandomLayer;

std::vector<std::int64_t> all_layer_rows(const LayerShape& shape) {
  return layer_rows_to_verify(shape.n_tokens, 0, shape.n_tokens, 1);
}

void expect_correct(const RandomLayer& layer) {
  SCOPED_TRACE(fmt::format(
      "N {} heads {} d {} F {} block {} {} {} {} threads", layer.shape.n_tokens, layer.shape.heads,
      layer.shape.head_dim, layer.shape.feed_forward_dim, layer.options.block_tokens,
      word(layer.options.kernel), to_string(layer.options.mask), layer.options.threads));
  const std::vector<float> y = layer.run();
  const Verification verification =
      verify_layer(layer.question(), y.data(), all_layer_rows(layer.shape), 2);
  EXPECT_TRUE(verification.correct) << verification.message;
}

TEST(TransformerLayer, IsThatOfFloat64ForAnyShapeMaskKernelAndBlock) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::int64_t> values) {
    return values[random() % values.size()];
  };
  for (int i = 0; i < 30; ++i) {
    RandomLayer layer({one_of({1, 1, 2}), one_of({1, 2, 17, 64, 131, 300}), one_of({1, 3, 4}),
                       one_of({8, 16, 33, 64}), one_of({1, 20, 257})},
                      random() % 2 == 0 ? MaskKind::full : MaskKind::causal, random());
    layer.options.kernel =
        std::vector{Kernel::flash, Kernel::materialized, Kernel::reference}[random() % 3];
    layer.options.block_tokens = one_of({0, 1, 7, 64, 100, 1000});
    layer.options.threads = static_cast<int>(one_of({1, 2, 3}));
    expect_correct(layer);
  }
}

TEST(TransformerLayer, OfOneTokenIsThatOfFloat64) {
  for (const std::int64_t block : {0, 1, 5}) {
    RandomLayer layer({1, 1, 12, 64, 3072}, MaskKind::full, 5);
    layer.options.block_tokens = block;
    expect_correct(layer);
  }
}

TEST(TransformerLayer, OfBertBaseIsThatOfFloat64) {
  for (const std::int64_t block : {0, 64}) {
    RandomLayer layer({1, 150, 12, 64, 3072}, MaskKind::full, 6);
    layer.options.block_tokens = block;
    layer.options.threads = 2;
    expect_correct(layer);
  }
}

TEST(TransformerLayer, TakesSparsePatterns) {
  const auto node = [](std::string name, std::vector<std::pair<std::string, std::int64_t>> of) {
    PatternNode pattern{.name = std::move(name)};
    for (auto& [argument, value] : of)
      pattern.arguments.push_back({.name = argument, .integers = {value}, .real = {}});
    return pattern;
  };
  const MaskSpec patterns[] = {MaskSpec(node("sliding_window", {{"left", 9}, {"right", 4}})),
                               MaskSpec(node("bigbird", {{"left", 5},
                                                         {"right", 5},
                                                         {"tokens", 3},
                                                         {"random_blocks", 2},
                                                         {"block", 16},
                                                         {"seed", 1}}))};
  for (const MaskSpec& pattern : patterns) {
    for (const std::int64_t block : {0, 1, 50}) {
      RandomLayer layer({1, 131, 2, 16, 64}, pattern, 12);
      layer.options.block_tokens = block;
      layer.options.threads = 2;
      SCOPED_TRACE(pattern.text());
      expect_correct(layer);
    }
  }
}

TEST(TransformerLayer, TakesOutliersInTheHiddenStates) {
  for (const float outlier : {100.0f, -3000.0f}) {
    RandomLayer layer({1, 77, 4, 16, 256}, MaskKind::causal, 7);
    layer.add_outlier_channel(outlier);
    layer.options.block_tokens = 20;
    expect_correct(layer);
  }
}

TEST(TransformerLayer, BlocksChangeNoMoreThanRoundings) {
  RandomLayer layer({1, 97, 2, 16, 64}, MaskKind::causal, 8);
  const std::vector<float> plain = layer.run();
  for (const std::int64_t block : {1, 13, 96, 97, 98}) {
    layer.options.block_tokens = block;
    const std::vector<float> blockwise = layer.run();
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_NEAR(blockwise[i], plain[i], 1e-5) << block;
  }
}

TEST(TransformerLayer, TimesEveryPart) {
  const RandomLayer layer({1, 64, 2, 16, 64}, MaskKind::full, 9);
  LayerTimes times{};
  (void)layer.run(heap_allocator(), &times);
  for (const double seconds : times) EXPECT_GT(seconds, 0.0);
}

TEST(TransformerLayer, CountsTheFlopOfItsProducts) {
  const LayerShape shape{2, 10, 12, 64, 3072};
  EXPECT_EQ(layer_part_flop(shape, LayerPart::qkv, 0), 2.0 * 20 * 768 * 3 * 768);
  EXPECT_EQ(layer_part_flop(shape, LayerPart::attention, 55), 4.0 * 2 * 55 * 12 * 64);
  EXPECT_EQ(layer_part_flop(shape, LayerPart::attention_output, 0), 2.0 * 20 * 768 * 768);
  EXPECT_EQ(layer_part_flop(shape, LayerPart::feed_forward_in, 0), 2.0 * 20 * 768 * 3072);
  EXPECT_EQ(layer_part_flop(shape, LayerPart::feed_forward_out, 0), 2.0 * 20 * 3072 * 768);
  EXPECT_EQ(layer_part_flop(shape, LayerPart::gelu, 0), 0.0);
}

}  // namespace
}  // namespace qb
