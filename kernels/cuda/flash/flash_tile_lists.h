// Tiles of query rows and the live blocks of keys of each, for the lowering of flash calls. Private
// to it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

// A tile before it is split: its rows, and the lists of its blocks.
struct Tile {
  std::size_t worker = 0;
  std::size_t group = 0;   // of the worker's q groups
  std::int64_t begin = 0;  // local rows
  std::int64_t end = 0;
  std::vector<MaskedStep> masked;
  std::vector<FullRun> runs;
  std::int64_t n_full = 0;
  [[nodiscard]] std::int64_t n_steps() const {
    return static_cast<std::int64_t>(masked.size()) + n_full;
  }
};

// All tiles of a worker: rows of the schedule's tiles, cut to `tile_tokens` and where a group ends;
// rows in no tile of the schedule get tiles without blocks, which write the identity. Words of
// masks go to the end of `bits`.
void add_tiles(const GroupedWorker& worker, std::size_t worker_index, const FlashShape& shape,
               std::int64_t tile_tokens, std::vector<Tile>& tiles,
               std::vector<std::uint64_t>& bits);

// Steps [begin, end) of a tile, masked ones first, to the ends of the lists.
void list_steps(const Tile& tile, std::int64_t begin, std::int64_t end, std::int64_t key_block,
                TileWork& work, WorkLists& lists);

}  // namespace qb::cuda
