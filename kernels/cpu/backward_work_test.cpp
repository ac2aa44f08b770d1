// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "kernels/cpu/flash_backward.h"
#include "kernels/testing/schedule_fixtures.h"

namespace qb::cpu {
namespace {

// Returns how often each pair is in the spans that the chunks' tiles name, row-major.
std::vector<int> pairs_of(const BackwardWork& work, const TileSchedule& schedule) {
  std::vector<int> times(static_cast<std::size_t>(schedule.n_queries * schedule.n_keys));
  for (const BackwardChunk& chunk : work.chunks)
    for (const BackwardChunk::Tile& tile : chunk.tiles)
      for (std::int64_t row = tile.begin; row < tile.end; ++row)
        for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s)
          schedule.for_each_run(schedule.spans[static_cast<std::size_t>(s)], row, chunk.keys,
                                [&](std::int64_t begin, std::int64_t end) {
                                  for (std::int64_t key = begin; key < end; ++key)
                                    ++times[static_cast<std::size_t>(row * schedule.n_keys + key)];
                                });
  return times;
}

TEST(BackwardWork, HasEachPairOfTheScheduleOnce) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 engine(seed);
    const auto n = static_cast<std::int64_t>(1 + engine() % 300);
    const auto m = static_cast<std::int64_t>(1 + engine() % 1500);
    const TileSchedule schedule = testing_support::random_schedule(n, m, 200, engine);
    const TileSchedule* const schedules[] = {&schedule};
    const BackwardWork work = cut_backward(schedules, 1, 96);
    const std::vector<int> times = pairs_of(work, schedule);
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t key = 0; key < m; ++key)
        ASSERT_EQ(times[static_cast<std::size_t>(row * m + key)],
                  testing_support::schedule_allows(schedule, row, key) ? 1 : 0)
            << row << ", " << key;
    for (const BackwardChunk& chunk : work.chunks)
      for (const BackwardChunk::Tile& tile : chunk.tiles) ASSERT_LE(tile.end - tile.begin, 96);
  }
}

TEST(BackwardWork, ChunksAreAPowerOfTwoAndEquallyLong) {
  for (const auto& [n, n_chunks] : std::map<std::int64_t, std::int64_t>{{1, 1},
                                                                        {24, 1},
                                                                        {512, 1},
                                                                        {513, 2},
                                                                        {1024, 2},
                                                                        {1025, 4},
                                                                        {2049, 4},
                                                                        {2561, 8},
                                                                        {3171, 8},
                                                                        {7022, 16},
                                                                        {20'000, 32}}) {
    SCOPED_TRACE(n);
    const TileSchedule full = build_schedule(n, n, {{0, n, {0, n, SpanKind::full, 0}}}, 768);
    const TileSchedule* const schedules[] = {&full};
    const BackwardWork work = cut_backward(schedules, 1, 384);
    EXPECT_EQ(std::ssize(work.chunks), n_chunks);
    for (const BackwardChunk& chunk : work.chunks) {
      EXPECT_EQ(chunk.keys.begin % kBackwardKeyStep, 0);
      EXPECT_LE(std::abs(chunk.keys.count() - n / n_chunks), kBackwardKeyStep + 1);
    }
  }
}

// An item waits for the chunks before it in the list only, so that no two wait for each other.
TEST(BackwardWork, TurnsOfATileCountTheChunksBefore) {
  std::mt19937_64 engine(7);
  const TileSchedule first = testing_support::random_schedule(300, 3000, 64, engine);
  const TileSchedule second = testing_support::random_schedule(200, 1700, 64, engine);
  const TileSchedule* const schedules[] = {&first, &second};
  const BackwardWork work = cut_backward(schedules, 2, 96);
  std::map<std::int64_t, int> next;
  std::map<std::int64_t, std::size_t> schedule_of;
  for (const BackwardChunk& chunk : work.chunks)
    for (const BackwardChunk::Tile& tile : chunk.tiles) {
      EXPECT_EQ(tile.turn, next[tile.index]++);
      EXPECT_LT(tile.index, work.n_tiles);
      // A tile's number belongs to one schedule.
      EXPECT_EQ(schedule_of.emplace(tile.index, chunk.schedule).first->second, chunk.schedule);
    }
  EXPECT_GT(work.chunks.size(), 4u);
}

TEST(BackwardWork, HeavyChunksComeFirst) {
  const TileSchedule causal =
      build_schedule(8192, 8192, {{0, 8192, {0, 8192, SpanKind::causal, 0}}}, 768);
  const TileSchedule* const schedules[] = {&causal};
  const BackwardWork work = cut_backward(schedules, 1, 384);
  ASSERT_EQ(work.chunks.size(), 16u);  // one head keeps sixteen threads busy
  for (std::size_t i = 1; i < work.chunks.size(); ++i)
    EXPECT_GE(work.chunks[i - 1].pairs, work.chunks[i].pairs);
  EXPECT_EQ(work.chunks.front().keys.begin, 0);
  // Many heads need no chunks of their own: each packs the queries again.
  EXPECT_EQ(cut_backward(schedules, 32, 384).chunks.size(), 1u);
}

}  // namespace
}  // namespace qb::cpu
