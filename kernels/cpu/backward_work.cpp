#include "kernels/cpu/backward_work.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/integers.h"
#include "kernels/cpu/flash_backward.h"

namespace qb::cpu {
namespace {

// Returns how many keys a chunk has. More chunks keep more threads busy and balance causal masks;
// fewer pack the query rows less often.
std::int64_t chunk_length(std::int64_t n_keys, std::int64_t heads) {
  constexpr std::int64_t kItems = 32;  // of all heads, where keys suffice
  constexpr std::int64_t kLeastKeys = 512;
  const std::int64_t most = std::max<std::int64_t>(1, ceil_div(n_keys, kLeastKeys));
  const std::int64_t chunks = std::clamp<std::int64_t>(ceil_div(kItems, heads), 1, most);
  return std::max(kBackwardKeyStep, round_up(ceil_div(n_keys, chunks), kBackwardKeyStep));
}

// Adds the rows to the chunks of `length` keys in which they see one.
void add_rows(const TileSchedule& schedule, const BackwardChunk::Tile& rows, std::int64_t length,
              std::span<BackwardChunk> chunks) {
  for (std::int64_t s = rows.first_span; s < rows.first_span + rows.n_spans; ++s) {
    const KeyRange live =
        schedule.spans[static_cast<std::size_t>(s)].live(rows.begin, rows.end - 1);
    for (std::int64_t c = live.begin / length; c * length < live.end; ++c) {
      BackwardChunk& chunk = chunks[static_cast<std::size_t>(c)];
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
                                     std::int64_t length, std::int64_t query_tile,
                                     std::int64_t& n_tiles) {
  std::vector<BackwardChunk> chunks;
  for (std::int64_t begin = 0; begin < schedule.n_keys; begin += length)
    chunks.push_back({index, {begin, std::min(schedule.n_keys, begin + length)}});
  for (const QueryTile& tile : schedule.tiles)
    for (std::int64_t begin = tile.begin; begin < tile.end; begin += query_tile)
      add_rows(
          schedule,
          {begin, std::min(tile.end, begin + query_tile), tile.first_span, tile.n_spans, n_tiles++},
          length, chunks);
  return chunks;
}

}  // namespace

BackwardWork cut_backward(std::span<const TileSchedule* const> schedules, std::int64_t heads,
                          std::int64_t query_tile) {
  BackwardWork work;
  const std::int64_t at_once =
      std::max<std::int64_t>(1, heads * static_cast<std::int64_t>(schedules.size()));
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const std::int64_t length = chunk_length(schedules[i]->n_keys, at_once);
    for (BackwardChunk& chunk : chunks_of(*schedules[i], i, length, query_tile, work.n_tiles))
      if (!chunk.tiles.empty()) work.chunks.push_back(std::move(chunk));
  }
  std::ranges::stable_sort(work.chunks, std::ranges::greater(), &BackwardChunk::pairs);
  std::vector<int> turns(static_cast<std::size_t>(work.n_tiles));
  for (BackwardChunk& chunk : work.chunks)
    for (BackwardChunk::Tile& tile : chunk.tiles)
      tile.turn = turns[static_cast<std::size_t>(tile.index)]++;
  return work;
}

}  // namespace qb::cpu
