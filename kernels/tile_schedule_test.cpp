// SPDX-License-Identifier: Apache-2.0
#include "kernels/tile_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

namespace qb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Pair = std::pair<std::int64_t, std::int64_t>;

bool span_allows(const KeySpan& span, std::int64_t row, std::int64_t key) {
  if (key < span.begin || key >= span.end) return false;
  if (span.kind == SpanKind::band && key < row + span.low) return false;
  return span.kind == SpanKind::full || key <= row + span.offset;
}

std::set<Pair> pairs_of(const std::vector<ScheduleBlock>& blocks, std::int64_t n, std::int64_t m) {
  std::set<Pair> pairs;
  for (const ScheduleBlock& block : blocks)
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t key = 0; key < m; ++key)
        if (block.q_begin <= row && row < block.q_end && span_allows(block.keys, row, key))
          pairs.emplace(row, key);
  return pairs;
}

std::vector<ScheduleBlock> blocks_of(const TileSchedule& schedule) {
  std::vector<ScheduleBlock> blocks;
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s)
      blocks.push_back({tile.begin, tile.end, schedule.spans[static_cast<std::size_t>(s)]});
  return blocks;
}

// Makes blocks over disjoint query ranges, with disjoint keys in each, in shuffled order.
std::vector<ScheduleBlock> random_blocks(std::int64_t n, std::int64_t m, std::mt19937& engine) {
  const auto below = [&engine](std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(engine);
  };
  std::vector<ScheduleBlock> blocks;
  for (std::int64_t row = below(3); row < n;) {
    const std::int64_t row_end = std::min(n, row + 1 + below(12));
    for (std::int64_t key = below(4); key < m;) {
      const std::int64_t key_end = std::min(m, key + 1 + below(10));
      constexpr SpanKind kKinds[] = {SpanKind::full, SpanKind::causal, SpanKind::band};
      const std::int64_t low = below(3 * m) - m;
      blocks.push_back({row, row_end, {key, key_end, kKinds[below(3)], low + below(m), low}});
      key = key_end + below(2) * below(6);
    }
    row = row_end + below(2) * below(5);
  }
  std::shuffle(blocks.begin(), blocks.end(), engine);
  return blocks;
}

TEST(TileSchedule, HoldsExactlyThePairsOfItsBlocks) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 40);
    const auto m = static_cast<std::int64_t>(1 + engine() % 50);
    const auto query_tile = static_cast<std::int64_t>(1 + engine() % 16);
    const std::vector<ScheduleBlock> blocks = random_blocks(n, m, engine);
    const TileSchedule schedule = build_schedule(n, m, blocks, query_tile);
    ASSERT_NO_THROW(schedule.validate());
    const std::set<Pair> expected = pairs_of(blocks, n, m);
    ASSERT_EQ(pairs_of(blocks_of(schedule), n, m), expected);
    ASSERT_EQ(schedule.unmasked_pairs(), static_cast<std::int64_t>(expected.size()));
    std::set<std::int64_t> rows;
    for (const Pair& pair : expected) rows.insert(pair.first);
    ASSERT_EQ(schedule.empty_rows(), n - static_cast<std::int64_t>(rows.size()));
    for (const QueryTile& tile : schedule.tiles) ASSERT_LE(tile.end - tile.begin, query_tile);
  }
}

TEST(TileSchedule, ExecutedPairsCountEveryBlockWithALivePair) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 40);
    const auto m = static_cast<std::int64_t>(1 + engine() % 50);
    const auto key_block = static_cast<std::int64_t>(1 + engine() % 9);
    const TileSchedule schedule = build_schedule(n, m, random_blocks(n, m, engine), 8);
    std::int64_t expected = 0;
    for (const ScheduleBlock& block : blocks_of(schedule))
      for (std::int64_t key = block.keys.begin; key < block.keys.end; key += key_block) {
        const std::int64_t end = std::min(block.keys.end, key + key_block);
        bool live = false;
        for (std::int64_t row = block.q_begin; row < block.q_end; ++row)
          live = live || span_allows(block.keys, row, key);
        if (live) expected += (block.q_end - block.q_begin) * (end - key);
      }
    ASSERT_EQ(schedule.executed_pairs(key_block), expected);
  }
}

// Makes rows [2, 5) of keys [3, 100): row i sees the keys that are multiples of i.
TileSchedule multiples() {
  TileSchedule schedule{6, 100, {{2, 5, 0, 1}}, {{3, 100, SpanKind::bits, 0, 0, -2 * 2}}, {}};
  for (std::int64_t row = 2; row < 5; ++row) {
    std::uint64_t words[2] = {};
    for (std::int64_t key = 3; key < 100; ++key)
      if (key % row == 0) words[(key - 3) / 64] |= std::uint64_t{1} << ((key - 3) % 64);
    schedule.words.insert(schedule.words.end(), words, words + 2);
  }
  return schedule;
}

TEST(TileSchedule, BitsSayPairByPairWhatARowSees) {
  const TileSchedule schedule = multiples();
  ASSERT_NO_THROW(schedule.validate());
  EXPECT_TRUE(schedule.sees(schedule.spans[0], 3, 99));
  EXPECT_FALSE(schedule.sees(schedule.spans[0], 3, 98));
  EXPECT_FALSE(schedule.sees(schedule.spans[0], 2, 2));
  EXPECT_EQ(schedule.unmasked_pairs(), 48 + 33 + 24);
  EXPECT_EQ(schedule.empty_rows(), 3);
  std::vector<Pair> runs;
  schedule.for_each_run(schedule.spans[0], 4, {60, 73}, [&](std::int64_t begin, std::int64_t end) {
    runs.emplace_back(begin, end);
  });
  EXPECT_THAT(runs, ElementsAre(Pair{60, 61}, Pair{64, 65}, Pair{68, 69}, Pair{72, 73}));
}

TEST(TileSchedule, ExecutedPairsOfBitsAreThoseOfBlocksWithABit) {
  TileSchedule schedule = multiples();
  EXPECT_EQ(schedule.executed_pairs(10), 3 * 97);
  for (std::uint64_t& word : schedule.words) word = 0;
  schedule.words[1] = 1;  // row 2, key 3 + 64
  EXPECT_EQ(schedule.executed_pairs(10), 3 * 10);
  EXPECT_EQ(schedule.executed_pairs(10, 2), 2 * 10);
  EXPECT_EQ(schedule.executed_pairs(48, 1), 48);
  schedule.words[1] = std::uint64_t{1} << 32;  // key 99, in a block of two
  EXPECT_EQ(schedule.executed_pairs(5), 3 * 2);
}

TEST(TileSchedule, RowsOfFewScatteredKeysGoAloneAndExecuteWhatTheySee) {
  TileSchedule schedule = multiples();  // 48, 33 and 24 of 97 keys
  EXPECT_FALSE(schedule.rows_alone(schedule.tiles[0], 10, 3, 0));
  EXPECT_FALSE(schedule.rows_alone(schedule.tiles[0], 10, 3, 3));
  EXPECT_TRUE(schedule.rows_alone(schedule.tiles[0], 10, 3, 2));
  EXPECT_EQ(schedule.executed_pairs(10, 3, 2), 48 + 33 + 24);
  EXPECT_EQ(schedule.executed_pairs(10, 3, 3), 3 * 97);
  schedule.spans[0].kind = SpanKind::full;
  EXPECT_FALSE(schedule.rows_alone(schedule.tiles[0], 10, 3, 1));
}

TEST(TileSchedule, BitsOutsideTheWordsAreRefused) {
  TileSchedule schedule = multiples();
  schedule.words.pop_back();
  EXPECT_THAT([&] { schedule.validate(); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("words [0, +6) of 5")));
  schedule = multiples();
  schedule.spans[0].words = -5;
  EXPECT_THROW(schedule.validate(), std::invalid_argument);
}

TEST(TileSchedule, StoresEveryKeyOfEverySpan) {
  const TileSchedule schedule = build_schedule(
      10, 20, {{0, 10, {0, 8, SpanKind::causal, 0}}, {0, 10, {12, 20, SpanKind::full}}}, 4);
  EXPECT_EQ(schedule.stored_pairs(), 4 * (4 + 8) + 4 * (8 + 8) + 2 * (8 + 8));
  EXPECT_EQ(schedule.spans_of(5).size(), 2u);
  EXPECT_TRUE(multiples().spans_of(1).empty());
  EXPECT_TRUE(multiples().spans_of(5).empty());
}

TEST(TileSchedule, ResidueClassesThatDoNotFitAreRefused) {
  TileSchedule schedule{7, 9, {}, {}, {}};
  schedule.of_classes = {build_schedule(3, 4, {{0, 3, {0, 4}}}, 8)};
  const auto with = [&schedule](const TileSchedule::ResidueClass& part) {
    schedule.classes = {part};
    return [&schedule] { schedule.validate(); };
  };
  EXPECT_NO_THROW(with({0, 1, 2, 0})());
  EXPECT_EQ(schedule.unmasked_pairs(), 12);
  EXPECT_EQ(schedule.empty_rows(), 4);
  const auto refuses = [](const std::string& what) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(what));
  };
  EXPECT_THAT(with({1, 3, 2, 0}), refuses("3 rows and 4 keys do not fit"));  // key 9
  EXPECT_THAT(with({0, 0, 4, 0}), refuses("do not fit"));                    // row 8
  EXPECT_THAT(with({2, 0, 2, 0}), refuses("out of order"));
  EXPECT_THAT(with({0, 0, 2, 1}), refuses("schedule 1 is not among the 1 there are"));
  schedule.classes = {{1, 0, 2, 0}, {1, 0, 2, 0}};
  EXPECT_THAT([&] { schedule.validate(); }, refuses("out of order"));
}

TEST(TileSchedule, DenseIsOneFullSpanATile) {
  const TileSchedule schedule = build_schedule(10, 7, {{0, 10, {0, 3}}, {0, 10, {3, 7}}}, 4);
  EXPECT_EQ(schedule.tiles.size(), 3u);
  EXPECT_THAT(schedule.spans, ElementsAre(KeySpan{0, 7}, KeySpan{0, 7}, KeySpan{0, 7}));
}

TEST(TileSchedule, CausalSpansEndAtTheLastRowsDiagonal) {
  const TileSchedule schedule = build_schedule(8, 8, {{0, 8, {0, 8, SpanKind::causal, 0}}}, 4);
  EXPECT_THAT(schedule.spans,
              ElementsAre(KeySpan{0, 4, SpanKind::causal, 0}, KeySpan{0, 8, SpanKind::causal, 0}));
  EXPECT_EQ(schedule.unmasked_pairs(), 36);
}

TEST(TileSchedule, CausalSpansBelowTheDiagonalAreFullAndAboveItAbsent) {
  const TileSchedule schedule = build_schedule(
      8, 16, {{0, 8, {0, 3, SpanKind::causal, 4}}, {0, 8, {12, 16, SpanKind::causal, 4}}}, 8);
  EXPECT_THAT(schedule.spans, ElementsAre(KeySpan{0, 3}));
}

TEST(TileSchedule, RangesThatSeeTheSameKeysShareTiles) {
  const TileSchedule schedule =
      build_schedule(6, 4, {{0, 2, {0, 4}}, {2, 3, {0, 2}}, {2, 3, {2, 4}}, {3, 6, {1, 4}}}, 64);
  ASSERT_EQ(schedule.tiles.size(), 2u);
  EXPECT_EQ(schedule.tiles[0].end, 3);
}

TEST(TileSchedule, CountsPairsOfBillionsOfTokens) {
  constexpr std::int64_t n = 3'000'000'000;
  const TileSchedule schedule = build_schedule(n, n, {{0, n, {0, n, SpanKind::causal, 0}}}, n);
  EXPECT_EQ(schedule.unmasked_pairs(), n / 2 * (n + 1));
}

TEST(TileSchedule, BlocksThatOverlapOrLieOutsideAreRefused) {
  const auto build = [](std::vector<ScheduleBlock> blocks) {
    (void)build_schedule(10, 10, std::move(blocks), 4);
  };
  EXPECT_THAT(
      [&] {
        build({{0, 5, {0, 3}}, {4, 8, {0, 3}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("[0, 5) and [4, 8) overlap")));
  EXPECT_THAT(
      [&] {
        build({{0, 5, {0, 3}}, {0, 6, {3, 4}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("overlap without being equal")));
  EXPECT_THAT(
      [&] {
        build({{0, 5, {0, 3}}, {0, 5, {2, 4}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("two blocks with key 2")));
  EXPECT_THAT(
      [&] {
        build({{0, 11, {0, 3}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("queries [0, 11)")));
  EXPECT_THAT(
      [&] {
        build({{0, 5, {3, 3}}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("keys [3, 3)")));
}

TEST(TileSchedule, ValidateNamesTheFirstOffender) {
  const TileSchedule good = build_schedule(8, 8, {{0, 8, {0, 2}}, {0, 8, {4, 6}}}, 4);
  TileSchedule bad = good;
  bad.tiles[1].begin = 3;
  EXPECT_THAT([&] { bad.validate(); }, ThrowsMessage<std::invalid_argument>(HasSubstr("tile 1")));
  bad = good;
  bad.spans[3].begin = 1;
  EXPECT_THAT([&] { bad.validate(); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("tile 1 span 3")));
  bad = good;
  bad.spans[2].end = 9;
  EXPECT_THAT([&] { bad.validate(); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("keys [0, 9)")));
  bad = good;
  bad.tiles[0].n_spans = 9;
  EXPECT_THROW(bad.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace qb
