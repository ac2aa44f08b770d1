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
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/tile_schedule.h"

namespace qb::cpu {

struct BackwardChunk {
  // Query rows [begin, end) that see keys of the chunk, and the spans that hold these keys.
  struct Tile {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t first_span = 0;
    std::int64_t n_spans = 0;
    std::int64_t index = 0;  // among the tiles of all schedules
    int turn = 0;            // how many chunks add to the tile's dQ before this one
  };

  std::size_t schedule = 0;
  Range keys;
  std::vector<Tile> tiles{};  // ascending
  std::int64_t pairs = 0;     // of its rows and the keys between the first and the last they see
};

struct BackwardWork {
  std::vector<BackwardChunk> chunks;  // in the order in which they are handed out: heavy ones first
  std::int64_t n_tiles = 0;
};

// Cuts schedules that share neither rows nor keys and are computed for `heads` key-value heads each
// (batch included). Tiles have at most query_tile rows.
[[nodiscard]] BackwardWork cut_backward(std::span<const TileSchedule* const> schedules,
                                        std::int64_t heads, std::int64_t query_tile);

}  // namespace qb::cpu
