// SPDX-License-Identifier: Apache-2.0
// Compares schedules by residue classes with the masks themselves, pair by pair.
#include "kernels/mask/mask_tiles.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using mask_fixtures::mask_of;
using mask_fixtures::number;

constexpr ScheduleChoice kClasses{true, 1};

// Returns how often a schedule holds each pair, with its classes; row-major.
std::vector<int> pairs_of(const TileSchedule& schedule) {
  const auto n_keys = static_cast<std::size_t>(schedule.n_keys);
  std::vector<int> pairs(static_cast<std::size_t>(schedule.n_queries) * n_keys, 0);
  const auto add = [&](const TileSchedule& part, const TileSchedule::ResidueClass& place) {
    for (const QueryTile& tile : part.tiles)
      for (std::int64_t row = tile.begin; row < tile.end; ++row)
        for (const KeySpan& span : part.spans_of(row))
          part.for_each_run(span, row, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t key = begin; key < end; ++key)
              ++pairs[static_cast<std::size_t>(place.first_row + row * place.stride) * n_keys +
                      static_cast<std::size_t>(place.first_key + key * place.stride)];
          });
  };
  add(schedule, {});
  for (const TileSchedule::ResidueClass& part : schedule.classes)
    add(schedule.of_classes[part.schedule], part);
  return pairs;
}

TEST(MaskResidues, HoldEveryPairOfAMaskOnce) {
  int with_classes = 0;
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(40 + engine() % (seed % 10 == 0 ? 500 : 90));
    const MaskSpec spec(mask_fixtures::random_pattern(engine, n));
    SCOPED_TRACE(spec.text() + ", seed " + std::to_string(seed));
    const std::int64_t q_len =
        engine() % 2 == 0 ? n : static_cast<std::int64_t>(1 + engine() % 120);
    const Mask mask = spec.mask(q_len, n);
    // The tokens are all tokens or every n-th, as a worker of a striped ring holds them.
    const auto stride = static_cast<std::int64_t>(1 + engine() % 2 * (engine() % 4));
    const auto every = [stride](std::int64_t length, std::int64_t first) -> TokenGroup {
      return {first, std::max<std::int64_t>(1, (length - first + stride - 1) / stride), stride};
    };
    const MaskBlock block{0, 0, every(q_len, std::min(q_len - 1, stride - 1)),
                          every(n, stride / 2)};
    const auto query_tile = static_cast<std::int64_t>(1 + engine() % 90);
    const TileSchedule schedule =
        build_mask_schedule(mask, block.q.count, block.k.count, {block}, query_tile, kClasses);
    ASSERT_NO_THROW(schedule.validate());
    with_classes += schedule.classes.empty() ? 0 : 1;
    const std::vector<int> pairs = pairs_of(schedule);
    std::int64_t expected_pairs = 0;
    std::int64_t expected_empty = 0;
    for (std::int64_t i = 0; i < block.q.count; ++i) {
      std::int64_t keys = 0;
      for (std::int64_t j = 0; j < block.k.count; ++j) {
        const bool allowed = mask.allows(block.q.token(i), block.k.token(j));
        ASSERT_EQ(pairs[static_cast<std::size_t>(i * block.k.count + j)], allowed ? 1 : 0)
            << "row " << i << ", key " << j;
        keys += allowed ? 1 : 0;
      }
      expected_pairs += keys;
      expected_empty += keys == 0 ? 1 : 0;
    }
    ASSERT_EQ(schedule.unmasked_pairs(), expected_pairs);
    ASSERT_EQ(schedule.empty_rows(), expected_empty);
    const PairCounts counts =
        count_pairs(mask, block.q, block.k, {query_tile, 16, 16, 48, true, 4});
    ASSERT_EQ(counts.unmasked, expected_pairs);
    ASSERT_EQ(counts.empty_rows, expected_empty);
    ASSERT_EQ(counts.executed, schedule.executed_pairs(16, 48, 4));
  }
  EXPECT_GT(with_classes, 40);
}

TEST(MaskResidues, ADilatedWindowIsAPlainOneInEachClass) {
  const Mask mask = mask_of(
      {"dilated_window", {number("left", 8), number("right", 7), number("dilation", 4)}, {}}, 256,
      256);
  const TileSchedule schedule =
      build_mask_schedule(mask, 256, 256, {{0, 0, {0, 256}, {0, 256}}}, 64, kClasses);
  EXPECT_TRUE(schedule.tiles.empty());
  ASSERT_EQ(schedule.classes.size(), 4u);
  ASSERT_EQ(schedule.of_classes.size(), 1u);  // all four alike
  ASSERT_EQ(schedule.of_classes[0].spans.size(), 1u);
  EXPECT_EQ(schedule.of_classes[0].spans[0], (KeySpan{0, 64, SpanKind::band, 7, -8}));
}

TEST(MaskResidues, OfAStrideAreAlmostAllPairsOfShortSequences) {
  constexpr std::int64_t kTokens = 16384;
  const Mask mask = mask_of({"strided", {number("stride", 128)}, {}}, kTokens, kTokens);
  const MaskBlock whole{0, 0, {0, kTokens}, {0, kTokens}};
  const TileSchedule by_tiles = build_mask_schedule(mask, kTokens, kTokens, {whole}, 768);
  const TileSchedule by_classes =
      build_mask_schedule(mask, kTokens, kTokens, {whole}, 768, kClasses);
  EXPECT_EQ(by_classes.unmasked_pairs(), by_tiles.unmasked_pairs());
  const auto useful = static_cast<double>(by_classes.unmasked_pairs());
  EXPECT_LT(static_cast<double>(by_classes.executed_pairs(16, 48)), 1.3 * useful);
  EXPECT_GT(static_cast<double>(by_tiles.executed_pairs(16, 48)), 5.0 * useful);
  EXPECT_LT(by_classes.bytes(), by_tiles.bytes() / 4);
}

TEST(MaskResidues, AreThereForOneBlockThatIsTheWholeCallOnly) {
  const Mask mask = mask_of(
      {"dilated_window", {number("left", 8), number("right", 7), number("dilation", 2)}, {}}, 128,
      128);
  const std::vector<MaskBlock> two = {{0, 0, {0, 128}, {0, 64}}, {0, 64, {0, 128}, {64, 64}}};
  EXPECT_TRUE(build_mask_schedule(mask, 128, 128, two, 64, kClasses).classes.empty());
  EXPECT_TRUE(
      build_mask_schedule(mask, 128, 128, {{0, 0, {0, 128}, {0, 128}}}, 64).classes.empty());
}

}  // namespace
}  // namespace qb
