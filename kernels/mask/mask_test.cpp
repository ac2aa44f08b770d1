// SPDX-License-Identifier: Apache-2.0
// Compares schedules of random patterns with the masks themselves, pair by pair, and checks time
// and memory for long sequences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kernels/mask/mask_tiles.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using mask_fixtures::block_local;
using mask_fixtures::global_tokens;
using mask_fixtures::mask_of;
using mask_fixtures::number;
using mask_fixtures::random_blocks;
using mask_fixtures::random_pattern;
using mask_fixtures::real;
using mask_fixtures::sliding_window;
using ::testing::ElementsAre;

std::int64_t draw(std::mt19937_64& engine, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
}

// Makes groups of a sequence's tokens, in stripes or in pieces; they follow one another in the
// tensors.
std::vector<TokenGroup> random_groups(std::mt19937_64& engine, std::int64_t n,
                                      std::int64_t stripes) {
  std::vector<TokenGroup> groups;
  if (stripes > 1) {
    for (std::int64_t first = 0; first < std::min(n, stripes); ++first)
      groups.push_back({first, (n - first + stripes - 1) / stripes, stripes});
    return groups;
  }
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t count = draw(engine, 1, n - first);
    groups.push_back({first, count, 1});
    first += count;
  }
  return groups;
}

// Returns the pairs of a schedule over whole sequences in gathered order, as tokens.
std::vector<std::vector<int>> pairs_of(const TileSchedule& schedule,
                                       const std::vector<TokenGroup>& q_groups,
                                       const std::vector<TokenGroup>& k_groups) {
  const auto tokens = [](const std::vector<TokenGroup>& groups) {
    std::vector<std::int64_t> all;
    for (const TokenGroup& group : groups)
      for (std::int64_t i = 0; i < group.count; ++i) all.push_back(group.token(i));
    return all;
  };
  const std::vector<std::int64_t> q = tokens(q_groups);
  const std::vector<std::int64_t> k = tokens(k_groups);
  std::vector<std::vector<int>> pairs(q.size(), std::vector<int>(k.size(), 0));
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t row = tile.begin; row < tile.end; ++row)
      for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s)
        schedule.for_each_run(
            schedule.spans[static_cast<std::size_t>(s)], row,
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t key = begin; key < end; ++key)
                ++pairs[static_cast<std::size_t>(q[static_cast<std::size_t>(row)])]
                       [static_cast<std::size_t>(k[static_cast<std::size_t>(key)])];
            });
  return pairs;
}

std::vector<MaskBlock> blocks_of(const std::vector<TokenGroup>& q_groups,
                                 const std::vector<TokenGroup>& k_groups) {
  std::vector<MaskBlock> blocks;
  std::int64_t q_begin = 0;
  for (const TokenGroup& q : q_groups) {
    std::int64_t k_begin = 0;
    for (const TokenGroup& k : k_groups) {
      blocks.push_back({q_begin, k_begin, q, k});
      k_begin += k.count;
    }
    q_begin += q.count;
  }
  return blocks;
}

TEST(MaskTiles, AreTheMaskPairByPairForRandomPatternsAndGroups) {
  std::int64_t kinds[4] = {};
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 engine(seed);
    const std::int64_t n = draw(engine, 2, seed % 10 == 0 ? 700 : 90);
    const std::int64_t q_len = draw(engine, 0, 2) != 0 ? n : draw(engine, 1, n + 5);
    const MaskSpec spec(random_pattern(engine, n));
    SCOPED_TRACE(spec.text() + ", seed " + std::to_string(seed));
    const Mask mask = spec.mask(q_len, n);
    const std::int64_t stripes = draw(engine, 0, 1) == 0 ? 1 : draw(engine, 2, 7);
    const std::vector<TokenGroup> q_groups = random_groups(engine, q_len, stripes);
    const std::vector<TokenGroup> k_groups = random_groups(engine, n, stripes);
    const std::int64_t query_tile = draw(engine, 1, 80);
    const std::vector<MaskBlock> blocks = blocks_of(q_groups, k_groups);
    const TileSchedule schedule = build_mask_schedule(mask, q_len, n, blocks, query_tile);
    ASSERT_NO_THROW(schedule.validate());
    for (const QueryTile& tile : schedule.tiles) ASSERT_LE(tile.end - tile.begin, query_tile);
    for (const KeySpan& span : schedule.spans) ++kinds[static_cast<std::size_t>(span.kind)];

    const auto pairs = pairs_of(schedule, q_groups, k_groups);
    std::int64_t expected_pairs = 0;
    std::int64_t expected_empty = 0;
    for (std::int64_t q = 0; q < q_len; ++q) {
      std::int64_t keys = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const bool allowed = mask.allows(q, k);
        ASSERT_EQ(pairs[static_cast<std::size_t>(q)][static_cast<std::size_t>(k)], allowed ? 1 : 0)
            << "query " << q << ", key " << k;
        keys += allowed ? 1 : 0;
      }
      ASSERT_EQ(mask.keys_of(q, n), keys);
      expected_pairs += keys;
      expected_empty += keys == 0 ? 1 : 0;
    }
    ASSERT_EQ(schedule.unmasked_pairs(), expected_pairs);
    ASSERT_EQ(schedule.empty_rows(), expected_empty);

    std::int64_t counted_pairs = 0;
    for (const MaskBlock& block : blocks) {
      const PairCounts counts = count_pairs(mask, block.q, block.k, {query_tile, 16, 16, 48});
      const TileSchedule alone = build_mask_schedule(mask, block.q.count, block.k.count,
                                                     {{0, 0, block.q, block.k}}, query_tile);
      counted_pairs += counts.unmasked;
      ASSERT_EQ(counts.executed, alone.executed_pairs(16, 48));
      ASSERT_EQ(counts.empty_rows, alone.empty_rows());
    }
    ASSERT_EQ(counted_pairs, expected_pairs);
  }
  for (const std::int64_t count : kinds) EXPECT_GT(count, 100);  // every kind occurred
}

TEST(MaskTiles, NoneAndAllAreSaidOfRectanglesThatAreSo) {
  std::int64_t said[3] = {};
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    std::mt19937_64 engine(seed);
    const std::int64_t n = draw(engine, 2, 60);
    const MaskSpec spec(random_pattern(engine, n));
    SCOPED_TRACE(spec.text() + ", seed " + std::to_string(seed));
    const Mask mask = spec.mask(n, n);
    const auto some = [&]() -> TokenGroup {
      const std::int64_t first = draw(engine, 0, n - 1);
      const std::int64_t stride = draw(engine, 1, 4);
      return {first, draw(engine, 1, std::min<std::int64_t>(8, (n - 1 - first) / stride + 1)),
              stride};
    };
    const TokenGroup q = some();
    const TokenGroup k = some();
    std::int64_t allowed = 0;
    for (std::int64_t i = 0; i < q.count; ++i)
      for (std::int64_t j = 0; j < k.count; ++j)
        allowed += mask.allows(q.token(i), k.token(j)) ? 1 : 0;
    const Coverage coverage = mask.coverage(q, k);
    ++said[static_cast<std::size_t>(coverage)];
    if (coverage == Coverage::none) {
      ASSERT_EQ(allowed, 0);
    } else if (coverage == Coverage::all) {
      ASSERT_EQ(allowed, q.count * k.count);
    }
  }
  for (const std::int64_t count : said) EXPECT_GT(count, 300);
}

std::vector<MaskBlock> whole(std::int64_t n) { return {{0, 0, {0, n, 1}, {0, n, 1}}}; }

TEST(MaskTiles, AWindowIsOneBandATile) {
  const TileSchedule schedule =
      build_mask_schedule(mask_of(sliding_window(8, 7), 256, 256), 256, 256, whole(256), 64);
  ASSERT_EQ(schedule.tiles.size(), 4u);
  EXPECT_THAT(schedule.spans, ElementsAre(KeySpan{0, 71, SpanKind::band, 7, -8},
                                          KeySpan{56, 135, SpanKind::band, 7, -8},
                                          KeySpan{120, 199, SpanKind::band, 7, -8},
                                          KeySpan{184, 256, SpanKind::band, 7, -8}));
}

TEST(MaskTiles, RowsAreCutAtBlocksSoThatTheyNeedNoMask) {
  for (const PatternNode& node : {block_local(32), random_blocks(2, 32)}) {
    const TileSchedule schedule =
        build_mask_schedule(mask_of(node, 256, 256), 256, 256, whole(256), 192);
    EXPECT_EQ(schedule.tiles.size(), 8u);
    for (const KeySpan& span : schedule.spans) EXPECT_EQ(span.kind, SpanKind::full);
  }
}

TEST(MaskTiles, RowsOfGlobalTokensAreTilesOfTheirOwn) {
  const TileSchedule schedule = build_mask_schedule(
      mask_of({"global", {mask_fixtures::list("indices", {100, 101})}, {}}, 256, 256), 256, 256,
      whole(256), 192);
  ASSERT_EQ(schedule.tiles.size(), 3u);
  EXPECT_THAT(schedule.spans, ElementsAre(KeySpan{100, 102}, KeySpan{0, 256}, KeySpan{100, 102}));
}

TEST(MaskTiles, EqualBlocksOfBitsAreStoredOnce) {
  constexpr std::int64_t kTokens = 16384;
  const TileSchedule schedule =
      build_mask_schedule(mask_of({"strided", {number("stride", 128)}, {}}, kTokens, kTokens),
                          kTokens, kTokens, whole(kTokens), 768);
  // One bit for each pair would be 32 MiB.
  EXPECT_LT(schedule.bytes(), 2 << 20);
}

// Single keys are drawn many at a time, rows by several threads. Groups begin and end within words,
// rows have more keys than are drawn at once, and shapes are alone or beside others.
TEST(MaskTiles, OfSingleRandomKeysAreTheMaskWhateverTheThreads) {
  constexpr std::int64_t kKeys = 1601;  // not a power of two, so every fifth key is drawn again
  constexpr std::int64_t kQueries = 613;
  const PatternNode keys{"random", {real("fraction", 0.4), number("seed", 3)}, {}};
  const PatternNode patterns[] = {keys,
                                  {"all_of", {}, {PatternNode{"causal"}, keys}},
                                  {"any_of", {}, {sliding_window(9, 0), keys}},
                                  {"random", {real("fraction", 0.02)}, {}}};
  for (const PatternNode& pattern : patterns)
    for (const auto& k_groups :
         {std::vector<TokenGroup>{{0, kKeys, 1}},
          std::vector<TokenGroup>{{0, 77, 1}, {77, 1100, 1}, {1177, 424, 1}}}) {
      const MaskSpec spec(pattern);
      SCOPED_TRACE(spec.text() + ", groups: " + std::to_string(k_groups.size()));
      const Mask mask = spec.mask(kQueries, kKeys);
      const std::vector<TokenGroup> q_groups{{0, kQueries, 1}};
      const auto build = [&](int threads) {
        return build_mask_schedule(mask, kQueries, kKeys, blocks_of(q_groups, k_groups), 250,
                                   {false, threads});
      };
      const TileSchedule schedule = build(1);
      const auto pairs = pairs_of(schedule, q_groups, k_groups);
      for (std::int64_t q = 0; q < kQueries; ++q)
        for (std::int64_t k = 0; k < kKeys; ++k)
          ASSERT_EQ(pairs[static_cast<std::size_t>(q)][static_cast<std::size_t>(k)],
                    mask.allows(q, k) ? 1 : 0)
              << "query " << q << ", key " << k;
      for (const int threads : {2, 5}) {
        const TileSchedule other = build(threads);
        ASSERT_EQ(other.tiles.size(), schedule.tiles.size());
        ASSERT_EQ(other.spans, schedule.spans);
        ASSERT_EQ(other.words, schedule.words) << threads << " threads";
      }
    }
}

// Their words take several huge pages.
TEST(MaskTiles, OfManySingleRandomKeysTakeABitAPair) {
  constexpr std::int64_t kTokens = 8192;
  constexpr std::int64_t kDrawn = 164;
  const Mask mask = mask_of({"random", {number("blocks", kDrawn)}, {}}, kTokens, kTokens);
  const auto build = [&](int threads) {
    return build_mask_schedule(mask, kTokens, kTokens, whole(kTokens), 768, {false, threads});
  };
  const TileSchedule schedule = build(1);
  EXPECT_EQ(schedule.unmasked_pairs(), kTokens * kDrawn);
  EXPECT_LT(schedule.bytes(), kTokens * kTokens / 8 + 65536);
  for (std::int64_t row = 1; row < kTokens; row += 1021)
    for (const KeySpan& span : schedule.spans_of(row))
      for (std::int64_t key = span.begin; key < span.end; ++key)
        ASSERT_EQ(schedule.sees(span, row, key), mask.allows(row, key)) << row << ", " << key;
  for (const int threads : {2, 5}) ASSERT_EQ(build(threads).words, schedule.words) << threads;
}

TEST(MaskTiles, OfAMillionTokensTakeMemoryByTheTilesThatAreKept) {
  constexpr std::int64_t kTokens = 1 << 20;
  const Mask mask = mask_of({"bigbird",
                             {number("left", 128), number("right", 128), number("tokens", 64),
                              number("random_blocks", 3), number("block", 64)},
                             {}},
                            kTokens, kTokens);
  const TileSchedule schedule = build_mask_schedule(mask, kTokens, kTokens, whole(kTokens), 768);
  EXPECT_EQ(schedule.tiles.size(), 16384u);
  EXPECT_LT(schedule.bytes(), 64 << 20);
  EXPECT_GE(schedule.unmasked_pairs(), kTokens * (257 + 3 * 64) - kTokens * 8);
}

TEST(MaskTiles, GroupsOfDifferentStridesHaveNoDiagonal) {
  const Mask mask = mask_of(sliding_window(2, 2), 20, 20);
  const MaskBlock block{0, 0, {0, 5, 2}, {0, 5, 1}};
  EXPECT_THROW((void)build_mask_schedule(mask, 20, 20, {block}, 8), std::logic_error);
}

}  // namespace
}  // namespace qb
