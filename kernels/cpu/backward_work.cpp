// SPDX-License-Identifier: Apache-2.0
// Cuts the backward pass of flash attention into items for the threads, by shapes and schedule
// alone.
//
// An item is a chunk of the keys of one key-value head with all query rows that see one of them. It
// alone adds to dK and dV of its keys, in one order. Rows of dQ are shared by the chunks: an item
// sums its part of a tile's dQ apart, and adds it to the others' when it is the tile's turn for it.
// Turns follow the order in which items are handed out. So an item waits only for items that were
// begun before it, of which the first waits for none; and whatever the number of threads, the same
// sums are made in the same order.
//
// Each chunk packs the rows of Q and dO again, which takes 1 to 3 % of the time of 512 keys. With
// dQ in a sweep of its own nothing would be shared, but two products of seven would be made twice;
// with a private dQ for each chunk no item would wait, but a million tokens would take as many
// copies of dQ as there are chunks.

#include <algorithm>
#include <bit>
#include <utility>

#include "base/integers.h"
#include "kernels/cpu/flash_backward.h"

namespace qb::cpu {
namespace {

// Cuts the keys into chunks of nearly equal length, a power of two of them, so that 2, 4 or 8
// threads end a short head together. More chunks keep more threads busy and balance causal masks;
// fewer pack the query rows less often.
std::vector<Range> cut_keys(std::int64_t n_keys, std::int64_t heads) {
  constexpr std::int64_t kItems = 32;       // of all heads, where keys suffice
  constexpr std::int64_t kUsualKeys = 512;  // of a chunk, where heads are few
  const std::int64_t most = std::max<std::int64_t>(1, ceil_div(n_keys, kUsualKeys));
  const std::int64_t wanted = std::clamp<std::int64_t>(ceil_div(kItems, heads), 1, most);
  const auto count =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(wanted + wanted / 3)));
  std::vector<Range> chunks;
  for (std::int64_t c = 1, begin = 0; c <= count; ++c) {
    const std::int64_t steps = (n_keys * c / count + kBackwardKeyStep / 2) / kBackwardKeyStep;
    const std::int64_t end = c == count ? n_keys : steps * kBackwardKeyStep;
    chunks.push_back({begin, end});
    begin = end;
  }
  return chunks;
}

// Adds the rows to the chunks in which they see a key.
void add_rows(const TileSchedule& schedule, const BackwardChunk::Tile& rows,
              std::span<BackwardChunk> chunks) {
  for (std::int64_t s = rows.first_span; s < rows.first_span + rows.n_spans; ++s) {
    const Range live = schedule.spans[static_cast<std::size_t>(s)].live(rows.begin, rows.end - 1);
    for (BackwardChunk& chunk : chunks) {
      const std::int64_t count = intersection(live, chunk.keys).count();
      if (count == 0) continue;
      if (chunk.tiles.empty() || chunk.tiles.back().index != rows.index) {
        chunk.tiles.push_back(rows);
        chunk.tiles.back().first_span = s;
      }
      BackwardChunk::Tile& tile = chunk.tiles.back();
      tile.n_spans = s + 1 - tile.first_span;
      chunk.pairs += count * (rows.end - rows.begin);
    }
  }
}

std::vector<BackwardChunk> chunks_of(const TileSchedule& schedule, std::size_t index,
                                     std::int64_t heads, std::int64_t query_tile,
                                     std::int64_t& n_tiles) {
  std::vector<BackwardChunk> chunks;
  for (const Range& keys : cut_keys(schedule.n_keys, heads)) chunks.push_back({index, keys});
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t begin = tile.begin; begin < tile.end; begin += query_tile)
      add_rows(
          schedule,
          {begin, std::min(tile.end, begin + query_tile), tile.first_span, tile.n_spans, n_tiles++},
          chunks);
  return chunks;
}

}  // namespace

BackwardWork cut_backward(std::span<const TileSchedule* const> schedules, std::int64_t heads,
                          std::int64_t query_tile) {
  BackwardWork work;
  const std::int64_t at_once =
      std::max<std::int64_t>(1, heads * static_cast<std::int64_t>(schedules.size()));
  for (std::size_t i = 0; i < schedules.size(); ++i)
    for (BackwardChunk& chunk : chunks_of(*schedules[i], i, at_once, query_tile, work.n_tiles))
      if (!chunk.tiles.empty()) work.chunks.push_back(std::move(chunk));
  std::ranges::stable_sort(work.chunks, std::ranges::greater(), &BackwardChunk::pairs);
  std::vector<int> turns(static_cast<std::size_t>(work.n_tiles));
  for (BackwardChunk& chunk : work.chunks)
    for (BackwardChunk::Tile& tile : chunk.tiles)
      tile.turn = turns[static_cast<std::size_t>(tile.index)]++;
  return work;
}

}  // namespace qb::cpu
