// SPDX-License-Identifier: Apache-2.0
// Makes schedules for tests that no mask would give: gaps, banned blocks, bands, bits, short spans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/tile_schedule.h"

namespace qb::testing_support {

// Turns every other span into one of random bits, of which one in `sparsity` is set.
inline void draw_bits(TileSchedule& schedule, std::mt19937_64& engine) {
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
      KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
      if (engine() % 2 == 0) continue;
      const std::uint64_t sparsity = engine() % 2 == 0 ? 2 : 60;
      span.kind = SpanKind::bits;
      span.words = static_cast<std::int64_t>(schedule.words.size()) - tile.begin * span.row_words();
      for (std::int64_t row = tile.begin; row < tile.end; ++row) {
        const std::size_t first = schedule.words.size();
        schedule.words.resize(first + static_cast<std::size_t>(span.row_words()));
        for (std::int64_t bit = 0; bit < span.end - span.begin; ++bit)
          if (engine() % sparsity == 0)
            schedule.words[first + static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1}
                                                                          << (bit % 64);
      }
    }
}

// Makes a schedule with gaps, banned blocks, bands, bits, short spans and rows without keys.
inline TileSchedule random_schedule(std::int64_t n, std::int64_t m, std::int64_t query_tile,
                                    std::mt19937_64& engine) {
  const auto below = [&engine](std::int64_t limit) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(limit));
  };
  std::vector<ScheduleBlock> blocks;
  for (std::int64_t row = below(20); row < n;) {
    const std::int64_t row_end = std::min(n, row + 1 + below(90));
    for (std::int64_t key = below(40); key < m;) {
      const std::int64_t key_end = std::min(m, key + 1 + below(below(2) == 0 ? 9 : 400));
      constexpr SpanKind kKinds[] = {SpanKind::full, SpanKind::full, SpanKind::causal,
                                     SpanKind::band};
      const std::int64_t low = below(2 * m) - m;
      const KeySpan span{key, key_end, kKinds[below(4)], low + below(below(2) == 0 ? 4 : m), low};
      blocks.push_back({row, row_end, span});
      key = key_end + below(3) * below(60);
    }
    row = row_end + below(2) * below(30);
  }
  TileSchedule schedule = build_schedule(n, m, std::move(blocks), query_tile);
  draw_bits(schedule, engine);
  return schedule;
}

inline bool schedule_allows(const TileSchedule& schedule, std::int64_t row, std::int64_t key) {
  for (const QueryTile& tile : schedule.tiles)
    if (tile.begin <= row && row < tile.end)
      for (std::int64_t s = tile.first_span; s < tile.first_span + tile.n_spans; ++s) {
        const KeySpan& span = schedule.spans[static_cast<std::size_t>(s)];
        if (schedule.sees(span, row, key)) return true;
      }
  return false;
}

}  // namespace qb::testing_support
