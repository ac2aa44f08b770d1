// SPDX-License-Identifier: Apache-2.0
// These parts of lowering are used by the other files of lowering only: a worker's local rows as
// groups of tokens (flash_call.cpp), and tiles of rows with their live key blocks
// (flash_tile_lists.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

[[nodiscard]] constexpr std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}
[[nodiscard]] constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Bounds of a mask that lie beyond every row and column of a block are this far away.
inline constexpr std::int64_t kFarAway = std::int64_t{1} << 30;
[[nodiscard]] constexpr std::int32_t near(std::int64_t value) {
  return narrow(std::clamp(value, -kFarAway, kFarAway));
}

struct LocalGroup {
  std::int64_t begin = 0;  // first local row
  TokenGroup rows;
  [[nodiscard]] std::int64_t end() const { return begin + rows.count; }
  [[nodiscard]] std::int64_t token(std::int64_t local) const {
    return rows.first + (local - begin) * rows.stride;
  }
};

// Leaves out groups without rows. With `join`, one that continues the group before is joined to it.
[[nodiscard]] std::vector<LocalGroup> local_groups(const std::vector<TokenGroup>& groups,
                                                   bool join);

// Returns the one stride of all groups of several tokens, for the copy engine; 0 where they differ.
[[nodiscard]] std::int64_t common_stride(const GroupedCall& call,
                                         std::vector<TokenGroup> GroupedWorker::*groups);

// Returns whether the copy engine can read every stride-th token of the view as boxes: rows and
// strides are of 16 bytes, and the stride divides the number of tokens. There is no tensor map of
// no tokens.
[[nodiscard]] bool box_readable(const TensorView& view, std::int64_t stride);

// Throws Unsupported where there are more tokens than the kernels can count.
void check_lengths(const Extent& q, const Extent& k);

// A tile before it is split has its rows and the lists of its blocks.
struct Tile {
  std::size_t worker = 0;
  std::size_t group = 0;   // index of the worker's q group
  std::int64_t begin = 0;  // local rows
  std::int64_t end = 0;
  std::vector<MaskedStep> masked;
  std::vector<FullRun> runs;
  std::int64_t n_full = 0;
  [[nodiscard]] std::int64_t n_steps() const {
    return static_cast<std::int64_t>(masked.size()) + n_full;
  }
};

// Adds a worker's tiles: the schedule's, cut to `tile_tokens` and where a group ends. Rows in none
// of these get tiles without blocks, which write the identity. Appends words of masks to `bits`.
void add_tiles(const GroupedWorker& worker, std::size_t worker_index, const FlashShape& shape,
               std::int64_t tile_tokens, std::vector<Tile>& tiles,
               std::vector<std::uint64_t>& bits);

// Appends steps [begin, end) of a tile to the lists, masked ones first.
void list_steps(const Tile& tile, std::int64_t begin, std::int64_t end, std::int64_t key_block,
                TileWork& work, WorkLists& lists);

}  // namespace qb::cuda
